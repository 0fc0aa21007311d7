// Suggests completions for the text before the cursor: `/command` at the beginning, `@file` anywhere.

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readText, runGit } from '../../../agent/access/index.ts';
import type { TextBuffer } from './text-buffer.ts';

export interface Suggestion {
  readonly text: string;
  readonly hint: string;
}

export interface Suggestions {
  readonly kind: 'command' | 'file';
  /** The range of the text that a suggestion replaces. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly Suggestion[];
  readonly selected: number;
}

export interface Mention {
  readonly kind: 'command' | 'file';
  readonly start: number;
  readonly typed: string;
}

const maxSuggestions = 50;

/** The command or file at the cursor. */
export function mentionAt({ text, cursor }: TextBuffer): Mention | undefined {
  const head = text.slice(0, cursor);
  const command = /^\/([^\s/]*)$/.exec(head);
  if (command !== null) return { kind: 'command', start: 0, typed: command[1] ?? '' };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(head.slice(-longestMention));
  return file === null ? undefined : { kind: 'file', start: cursor - (file[1] ?? '').length - 1, typed: file[1] ?? '' };
}

const longestMention = 500;

export function suggestCommands(
  { start, typed }: Mention,
  commands: readonly { readonly name: string; readonly description: string }[],
): Suggestions | undefined {
  const found = commands.filter(({ name }) => name.startsWith(typed));
  const within = commands.filter(({ name }) => !name.startsWith(typed) && name.includes(typed));
  const items = [...found, ...within].map(({ name, description }) => ({ text: `/${name}`, hint: description }));
  return suggestions('command', start, start + typed.length + 1, items);
}

export function suggestFiles({ start, typed }: Mention, files: readonly string[]): Suggestions | undefined {
  const ranked: { readonly file: string; readonly rank: number }[] = [];
  const wanted = typed.toLowerCase();
  for (const file of files) {
    const rank = fileRank(file.toLowerCase(), wanted);
    if (rank !== undefined) ranked.push({ file, rank });
  }
  ranked.sort((a, b) => a.rank - b.rank || a.file.length - b.file.length || (a.file < b.file ? -1 : 1));
  const items = ranked.slice(0, maxSuggestions).map(({ file }) => ({ text: `@${file}`, hint: '' }));
  return suggestions('file', start, start + typed.length + 1, items);
}

export function moveSuggestion(suggestions: Suggestions, by: 1 | -1): Suggestions {
  const count = suggestions.items.length;
  return { ...suggestions, selected: (suggestions.selected + by + count) % count };
}

function suggestions(
  kind: 'command' | 'file',
  start: number,
  end: number,
  items: readonly Suggestion[],
): Suggestions | undefined {
  return items.length === 0 ? undefined : { kind, start, end, items: items.slice(0, maxSuggestions), selected: 0 };
}

/** Ranks: prefix of the name, prefix of the path, part of the name, part of the path, letters in order. */
function fileRank(file: string, wanted: string): number | undefined {
  const name = file.slice(file.lastIndexOf('/', file.length - 2) + 1);
  if (name.startsWith(wanted)) return 0;
  if (file.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (file.includes(wanted)) return 3;
  return hasInOrder(file, wanted) ? 4 : undefined;
}

function hasInOrder(file: string, letters: string): boolean {
  let at = -1;
  for (const letter of letters) {
    at = file.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}

const maxFiles = 50_000;
const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__']);

/** Relative paths with slashes. */
export async function listProjectFiles(folder: string): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = await runGit(folder, process.env, args, { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024 });
  if (listed === undefined) return walk(folder);
  return listed
    .split('\0')
    .filter((file) => file !== '')
    .slice(0, maxFiles);
}

async function walk(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  const left = [''];
  for (let at = left.pop(); at !== undefined && files.length < maxFiles; at = left.pop()) {
    for (const entry of await entriesOf(path.join(folder, at))) {
      const name = at === '' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory() && !skipped.has(entry.name)) left.push(name);
      else if (entry.isFile()) files.push(name);
    }
  }
  return files.sort();
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The current branch or the short commit; `undefined` outside of a repository. */
export async function gitBranch(folder: string): Promise<string | undefined> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const head = await readHead(path.join(at, '.git'));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
    if (at === path.dirname(at)) return undefined;
  }
}

/** In a worktree `.git` is a file with the path of the folder. */
async function readHead(dotGit: string): Promise<string | undefined> {
  const read = async (file: string): Promise<string | undefined> => (await readText(file, 4096))?.trim();
  const head = await read(path.join(dotGit, 'HEAD'));
  if (head !== undefined) return head;
  const link = /^gitdir: (.+)$/.exec((await read(dotGit)) ?? '')?.[1];
  return link === undefined ? undefined : read(path.join(path.resolve(path.dirname(dotGit), link), 'HEAD'));
}
