// What a `/command` of the console gets and does.
import type { Agent } from '../../../agent/contract/index.ts';
import { type Dialog, type DialogAnswer, type DialogOptions, makeDialog } from '../dialog/index.ts';
import type { Item } from '../transcript/index.ts';
import type { NamedCommand } from './pages.ts';

export interface CommandContext {
  readonly agent: Agent;
  readonly argument: string;
  readonly nowMs: number;
  /** The names of the sub-agents that the model may start. */
  readonly agents: readonly string[];
  /** The user's `.claude` folder. */
  readonly root: string;
  say(item: Item): void;
  ask(dialog: Dialog): Promise<DialogAnswer>;
  setPrompt(text: string): void;
  /** Sends a prompt that is shown as the command that made it. */
  prompt(text: string, shown: string): Promise<unknown>;
  /** Runs a command of the program and shows its lines. */
  runProgram(name: ProgramName, words: readonly string[], flags: ProgramFlags): Promise<void>;
  /** The same, and returns its output. */
  collect(name: ProgramName, words: readonly string[], flags: ProgramFlags): Promise<string>;
  /** Lets the user search the sessions; `undefined` if none was chosen. */
  pickSession(): Promise<string | undefined>;
  /** Opens a file in the user's editor, which has the terminal until it ends. */
  editFile(file: string): Promise<void>;
  /** Asks the terminal to put the text on the clipboard. */
  copy(text: string): void;
  exit(): void;
}

export type ProgramName = 'export' | 'doctor';
export type ProgramFlags = Record<string, string | boolean>;

export interface SlashCommand extends NamedCommand {
  /** It sends a prompt, which is shown under its name. */
  readonly isPrompt?: true;
  run(context: CommandContext): Promise<void> | void;
}

/** The index of the chosen one. */
export async function choose(ask: CommandContext['ask'], options: DialogOptions): Promise<number | undefined> {
  const answer = await ask(makeDialog(options));
  return answer.kind === 'cancelled' ? undefined : answer.indexes[0];
}
