// Safe text with a known width, for tables and lines. Every function takes linear time.

import stringWidth from 'string-width';
import { neutralise } from './hostile-text.ts';
import { emojiWidth, plainWidth } from './plain-width.ts';

/** The text on one line: neutralised, whitespace collapsed, cut with `…` to `width` columns. */
export function oneLine(text: string, width: number): string {
  const head = text.slice(0, width + 1);
  if (isOneLine(head)) return truncate(head, width);
  return truncate(neutralise(text).replace(/\s+/g, ' ').trim(), width);
}

/** Whether nothing in it would change, nor at its end because of what follows. */
function isOneLine(head: string): boolean {
  return !head.startsWith(' ') && !head.endsWith(' ') && !/[^ -~]| {2}/.test(head);
}

/** The width of one line on a terminal; colours and tabs count as 0. */
export function displayWidth(text: string): number {
  const plain = text.includes('\x1b') ? text.replace(/\x1b\[[0-9;]*m/g, '') : text;
  return /[^ -~]/.test(plain) ? columnsWithin(plain, Number.POSITIVE_INFINITY) : plain.length;
}

/** `Math.min(displayWidth(text), limit)` of an uncoloured line; reads only as far as the limit. */
export function displayWidthWithin(text: string, limit: number): number {
  const head = text.slice(0, limit);
  return /[^ -~]/.test(head) ? Math.min(columnsWithin(text, limit), limit) : head.length;
}

function columnsWithin(text: string, limit: number): number {
  let width = 0;
  let at = 0;
  while (at < text.length && width < limit) {
    const simple = simpleWidth(text, at);
    if (simple > 0) {
      width += simple;
      at += 1;
      continue;
    }
    const window = windowClusters(text, at);
    let next = window.next();
    for (; next.done !== true; next = window.next()) width += next.value.width;
    at = next.value;
  }
  return width;
}

/** Cuts one uncoloured line to `width` columns, ending in `…`; reads only as far as the cut. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return '';
  if (width === Number.POSITIVE_INFINITY) return text;
  const head = text.slice(0, width + 1);
  // A fast path for ASCII.
  if (!/[^ -~]/.test(head)) return head.length <= width ? head : `${head.slice(0, width - 1)}…`;
  let used = 0;
  let kept = 0;
  for (const { text: cluster, width: columns } of clusters(text)) {
    used += columns;
    if (used > width) return `${text.slice(0, kept)}…`;
    if (used <= width - 1) kept += cluster.length;
  }
  return text;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

export interface Cluster {
  readonly text: string;
  readonly width: number;
}

export function* clusters(text: string): Generator<Cluster> {
  let at = 0;
  while (at < text.length) {
    const simple = simpleWidth(text, at);
    if (simple > 0) {
      yield { text: text.charAt(at), width: simple };
      at += 1;
      continue;
    }
    at = yield* windowClusters(text, at);
  }
}

/** Longer clusters are split: real ones are shorter, and a letter may have a million accents. */
export const longestCluster = 64;
/** Created on first use, because it takes milliseconds and most texts need none. */
let segmenter: Intl.Segmenter | undefined;

/** The clusters of a window that starts at `at`, except the last one, which may continue after the window. */
function* windowClusters(text: string, at: number): Generator<Cluster, number> {
  let end = Math.min(text.length, at + longestCluster);
  if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  for (const { segment, index } of segmenter.segment(text.slice(at, end))) {
    const start = at + index;
    if (start > at && start + segment.length === end && end < text.length) return start;
    yield { text: segment, width: clusterWidth(segment) };
  }
  return end;
}

/** The same few clusters make up most of a text, and string-width takes microseconds for each. */
function clusterWidth(cluster: string): number {
  let width = knownWidths.get(cluster);
  if (width !== undefined) return width;
  width = emojiWidth(cluster) || stringWidth(cluster);
  if (knownWidths.size === 4096) knownWidths.clear();
  knownWidths.set(cluster, width);
  return width;
}

const knownWidths = new Map<string, number>();

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** The width of a character that is certainly a whole cluster, otherwise 0. */
function simpleWidth(text: string, at: number): number {
  const width = plainWidth(text.charCodeAt(at));
  if (width === 0 || at + 1 === text.length) return width;
  return plainWidth(text.charCodeAt(at + 1)) > 0 ? width : 0;
}
