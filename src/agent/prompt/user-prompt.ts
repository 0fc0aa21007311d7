// A prompt of the user → the user lines. A command is stored as Claude Code stores it (its tags, then the expansion as
// an isMeta line); mentioned files follow as an isMeta line, so that the prompt stays as it was typed.
import { homedir } from 'node:os';
import type { JsonObject } from '../../base/json/json.ts';
import { readContent } from '../access/file.ts';
import { isInside, realPath, resolvePath } from '../access/place.ts';
import type { SeenFile } from '../contract/tool.ts';
import { type Attachment, readAttachment } from './attachment.ts';
import type { Command } from './command.ts';
import { type CommandTextOptions, fillCommand } from './command-text.ts';
import { findMentions, type Mention } from './mention.ts';

export interface PromptOptions extends CommandTextOptions {
  /** Relative mentions are resolved here. */
  readonly cwd: string;
  readonly projectDir?: string;
  readonly extraDirs?: readonly string[];
  readonly home?: string;
  readonly commands: readonly Command[];
  /**
   * Called before a mentioned file is read; without it only files of the project and the extra folders are read. The
   * prompt of a headless run may contain other people's text, such as the title of an issue.
   */
  readonly mayRead?: (file: string, realFile: string) => Promise<boolean>;
}

export interface PromptLine {
  readonly content: string | readonly JsonObject[];
  readonly isMeta: boolean;
}

export interface ExpandedPrompt {
  /** The prompt, its expansion, then the mentioned files. */
  readonly lines: readonly PromptLine[];
  readonly command?: Command;
  readonly files: readonly { readonly file: string; readonly seen: SeenFile }[];
  /** Messages for the user about what was left out or cut. */
  readonly notes: readonly string[];
}

const maxAttached = 20;

export async function expandPrompt(text: string, options: PromptOptions): Promise<ExpandedPrompt> {
  const typed = readCommand(text, options.commands);
  if (typed === undefined) return attachTo([{ content: text, isMeta: false }], text, options, {});
  const { command, args } = typed;
  const filled = await fillCommand(command, args, options);
  const lines = [
    { content: commandTags(command.name, args), isMeta: false },
    { content: [{ type: 'text', text: filled.text }], isMeta: true },
  ];
  return attachTo(lines, filled.own, options, { command, notes: filled.notes });
}

/** The command that a prompt calls; `undefined` for a prompt that only begins with a path. */
export function readCommand(
  text: string,
  commands: readonly Command[],
): { readonly command: Command; readonly args: string } | undefined {
  const match = /^\s*\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.length > 1_000_000 ? '' : text);
  const command = commands.find(({ name, isForUser }) => isForUser && name === match?.[1]);
  return command === undefined ? undefined : { command, args: (match?.[2] ?? '').trim() };
}

export function commandTags(name: string, args: string): string {
  const tags = `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>`;
  return args === '' ? tags : `${tags}\n<command-args>${args}</command-args>`;
}

async function attachTo(
  lines: readonly PromptLine[],
  text: string,
  options: PromptOptions,
  before: { readonly command?: Command; readonly notes?: readonly string[] },
): Promise<ExpandedPrompt> {
  const attachments: Attachment[] = [];
  const notes = [...(before.notes ?? [])];
  for (const mention of findMentions(text)) {
    if (attachments.length >= maxAttached) {
      notes.push(`only the first ${maxAttached} mentioned files were attached`);
      break;
    }
    const attachment = await attachMention(mention, options);
    if (attachment !== undefined) attachments.push(attachment);
  }
  const blocks = attachments.flatMap((each) => each.blocks);
  return {
    lines: blocks.length === 0 ? lines : [...lines, { content: blocks, isMeta: true }],
    ...(before.command === undefined ? {} : { command: before.command }),
    files: attachments.flatMap(({ file, seen }) => (seen === undefined ? [] : [{ file, seen }])),
    notes: [...notes, ...attachments.flatMap((each) => each.notes)],
  };
}

async function attachMention(mention: Mention, options: PromptOptions): Promise<Attachment | undefined> {
  const { cwd, projectDir = cwd, extraDirs = [], home = homedir() } = options;
  for (const written of mention.candidates) {
    const file = resolvePath(written, cwd, home);
    const isOutside = !(await isInside(file, [cwd, projectDir, ...extraDirs]));
    if (isOutside || options.mayRead !== undefined) {
      if ((await readContent(file, 1)).kind === 'none') continue;
      const may = (await options.mayRead?.(file, await realPath(file))) ?? false;
      const why = isOutside ? 'is outside the project' : 'may not be read';
      if (!may) return { file, blocks: [], notes: [`${written} ${why}: not attached`] };
    }
    const attachment = await readAttachment(file, written, mention.lines);
    if (attachment !== undefined) return attachment;
  }
  return undefined;
}
