// How new values look in JSON that is edited: without any white space, or like the lines around them, as in a file that
// people write.
import type { JsonValue } from '../../base/json/index.ts';
import { isWhitespace, skipWhitespace } from './json-bytes.ts';

/** Bytes to replace. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A new member, or a new element, which has no key. */
export interface Added {
  readonly key: string | undefined;
  readonly value: JsonValue;
}

/** Positions refer to the bytes before the edit; `open` is that of the bracket of the container. */
export interface Layout {
  /** A value that replaces the one at `start`. */
  valueAt(start: number, value: JsonValue): string;
  /** What follows an item that stays; empty if nothing is added. */
  after(open: number, itemStart: number, added: readonly Added[]): string;
  /** Fills a container whose items, from `start` to `end`, are all removed, or that has none. */
  fill(open: number, start: number, end: number, added: readonly Added[]): Splice;
}

export const compactLayout: Layout = {
  valueAt: (_, value) => JSON.stringify(value),
  after: (_open, _item, added) => added.map((each) => `,${compactText(each)}`).join(''),
  fill: (_, start, end, added) => ({ start, end, text: added.map(compactText).join(',') }),
};

function compactText({ key, value }: Added): string {
  return key === undefined ? JSON.stringify(value) : `${JSON.stringify(key)}:${JSON.stringify(value)}`;
}

/** Items on lines of their own get new items on lines of their own, with the same indentation and line ends. */
export function layoutLike(bytes: Buffer): Layout {
  const text = bytes.toString('latin1');
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n';
  const unit = /^\s*\{\s*?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  // An empty file has no layout of its own.
  const hasLines = /\n/.test(text.trim()) || /^\s*\{\s*\}\s*$/.test(text);
  const lineIndent = (position: number): string => {
    const line = text.slice(text.lastIndexOf('\n', position - 1) + 1, position);
    return /^[ \t]*/.exec(line)?.[0] ?? '';
  };
  const spread = (value: JsonValue, indent: string): string =>
    JSON.stringify(value, null, unit).replaceAll('\n', `${newline}${indent}`);
  const spreadItem = ({ key, value }: Added, indent: string): string =>
    `${newline}${indent}${key === undefined ? '' : `${JSON.stringify(key)}: `}${spread(value, indent)}`;
  return {
    valueAt: (start, value) => (hasLines ? spread(value, lineIndent(start)) : JSON.stringify(value)),
    after: (open, itemStart, added) => {
      const gap = gapBefore(bytes, itemStart);
      if (text.slice(gap, itemStart).includes('\n')) {
        const indent = lineIndent(itemStart);
        return added.map((each) => `,${spreadItem(each, indent)}`).join('');
      }
      // A single item follows its bracket: `{ "a": 1 }` or `{"a":1}` says nothing about the space after a comma.
      const space = gap === open + 1 ? (isSpaced(text, itemStart) ? ' ' : '') : text.slice(gap, itemStart);
      return added
        .map((each) => `,${space}${isSpaced(text, itemStart) ? spacedText(each) : compactText(each)}`)
        .join('');
    },
    fill: (open, _start, end, added) => {
      const gap = { start: open + 1, end: skipWhitespace(bytes, end) };
      if (added.length === 0 || !hasLines) return { ...gap, text: added.map(compactText).join(',') };
      const indent = lineIndent(open);
      const items = added.map((each) => spreadItem(each, indent + unit)).join(',');
      return { ...gap, text: `${items}${newline}${indent}` };
    },
  };
}

function spacedText({ key, value }: Added): string {
  return key === undefined ? JSON.stringify(value) : `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
}

/** Whether a space follows the colon of the member at `start`. */
function isSpaced(text: string, start: number): boolean {
  return /^"(?:[^"\\]|\\.)*"\s*:\s/.test(text.slice(start));
}

function gapBefore(bytes: Buffer, position: number): number {
  let start = position;
  while (isWhitespace(bytes[start - 1] ?? 0)) start--;
  return start;
}
