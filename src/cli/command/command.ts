// What a command is: a row of the table in commands.ts (names, flags, help), and a module that is loaded when the
// command is called; its `run` reads the input, calls the layers above and renders.
import { UserError } from '../../base/errors/index.ts';
import type { OutputStream, Style } from '../terminal/index.ts';
import type { Unread } from './unread.ts';

export interface Flag {
  /** With its dashes: `--json`. */
  readonly name: string;
  /** One letter with its dash: `-o`. */
  readonly short?: string;
  /** The placeholder for its value in help: `DIR`, `N`, `TEXT`; in brackets if the value is optional: `[KEY]`. */
  readonly value?: string;
  /** For an optional value: a word of this form is the argument of the command if no other word is. */
  readonly notValue?: RegExp;
  /** For an optional value: any other word belongs to the command, even if there are several. */
  readonly onlyValue?: RegExp;
  readonly summary: string;
  readonly isRepeatable?: boolean;
  readonly isHidden?: boolean;
}

export interface CommandRow {
  readonly name: string;
  /** `SESSION` for exactly one; `[SESSION...]` for any number; several are separated by a space: `SESSION TITLE`. */
  readonly argument?: string;
  /** Words that completion offers for the first argument. */
  readonly actions?: readonly string[];
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly examples: readonly string[];
  /** If `run` returns a number, it is the exit code. */
  load(): Promise<{ run(input: CommandInput): Promise<unknown> }>;
}

export interface CommandInput {
  /** The first of `words`. */
  readonly argument: string | undefined;
  readonly words: readonly string[];
  readonly flags: FlagValues;
  readonly io: CommandIo;
  /** Collects what could not be read; if there is any, the command exits with code 1. */
  readonly unread: Unread;
}

/** Values by the flag's name without dashes. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface CommandIo {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly style: Style;
}

export function textFlag(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function listFlag(flags: FlagValues, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value : [];
}

export function countFlag(flags: FlagValues, name: string): number | undefined {
  const value = textFlag(flags, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value))
    throw new UserError(`--${name} takes a number, not "${value}"`, `for example --${name} 10`);
  return Number(value);
}

/** 0, for any free port, if the flag is not given. */
export function portFlag(flags: FlagValues): number {
  const port = countFlag(flags, 'port') ?? 0;
  if (port > 65_535) throw new UserError(`--port takes a number up to 65535, not ${port}`, 'for example --port 8080');
  return port;
}

/**
 * Takes the words after the command's name and returns the text for stdout, which is written as it is: text of a
 * transcript must be safe for a terminal (`safeText`). `undefined` leaves the call to the full program, for every flag that it does not know and everything
 * unusual; it must not have read stdin or written anything then.
 */
export type LeanCommand = (args: readonly string[]) => string | undefined | Promise<string | undefined>;
