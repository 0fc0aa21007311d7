// Safe text with a known width, for tables and lines. Every function takes linear time.
import { clusters } from './clusters.ts';
import { neutralise } from './hostile-text.ts';

/** The text on one line: neutralised, whitespace collapsed, cut with `…` to `width` columns. */
export function oneLine(text: string, width: number): string {
  return truncate(neutralise(text).replace(/\s+/g, ' ').trim(), width);
}

/** The width of one line on a terminal; colours and tabs count as 0. */
export function displayWidth(text: string): number {
  const plain = text.includes('\x1b') ? text.replace(/\x1b\[[0-9;]*m/g, '') : text;
  if (!/[^ -~]/.test(plain)) return plain.length;
  let width = 0;
  for (const cluster of clusters(plain)) width += cluster.width;
  return width;
}

/** Cuts one uncoloured line to `width` columns, ending in `…`; reads only as far as the cut. */
export function truncate(text: string, width: number): string {
  if (width <= 0) return '';
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
