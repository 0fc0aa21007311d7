// Loads commands (one Markdown file each) and skills (a folder with SKILL.md) from the `.claude` folders. Both are
// prompts with front matter; skills are also offered to the model.
import path from 'node:path';
import { shellQuote } from '../../base/text/index.ts';
import { readContent } from '../access/index.ts';
import { isUsed, type SettingSource } from '../contract/index.ts';
import {
  type FrontMatter,
  fieldFlag,
  fieldText,
  fieldTools,
  listFolders,
  listMarkdown,
  parseFrontMatter,
  splitInside,
} from './front-matter.ts';

export interface CommandOptions {
  readonly cwd: string;
  /** The user's `.claude` folder. */
  readonly root: string;
  /** Without trust, only the user's own commands are loaded. */
  readonly isProjectTrusted: boolean;
  readonly settingSources?: readonly SettingSource[] | undefined;
}

export interface LoadedCommands {
  readonly commands: readonly Command[];
  /** Messages for the user about what was left out. */
  readonly notes: readonly string[];
}

export interface Command {
  /** Without the slash; `folder:name` for a command in a folder. */
  readonly name: string;
  readonly kind: 'command' | 'skill';
  readonly scope: 'project' | 'user';
  readonly file: string;
  readonly description: string;
  readonly argumentHint: string | undefined;
  readonly allowedTools: readonly string[];
  readonly model: string | undefined;
  readonly isForUser: boolean;
  readonly isForModel: boolean;
  readonly body: string;
}

const maxBytes = 256 * 1024;
const maxDescription = 1536;

/** Sorted by name. The project wins over the user, and a skill wins over a command of the same name. */
export async function loadCommands(options: CommandOptions): Promise<LoadedCommands> {
  const { root, isProjectTrusted, settingSources } = options;
  const withProject = isProjectTrusted && isUsed('project', settingSources);
  const { commands: projects, notes } = withProject ? await loadProjectCommands(options.cwd) : nothing;
  const found = [...projects, ...(isUsed('user', settingSources) ? await loadUserCommands(root) : [])];
  const byName = new Map<string, Command>();
  for (const command of found) if (!byName.has(command.name)) byName.set(command.name, command);
  return { commands: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), notes };
}

async function loadUserCommands(root: string): Promise<readonly Command[]> {
  return [
    ...(await loadSkills(path.join(root, 'skills'), 'user')),
    ...(await loadCommandFiles(path.join(root, 'commands'), 'user')),
  ];
}

const nothing: LoadedCommands = { commands: [], notes: [] };

/** The project's commands, trusted or not, without links that lead out of the project. */
export async function loadProjectCommands(cwd: string): Promise<LoadedCommands> {
  const folder = path.join(cwd, '.claude');
  const found = [
    ...(await loadSkills(path.join(folder, 'skills'), 'project')),
    ...(await loadCommandFiles(path.join(folder, 'commands'), 'project')),
  ];
  const { inside, notes } = await splitInside(found, cwd);
  return { commands: inside, notes };
}

async function loadCommandFiles(folder: string, scope: Command['scope']): Promise<readonly Command[]> {
  const commands: Command[] = [];
  for (const { file, parts } of await listMarkdown(folder)) {
    const head = await readHead(file);
    const name = parts.join(':');
    if (head !== undefined && isName(name)) commands.push(toCommand(name, 'command', scope, file, head));
  }
  return commands;
}

async function loadSkills(folder: string, scope: Command['scope']): Promise<readonly Command[]> {
  const skills: Command[] = [];
  for (const name of await listFolders(folder)) {
    const file = path.join(folder, name, 'SKILL.md');
    const head = await readHead(file);
    if (head !== undefined && isName(name)) skills.push(toCommand(name, 'skill', scope, file, head));
  }
  return skills;
}

/** Names that can be typed after a slash and printed. */
function isName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.:-]{0,199}$/u.test(name);
}

async function readHead(file: string): Promise<FrontMatter | undefined> {
  const content = await readContent(file, maxBytes);
  return content.kind === 'text' ? parseFrontMatter(content.text) : undefined;
}

function toCommand(
  name: string,
  kind: Command['kind'],
  scope: Command['scope'],
  file: string,
  head: FrontMatter,
): Command {
  const why = fieldText(head, 'when_to_use') ?? fieldText(head, 'when-to-use');
  const what = fieldText(head, 'description') ?? firstLine(head.body);
  const model = fieldText(head, 'model');
  return {
    name,
    kind,
    scope,
    file,
    description: [what, why]
      .filter((part) => part !== undefined)
      .join(' ')
      .slice(0, maxDescription)
      .toWellFormed(),
    argumentHint: fieldText(head, 'argument-hint'),
    allowedTools: fieldTools(head, 'allowed-tools') ?? [],
    model: model === 'inherit' ? undefined : model,
    isForUser: fieldFlag(head, 'user-invocable') ?? true,
    isForModel: kind === 'skill' && fieldFlag(head, 'disable-model-invocation') !== true,
    body: head.body,
  };
}

function firstLine(body: string): string {
  const line = body.split('\n', 50).find((each) => each.trim() !== '') ?? '';
  return line.replace(/^#+/, '').trim().slice(0, 200);
}

// A command and its arguments → the text for the model: the arguments are inserted, and each shell command in !`…` is
// replaced by its output if the caller allows it. The shell commands are found before the arguments are inserted, so
// that no argument becomes a command.

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
