// What a command is: a row of the table in commands.ts (names, flags, help), and a module, loaded when it is called,
// whose `run` reads its input, calls the layers above and renders.
import { UserError } from '../base/errors.ts';
import type { OutputStream } from './terminal/output.ts';
import type { Style } from './terminal/style.ts';
import type { Unread } from './unread.ts';

export interface Flag {
  /** With its dashes: `--json`. */
  readonly name: string;
  /** One letter with its dash: `-o`. */
  readonly short?: string;
  /** The word for its value in help: `DIR`, `N`, `TEXT`; in brackets where it may be left out: `[KEY]`. */
  readonly value?: string;
  /**
   * Of a value that may be left out: words of this form are not its value but the argument of the command, where that is
   * not given otherwise.
   */
  readonly notValue?: RegExp;
  readonly summary: string;
  readonly isRepeatable?: boolean;
  readonly isHidden?: boolean;
}

export interface CommandRow {
  readonly name: string;
  /** `SESSION` for exactly one; `[SESSION...]` for any number; several, with a space between: `SESSION TITLE`. */
  readonly argument?: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly examples: readonly string[];
  /** A number that `run` answers is the exit code. */
  load(): Promise<{ run(input: CommandInput): Promise<unknown> }>;
}

export interface CommandInput {
  /** The first of `words`. */
  readonly argument: string | undefined;
  readonly words: readonly string[];
  readonly flags: FlagValues;
  readonly io: CommandIo;
  /** What could not be read; if there is any, the call ends with exit code 1. */
  readonly unread: Unread;
}

/** Values by the flag's name without dashes; absent where the flag was not given. */
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
  if (!/^\d{1,9}$/.test(value)) throw new UserError(`--${name} takes a number, not "${value}"`, `write --${name} 10`);
  return Number(value);
}
