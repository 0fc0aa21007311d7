// A prompt of the user → the user lines. A command is stored as Claude Code stores it (its tags, then the expansion as
// an isMeta line); mentioned files follow as an isMeta line, so that the prompt stays as it was typed.

import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { JsonObject } from '../../base/json/index.ts';
import {
  type FileContent,
  isInside,
  readContent,
  realPath,
  resolvePath,
  smallerPictureCommand,
} from '../access/index.ts';
import type { SeenFile } from '../contract/index.ts';
import { fitImage, imageLimits, pictureNote, readPages } from '../media/index.ts';
import { type Command, type CommandTextOptions, fillCommand } from './command.ts';
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

// A file that a prompt mentions → the blocks for the model: numbered lines, the names in a folder, an image or a PDF; and
// what was seen of it, so that an edit needs no Read call first.

interface Attachment {
  readonly file: string;
  readonly blocks: readonly JsonObject[];
  readonly seen?: SeenFile;
  readonly notes: readonly string[];
}

export const attachmentLimits = {
  lines: 2000,
  lineChars: 2000,
  chars: 100_000,
  /** A longer PDF is not attached. */
  pdfPages: 10,
  names: 300,
  bytes: 10_000_000,
} as const;

/** `undefined` if nothing is at the path. `shown`: the path as it is in the prompt. */
async function readAttachment(
  file: string,
  shown: string,
  lines: { readonly from: number; readonly to: number } | undefined,
): Promise<Attachment | undefined> {
  const content = await readContent(file, attachmentLimits.bytes);
  switch (content.kind) {
    case 'none':
      // Anything else is a word that begins with @.
      if (!['EACCES', 'EPERM', 'EIO', 'special'].includes(content.reason)) return undefined;
      return { file, blocks: [], notes: [`${shown} cannot be read (${content.reason})`] };
    case 'folder':
      return attachFolder(file, shown);
    case 'binary':
      return attachBinary(file, shown, content);
    case 'text':
      // A PDF without binary parts.
      if (content.bytes.subarray(0, 5).toString() === '%PDF-' && !content.isCut)
        return attachPdf(file, shown, content.bytes);
      return attachText(file, shown, content, lines);
  }
}

function attachText(
  file: string,
  shown: string,
  content: Extract<FileContent, { kind: 'text' }>,
  lines: { readonly from: number; readonly to: number } | undefined,
): Attachment {
  const all = content.text.split(/\r?\n/);
  if (all.at(-1) === '') all.pop();
  const from = lines?.from ?? 1;
  const wanted = all.slice(from - 1, lines?.to ?? all.length);
  const kept: string[] = [];
  let chars = 0;
  for (const line of wanted.slice(0, attachmentLimits.lines)) {
    const text = line.length > attachmentLimits.lineChars ? `${line.slice(0, attachmentLimits.lineChars)}…` : line;
    chars += text.length;
    if (chars > attachmentLimits.chars) break;
    kept.push(`${from + kept.length}\t${text.toWellFormed()}`);
  }
  const end = from + kept.length - 1;
  const isCut = content.isCut || kept.length < wanted.length;
  const total = `${all.length}${content.isCut ? ' or more' : ''}`;
  const head = `The file ${shown}, ${kept.length === 0 ? `no lines of ${total}` : `lines ${from}-${end} of ${total}`}:`;
  const tail = isCut ? `\n[cut here: read ${file} from line ${end + 1} for the rest]` : '';
  const isPartial = isCut || kept.length < all.length;
  return {
    file,
    blocks: [{ type: 'text', text: `${head}\n${kept.join('\n')}${tail}` }],
    // A file that was not read to its end has no hash for a later edit to compare with.
    ...(content.isCut ? {} : { seen: { sha256: hashBytes(content.bytes), isPartial } }),
    notes: isCut ? [`${shown} is long: only lines ${from}-${end} were attached`] : [],
  };
}

function hashBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function attachBinary(
  file: string,
  shown: string,
  content: Extract<FileContent, { kind: 'binary' }>,
): Promise<Attachment> {
  const pass = (why: string): Attachment => ({ file, blocks: [], notes: [`${shown} ${why}`] });
  if (content.isCut) return pass('is larger than 10 MB: not attached');
  if (content.bytes.subarray(0, 1024).includes('%PDF-')) return attachPdf(file, shown, content.bytes);
  const image = await fitImage(content.bytes);
  if (image === undefined) return pass('is binary: not attached');
  if ('problem' in image)
    return pass(
      `is not attached: ${image.problem}; make a smaller copy and mention that: ${smallerPictureCommand(shown, imageLimits.side)}`,
    );
  const note = pictureNote(image);
  const source = { type: 'base64', media_type: image.type, data: image.bytes.toString('base64') };
  return {
    file,
    blocks: [
      { type: 'text', text: `The image ${shown}:${note === undefined ? '' : ` ${note}`}` },
      { type: 'image', source },
    ],
    notes: [],
  };
}

async function attachPdf(file: string, shown: string, bytes: Buffer): Promise<Attachment> {
  const read = await readPages(bytes);
  if ('problem' in read) return { file, blocks: [], notes: [`${shown} cannot be read as a PDF: ${read.problem}`] };
  if (read.total > attachmentLimits.pdfPages)
    return {
      file,
      blocks: [{ type: 'text', text: `The PDF ${shown} has ${read.total} pages; Read shows them with pages.` }],
      notes: [`${shown} has ${read.total} pages: the model reads the pages that it needs`],
    };
  return {
    file,
    blocks: [
      { type: 'text', text: `The PDF ${shown}:` },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') } },
    ],
    notes: [],
  };
}

async function attachFolder(file: string, shown: string): Promise<Attachment> {
  try {
    const entries = await readdir(file, { withFileTypes: true });
    const names = entries.map((entry) => `${entry.name.toWellFormed()}${entry.isDirectory() ? '/' : ''}`).sort();
    const more = names.length - attachmentLimits.names;
    const list = names.slice(0, attachmentLimits.names).join('\n');
    const text = `The folder ${shown}:\n${list}${more > 0 ? `\n[${more} more names]` : ''}`;
    return { file, blocks: [{ type: 'text', text }], notes: [] };
  } catch {
    return { file, blocks: [], notes: [`${shown} cannot be read`] };
  }
}
