// A text with a cursor, and the editing keys. The cursor is an offset that is never inside a grapheme cluster.

import { type Cluster, clusters, neutralise } from '../../../base/text/index.ts';
import type { Key } from '../../terminal/index.ts';

export interface TextBuffer {
  readonly text: string;
  readonly cursor: number;
}

export const emptyBuffer: TextBuffer = { text: '', cursor: 0 };

export function bufferOf(text: string): TextBuffer {
  return { text, cursor: text.length };
}

/** A paste may contain anything; keeps only text, newlines and tabs. */
export function insertText({ text, cursor }: TextBuffer, inserted: string): TextBuffer {
  const safe = neutralise(inserted);
  return { text: text.slice(0, cursor) + safe + text.slice(cursor), cursor: cursor + safe.length };
}

export function replaceRange({ text }: TextBuffer, start: number, end: number, by: string): TextBuffer {
  return { text: text.slice(0, start) + by + text.slice(end), cursor: start + by.length };
}

type Motion = (buffer: TextBuffer) => number;

const move =
  (motion: Motion) =>
  (buffer: TextBuffer): TextBuffer => ({ ...buffer, cursor: motion(buffer) });

/** Deletes the text between the cursor and the end of the motion. */
const erase =
  (motion: Motion) =>
  (buffer: TextBuffer): TextBuffer => {
    const [start, end] = [buffer.cursor, motion(buffer)].sort((a, b) => a - b) as [number, number];
    return replaceRange(buffer, start, end, '');
  };

/** What a key does to a text; `undefined` for a key that does not edit. */
export function editBuffer(buffer: TextBuffer, key: Pick<Key, 'name' | 'text'>): TextBuffer | undefined {
  if (key.name === 'text') return insertText(buffer, key.text);
  return bufferKeys.get(key.name)?.(buffer);
}

export const bufferKeys: ReadonlyMap<string, (buffer: TextBuffer) => TextBuffer> = new Map([
  ['newline', (buffer: TextBuffer) => insertText(buffer, '\n')],
  ['left', move(before)],
  ['ctrl-b', move(before)],
  ['right', move(after)],
  ['ctrl-f', move(after)],
  ['word-left', move(wordStart)],
  ['word-right', move(wordEnd)],
  ['home', move(lineStart)],
  ['ctrl-a', move(lineStart)],
  ['end', move(lineEnd)],
  ['ctrl-e', move(lineEnd)],
  ['backspace', erase(before)],
  ['delete', erase(after)],
  ['ctrl-d', erase(after)],
  ['ctrl-w', erase(wordStart)],
  ['word-backspace', erase(wordStart)],
  ['word-delete', erase(wordEnd)],
  // At the start or the end of a line, the newline.
  ['ctrl-u', erase((buffer) => (lineStart(buffer) === buffer.cursor ? before(buffer) : lineStart(buffer)))],
  ['ctrl-k', erase((buffer) => (lineEnd(buffer) === buffer.cursor ? after(buffer) : lineEnd(buffer)))],
]);

export interface BufferRow {
  readonly start: number;
  readonly text: string;
}

export interface BufferLayout {
  readonly rows: readonly BufferRow[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** Breaks anywhere, not at words, so that typed text never jumps to another row. */
export function layOutBuffer({ text, cursor }: TextBuffer, width: number): BufferLayout {
  const rows: BufferRow[] = [];
  let place = { row: 0, column: 0 };
  let start = 0;
  let shown = '';
  let column = 0;
  let at = 0;
  const endRow = (next: number): void => {
    rows.push({ start, text: shown });
    start = next;
    shown = '';
    column = 0;
  };
  for (const cluster of shownClusters(text)) {
    if (cluster.width > 0 && column + cluster.width > width) endRow(at);
    if (at === cursor) place = { row: rows.length, column };
    if (cluster.text === '\n') endRow(at + 1);
    else {
      shown += cluster.shown;
      column += cluster.width;
    }
    at += cluster.text.length;
  }
  if (cursor >= at) {
    // After a full row the cursor moves to the start of the next.
    if (column >= width) endRow(at);
    place = { row: rows.length, column };
  }
  rows.push({ start, text: shown });
  return { rows, cursor: place };
}

/** Moves the cursor one row up or down in the same column; `undefined` if there is no such row. */
export function moveVertically(buffer: TextBuffer, rows: 1 | -1, width: number): TextBuffer | undefined {
  const layout = layOutBuffer(buffer, width);
  const target = layout.cursor.row + rows;
  const row = layout.rows[target];
  if (row === undefined) return undefined;
  const end = layout.rows[target + 1]?.start ?? buffer.text.length + 1;
  let column = 0;
  let at = row.start;
  for (const cluster of shownClusters(buffer.text.slice(row.start, end))) {
    if (cluster.text === '\n' || column + cluster.width > layout.cursor.column) break;
    column += cluster.width;
    at += cluster.text.length;
  }
  return { ...buffer, cursor: Math.min(at, buffer.text.length) };
}

interface ShownCluster extends Cluster {
  readonly shown: string;
}

const tab = '    ';

function* shownClusters(text: string): Generator<ShownCluster> {
  for (const cluster of clusters(text)) {
    if (cluster.text === '\n') yield { ...cluster, shown: '', width: 0 };
    else if (cluster.text === '\t') yield { ...cluster, shown: tab, width: tab.length };
    else yield { ...cluster, shown: cluster.text };
  }
}

/** Looks for clusters only within the line. */
function before({ text, cursor }: TextBuffer): number {
  if (cursor === 0) return 0;
  const start = text.lastIndexOf('\n', cursor - 1);
  if (start === cursor - 1) return cursor - 1;
  let at = start + 1;
  for (const cluster of clusters(text.slice(start + 1, cursor))) {
    if (at + cluster.text.length >= cursor) return at;
    at += cluster.text.length;
  }
  return at;
}

function after({ text, cursor }: TextBuffer): number {
  for (const cluster of clusters(text.slice(cursor, cursor + longestCluster))) return cursor + cluster.text.length;
  return cursor;
}

const longestCluster = 64;

function wordStart({ text, cursor }: TextBuffer): number {
  let at = cursor;
  while (at > 0 && !isOfWord(text, at - 1)) at -= 1;
  while (at > 0 && isOfWord(text, at - 1)) at -= 1;
  return wholeCluster(text, at);
}

function wordEnd({ text, cursor }: TextBuffer): number {
  let at = cursor;
  while (at < text.length && !isOfWord(text, at)) at += 1;
  while (at < text.length && isOfWord(text, at)) at += 1;
  return wholeCluster(text, at);
}

function isOfWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}_]/u.test(text.charAt(at));
}

/** The start of the cluster at `at`. */
function wholeCluster(text: string, at: number): number {
  return at === 0 || at === text.length
    ? at
    : after({ text, cursor: before({ text, cursor: at }) }) === at
      ? at
      : before({ text, cursor: at });
}

function lineStart({ text, cursor }: TextBuffer): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: TextBuffer): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}
