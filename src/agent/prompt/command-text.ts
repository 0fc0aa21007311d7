// A command and its arguments → the text for the model: the arguments are inserted, and each shell command in !`…` is
// replaced by its output if the caller allows it. The shell commands are found before the arguments are inserted, so
// that no argument becomes a command.
import path from 'node:path';
import { shellQuote } from '../../base/text/shell-quote.ts';
import type { Command } from './command.ts';

export interface CommandTextOptions {
  readonly sessionId?: string;
  /**
   * Runs a shell command of the file and returns its output, or `undefined` if it may not run. It gets the command's
   * `allowed-tools`, which are what the file wants to use.
   */
  readonly runShell?: (command: string, allowedTools: readonly string[]) => Promise<string | undefined>;
}

export interface CommandText {
  readonly text: string;
  /** The text without the output of shell commands: mentions of files count only here. */
  readonly own: string;
  readonly notes: readonly string[];
}

const inlineShell = /(?<=^|\s)!`([^`\n]+)`/gm;

/** The shell commands that a command or skill runs when it is called. */
export function inlineCommandsOf(body: string): readonly string[] {
  return [...body.matchAll(inlineShell)].map((match) => match[1] ?? '');
}

const maxOutput = 30_000;
const maxShellCommands = 50;

export async function fillCommand(command: Command, args: string, options: CommandTextOptions): Promise<CommandText> {
  const notes: string[] = [];
  const words = splitWords(args);
  // The model passes arguments too: in a shell command each argument is one quoted word.
  const quoted = { whole: words.map(shellQuote).join(' '), words: words.map(shellQuote) };
  const pieces: { readonly own: string; readonly output: string }[] = [];
  let copied = 0;
  for (const match of command.body.matchAll(inlineShell)) {
    if (pieces.length >= maxShellCommands) break;
    const shell = putArguments(match[1] ?? '', command, quoted, options).text;
    const output = await runOne(shell, command, options, notes);
    pieces.push({ own: command.body.slice(copied, match.index), output });
    copied = match.index + match[0].length;
  }
  pieces.push({ own: command.body.slice(copied), output: '' });
  // Inserted piece by piece, so that a dollar sign in an output stays.
  const filled = pieces.map(({ own, output }) => ({
    ...putArguments(own, command, { whole: args, words }, options),
    output,
  }));
  const rest = args === '' || filled.some(({ isUsed }) => isUsed) ? '' : `\n\nARGUMENTS: ${args}`;
  const base = command.kind === 'skill' ? `Base directory for this skill: ${path.dirname(command.file)}\n\n` : '';
  return {
    text: `${base}${filled.map(({ text, output }) => `${text}${output}`).join('')}${rest}`,
    own: `${filled.map(({ text }) => text).join(' ')}${rest}`,
    notes,
  };
}

async function runOne(shell: string, command: Command, options: CommandTextOptions, notes: string[]): Promise<string> {
  const output = await options.runShell?.(shell, command.allowedTools);
  if (output === undefined) {
    notes.push(`/${command.name}: \`${shell}\` was not run: it is not allowed`);
    return `[not run, because it is not allowed: ${shell}]`;
  }
  const whole = output.toWellFormed().trimEnd();
  return whole.length <= maxOutput ? whole : `${whole.slice(0, maxOutput).toWellFormed()}\n[output cut here]`;
}

function putArguments(
  text: string,
  command: Command,
  args: { readonly whole: string; readonly words: readonly string[] },
  options: CommandTextOptions,
): { readonly text: string; readonly isUsed: boolean } {
  let isUsed = false;
  const used = (value: string): string => {
    isUsed = true;
    return value;
  };
  const pattern =
    /\$ARGUMENTS\[(\d{1,3})\]|\$ARGUMENTS\b|\$(\d{1,2})(?!\d)|\$\{(CLAUDE_SKILL_DIR|CLAUDE_SESSION_ID)\}/g;
  const filled = text.replace(pattern, (whole, index?: string, place?: string, name?: string) => {
    if (name === 'CLAUDE_SKILL_DIR') return path.dirname(command.file);
    if (name === 'CLAUDE_SESSION_ID') return options.sessionId ?? whole;
    const number = index ?? place;
    if (number === undefined) return used(args.whole);
    // Counted from zero, as 2.1.45 and 2.1.325 do; a placeholder without a word stays, as in 2.1.325.
    const word = args.words[Number(number)];
    return word === undefined ? whole : used(word);
  });
  return { text: filled, isUsed };
}

/** Splits words like a shell: quotes and backslashes keep spaces; an unclosed quote is a plain character. */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const close = char === '"' || char === "'" ? text.indexOf(char, at + 1) : -1;
    if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (close > 0) {
      word = `${word ?? ''}${text.slice(at + 1, close)}`;
      at = close;
    } else if (char === '\\' && at + 1 < text.length) {
      word = `${word ?? ''}${text.charAt(at + 1)}`;
      at += 1;
    } else word = `${word ?? ''}${char}`;
  }
  return word === undefined ? words : [...words, word];
}
