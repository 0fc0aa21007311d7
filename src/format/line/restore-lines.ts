// A transcript that is not plain UTF-8 JSONL → one record per line: decodes UTF-16, joins records that were wrapped or
// split by another writer, and unquotes quoted ones.
import { isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { recoverRecords } from './recover.ts';

/** Damage that hides a whole record from a line reader. */
export type RestoredCode = 'L-utf16' | 'L-wrapped' | 'L-split' | 'L-quoted';

export interface RestoredLine {
  readonly bytes: Buffer;
  /** The line of the original in which it starts, from 1. */
  readonly line: number;
  /** Set if the record was not a line in the original. */
  readonly code?: RestoredCode;
}

const maxPieces = 2_000;
const maxBetween = 50;
const maxJoinedBytes = 8 * 1024 * 1024;

/** The lines with every record restored, or `undefined` if nothing needs it. */
export function restoreLines(original: Buffer): readonly RestoredLine[] | undefined {
  const encoding = utf16Of(original);
  const lines = splitLines(encoding === undefined ? original : decoded(original, encoding));
  const restored: RestoredLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as Buffer; // `at` is in range
    const found = isRecord(line) ? undefined : (unquoted(line, at) ?? joined(lines, at));
    restored.push(...(found?.lines ?? [{ bytes: line, line: at + 1 }]));
    at += found?.taken ?? 1;
  }
  if (encoding !== undefined) return restored.map((line) => ({ code: 'L-utf16', ...line }));
  return restored.some(({ code }) => code !== undefined) ? restored : undefined;
}

type Utf16 = 'utf-16le' | 'utf-16be';

/** Recognised by the byte-order mark, or by zeros between ASCII characters at the start. */
export function utf16Of(bytes: Buffer): Utf16 | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const head = [...bytes.subarray(0, utf16HeadBytes)];
  if (head.length < utf16HeadBytes) return undefined;
  const isTextAt = (place: 0 | 1): boolean =>
    head.every((byte, i) => (i % 2 === place ? byte > 0 && byte < 0x80 : byte === 0));
  if (isTextAt(0)) return 'utf-16le';
  return isTextAt(1) ? 'utf-16be' : undefined;
}

export const utf16HeadBytes = 16;

function decoded(bytes: Buffer, encoding: Utf16): Buffer {
  return Buffer.from(new TextDecoder(encoding).decode(bytes));
}

const newline = 0x0a;
const carriageReturn = 0x0d;

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}

function isRecord(line: Buffer): boolean {
  return isObject(parseJson(line.toString('utf8')));
}

/** A record of another writer; an object without a type may be a piece of the one that is broken. */
function isTyped(line: Buffer): boolean {
  const value = parseJson(line.toString('utf8'));
  return isObject(value) && typeof value.type === 'string';
}

interface Restored {
  readonly lines: readonly RestoredLine[];
  /** The number of lines in the original. */
  readonly taken: number;
}

/** A line that is a JSON string with one or more records. */
function unquoted(line: Buffer, at: number): Restored | undefined {
  const texts = recordsInString(line.toString('utf8'), 3);
  if (texts.length === 0) return undefined;
  return {
    lines: texts.map((text) => ({ bytes: Buffer.from(text), line: at + 1, code: 'L-quoted' as const })),
    taken: 1,
  };
}

function recordsInString(text: string, depth: number): readonly string[] {
  const value = text.trimStart().startsWith('"') ? parseJson(text) : undefined;
  if (typeof value !== 'string' || depth === 0) return [];
  const whole = parseJson(value);
  if (looksLikeEntry(whole)) return [value.includes('\n') ? JSON.stringify(whole) : value];
  const inner = recordsInString(value, depth - 1);
  if (inner.length > 0) return inner;
  const lines = value.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => looksLikeEntry(parseJson(line))) ? lines : [];
}

/** A record that starts in this line and ends in a later one, possibly with records of another writer between. */
function joined(lines: readonly Buffer[], at: number): Restored | undefined {
  const { fragment, inner } = beginningOf(lines[at] as Buffer); // `at` is in range
  if (fragment === undefined) return undefined;
  const pieces = [fragment];
  const between: RestoredLine[] = inner.map((bytes) => ({ bytes, line: at + 1, code: 'L-split' }));
  let size = fragment.length;
  for (let next = at + 1; next < lines.length && pieces.length < maxPieces && size < maxJoinedBytes; next++) {
    const line = lines[next] as Buffer; // `next` is in range
    if (isTyped(line)) {
      if (between.length >= maxBetween) return undefined;
      between.push({ bytes: line, line: next + 1 });
      continue;
    }
    pieces.push(decodeLine(line));
    size += line.length;
    const isSplit = between.length > 0;
    const text = decodeLine(line).trimEnd().endsWith('}') ? joinedText(pieces, isSplit) : undefined;
    if (text === undefined) continue;
    const code = isSplit ? 'L-split' : 'L-wrapped';
    return { lines: [{ bytes: Buffer.from(text), line: at + 1, code }, ...between], taken: next + 1 - at };
  }
  return undefined;
}

/** The start of a record in a line, and the complete records of another writer after it. */
function beginningOf(line: Buffer): { readonly fragment: string | undefined; readonly inner: readonly Buffer[] } {
  const text = decodeLine(line);
  if (!text.trimStart().startsWith('{')) return { fragment: undefined, inner: [] };
  const { records } = recoverRecords(line);
  const [first] = records;
  const last = records.at(-1);
  const isTail = first !== undefined && last !== undefined && last.end >= line.toString('utf8').trimEnd().length;
  if (first === undefined || first.start === 0 || !isTail) return { fragment: text, inner: [] };
  return {
    fragment: line.toString('utf8', 0, first.start),
    inner: records.map(({ start, end }) => line.subarray(start, end)),
  };
}

function decodeLine(line: Buffer): string {
  return line.toString('utf8', 0, line.at(-1) === carriageReturn ? line.length - 1 : line.length);
}

/** A break inside a string is a newline of the text, or was inserted by another writer or by wrapping at a fixed width. */
function joinedText(pieces: readonly string[], isSplit: boolean): string | undefined {
  const width = pieces[0]?.length ?? 0;
  const isFixed = pieces.length > 2 && pieces.slice(1, -1).every((piece) => piece.length === width);
  const direct = pieces.join('');
  const kept = withNewlines(pieces);
  return (isSplit || isFixed ? [direct, kept] : [kept, direct]).find((text) => looksLikeEntry(parseJson(text)));
}

/** Joins the pieces, with an escaped newline where one ends inside a string. */
function withNewlines(pieces: readonly string[]): string {
  let text = '';
  let isInside = false;
  let isEscaped = false;
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) text += isInside && !isEscaped ? '\\n' : '';
    for (const character of piece) {
      if (isEscaped) isEscaped = false;
      else if (character === '\\') isEscaped = isInside;
      else if (character === '"') isInside = !isInside;
    }
    text += piece;
  }
  return text;
}

const idKeys = ['type', 'uuid', 'parentUuid', 'sessionId', 'timestamp'] as const;

/** A record of a transcript without newlines in its ids. */
function looksLikeEntry(value: unknown): value is JsonObject {
  const entry = isObject(value as JsonObject) ? (value as JsonObject) : undefined;
  if (typeof entry?.type !== 'string') return false;
  if (!('uuid' in entry || 'sessionId' in entry || 'timestamp' in entry || 'message' in entry)) return false;
  const hasBrokenKey = Object.keys(entry).some((key) => key.includes('\n'));
  return !hasBrokenKey && idKeys.every((key) => !String(entry[key] ?? '').includes('\n'));
}
