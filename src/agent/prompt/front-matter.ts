// A Markdown file with front matter → its fields and body. Only a subset of YAML: commands, skills, rules and agents
// use text, lists and flags, and a repository of another person must not reach tags, anchors or merges. Anything else
// stays text; nothing here throws.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../access/index.ts';

export type FrontValue = string | readonly string[];

export interface FrontMatter {
  readonly fields: ReadonlyMap<string, FrontValue>;
  /** The text below the front matter, or the whole text without one. */
  readonly body: string;
}

const maxHeadLines = 1000;

export function parseFrontMatter(text: string): FrontMatter {
  const whole = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const open = /^---[ \t]*\r?\n/.exec(whole);
  if (open === null) return { fields: new Map(), body: whole };
  const lines: string[] = [];
  let at = open[0].length;
  while (at < whole.length && lines.length < maxHeadLines) {
    const newline = whole.indexOf('\n', at);
    const end = newline < 0 ? whole.length : newline;
    const line = whole.slice(at, end).replace(/\r$/, '');
    at = newline < 0 ? whole.length : newline + 1;
    if (/^---[ \t]*$/.test(line)) return { fields: parseFields(lines), body: whole.slice(at) };
    lines.push(line);
  }
  return { fields: new Map(), body: whole };
}

export function fieldText(head: FrontMatter, key: string): string | undefined {
  const value = head.fields.get(key);
  // `argument-hint: [file]` is a list in YAML, but its author means a text.
  const text = typeof value === 'string' || value === undefined ? value : `[${value.join(', ')}]`;
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

/** A list, or a text that is split at commas outside brackets. */
export function fieldList(head: FrontMatter, key: string): readonly string[] | undefined {
  return listOf(head.fields.get(key), ',');
}

/** Like `fieldList`, and also split at spaces: `Read Bash(git diff:*)`. */
export function fieldTools(head: FrontMatter, key: string): readonly string[] | undefined {
  return listOf(head.fields.get(key), ', \t\n');
}

export function fieldFlag(head: FrontMatter, key: string): boolean | undefined {
  const text = fieldText(head, key)?.toLowerCase();
  if (text === 'true' || text === 'yes' || text === 'on') return true;
  return text === 'false' || text === 'no' || text === 'off' ? false : undefined;
}

function listOf(value: FrontValue | undefined, separators: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const parts = typeof value === 'string' ? splitOutsideBrackets(value, separators) : value;
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function splitOutsideBrackets(text: string, separators: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if ('({['.includes(char)) depth += 1;
    else if (')}]'.includes(char)) depth = Math.max(0, depth - 1);
    else if (depth === 0 && separators.includes(char)) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function parseFields(lines: readonly string[]): ReadonlyMap<string, FrontValue> {
  const fields = new Map<string, FrontValue>();
  let at = 0;
  while (at < lines.length) {
    const match = /^(?:([\w.-]+)|"([^"]+)"|'([^']+)')[ \t]*:(?:[ \t]+(.*))?$/.exec(lines[at] ?? '');
    at += 1;
    if (match === null) continue;
    const key = match[1] ?? match[2] ?? match[3] ?? '';
    const first = (match[4] ?? '').trim();
    const start = at;
    while (at < lines.length && isContinuation(lines[at] ?? '', first)) at += 1;
    const value = parseValue(first, lines.slice(start, at));
    if (value !== undefined && !fields.has(key)) fields.set(key, value);
  }
  return fields;
}

/** List items may be indented as little as their key. */
function isContinuation(line: string, first: string): boolean {
  return line.trim() === '' || /^[ \t]/.test(line) || (first === '' && /^-(?:[ \t]|$)/.test(line));
}

function parseValue(first: string, rest: readonly string[]): FrontValue | undefined {
  const block = /^([|>])[+-]?\d?[+-]?(?:[ \t]+#.*)?$/.exec(first);
  if (block !== null) return blockText(rest, block[1] === '>');
  const lines = rest.filter((line) => line.trim() !== '' && !/^[ \t]*#/.test(line));
  if (withoutComment(first) === '') {
    if (lines.length === 0) return '';
    const items = lines.map((line) => /^[ \t]*-(?:[ \t]+(.*))?$/.exec(line));
    if (items.every((item) => item !== null)) return items.map((item) => scalar((item[1] ?? '').trim()));
    // No field is a nested mapping.
    if (lines.some((line) => /^[ \t]*[\w-]+[ \t]*:(?:[ \t]|$)/.test(line))) return undefined;
  }
  const joined = [first, ...lines.map((line) => line.trim())].filter((part) => part !== '').join(' ');
  return flowList(joined) ?? scalar(joined);
}

function blockText(rest: readonly string[], isFolded: boolean): string {
  const indents = rest.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const indent = indents.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
  const lines = rest.map((line) => (line.trim() === '' ? '' : line.slice(indent)));
  const text = lines.join('\n').trimEnd();
  return isFolded ? text.replace(/([^\n])\n(?=[^\n \t])/g, '$1 ').replace(/\n\n/g, '\n') : text;
}

/** `[a, "b, c"]`; `undefined` for other texts that begin with a bracket. */
function flowList(text: string): readonly string[] | undefined {
  const trimmed = withoutComment(text);
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return undefined;
  const items: string[] = [];
  let at = 1;
  while (at < trimmed.length - 1) {
    const quote = /^[ \t]*(["'])/.exec(trimmed.slice(at, at + 64));
    const end = quote === null ? at : quoteEnd(trimmed, at + quote[0].length - 1);
    const comma = trimmed.indexOf(',', end);
    const stop = comma < 0 ? trimmed.length - 1 : comma;
    const item = trimmed.slice(at, stop).trim();
    // `[message] [flags]` is a hint, not a list.
    if (quote === null && /[[\]]/.test(item)) return undefined;
    if (item !== '') items.push(scalar(item));
    at = stop + 1;
  }
  return items;
}

/** The index of the closing quote, or `start` if the quote is not closed. */
function quoteEnd(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) {
      if (quote === '"' || text.charAt(at + 1) !== "'") return at;
      at += 1;
    }
  }
  return start;
}

function scalar(text: string): string {
  const quote = text.charAt(0);
  if (quote !== '"' && quote !== "'") return withoutComment(text);
  const end = quoteEnd(text, 0);
  if (end === 0 || !/^[ \t]*(?:#.*)?$/.test(text.slice(end + 1))) return text;
  const inner = text.slice(1, end);
  return quote === "'" ? inner.replaceAll("''", "'") : readEscapes(inner);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', e: '\x1b' };

function readEscapes(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g,
    (_, wide, byte, char: string | undefined) => {
      const hex: string | undefined = wide ?? byte;
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return char === undefined ? '' : (escapes[char] ?? char);
    },
  );
}

function withoutComment(text: string): string {
  if (text.startsWith('#')) return '';
  const comment = text.search(/[ \t]#/);
  return (comment < 0 ? text : text.slice(0, comment)).trim();
}

const maxFiles = 1000;
const maxDepth = 8;

export interface DefinitionFile {
  readonly file: string;
  /** Folders and name below the listed folder, without the extension. */
  readonly parts: readonly string[];
}

export async function listMarkdown(folder: string, depth: number = maxDepth): Promise<readonly DefinitionFile[]> {
  const found: DefinitionFile[] = [];
  await collect(folder, [], depth, found);
  return found;
}

export async function listFolders(folder: string): Promise<readonly string[]> {
  const entries = await readEntries(folder);
  // A skill is often a link to a folder that several projects share.
  return entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map((entry) => entry.name);
}

/** Only files inside the project after following links: a link may lead to any file that the user can read. */
export async function splitInside<T extends { readonly file: string }>(
  found: readonly T[],
  project: string,
): Promise<{ readonly inside: readonly T[]; readonly notes: readonly string[] }> {
  const inside: T[] = [];
  const notes: string[] = [];
  for (const each of found) {
    if (await isInside(each.file, [project])) inside.push(each);
    else notes.push(`${each.file} is a link that leads out of the project: left out`);
  }
  return { inside, notes };
}

async function collect(
  folder: string,
  above: readonly string[],
  depth: number,
  found: DefinitionFile[],
): Promise<void> {
  for (const entry of await readEntries(folder)) {
    if (found.length >= maxFiles) return;
    const file = path.join(folder, entry.name);
    // Links to folders are not followed, to avoid loops.
    if (entry.isDirectory()) {
      if (depth > 1) await collect(file, [...above, entry.name], depth - 1, found);
    } else if (/\.md$/i.test(entry.name)) found.push({ file, parts: [...above, entry.name.slice(0, -3)] });
  }
}

async function readEntries(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
