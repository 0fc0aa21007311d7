// Suggests completions for the text before the cursor: `/command` at the beginning, `@file` anywhere.
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
