// The text of a notebook → the places of its cells, and the same text with one cell changed, in the style of the others.
import type { JsonObject } from '../../../base/json/index.ts';
import { ToolFailure } from '../shared/index.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface CellList {
  readonly text: string;
  /** After the bracket that opens the list. */
  readonly start: number;
  /** At the bracket that closes it. */
  readonly end: number;
  readonly cells: readonly Span[];
}

/** The text must be valid JSON: an object with a list `cells`. */
export function findCells(text: string): CellList {
  const scan = new Scan(text);
  scan.skip('{');
  let found: CellList | undefined;
  while (!scan.isAt('}')) {
    const key: unknown = JSON.parse(text.slice(scan.at, scan.skipValue()));
    scan.skip(':');
    // Of two equal keys the last one counts, as for JSON.parse.
    if (key === 'cells' && scan.isAt('[')) found = readList(scan);
    else scan.skipValue();
    if (scan.isAt(',')) scan.skip(',');
  }
  if (found === undefined) throw new ToolFailure('The notebook has no list of cells.');
  return found;
}

function readList(scan: Scan): CellList {
  scan.skip('[');
  const start = scan.at;
  const cells: Span[] = [];
  while (!scan.isAt(']')) {
    const from = scan.at;
    cells.push({ start: from, end: scan.skipValue() });
    if (scan.isAt(',')) scan.skip(',');
  }
  const end = scan.at;
  scan.skip(']');
  return { text: scan.text, start, end, cells };
}

export function replaceCell(list: CellList, index: number, cell: JsonObject): string {
  const { text, cells } = list;
  const span = cells[index];
  return span === undefined ? text : text.slice(0, span.start) + write(list, cell) + text.slice(span.end);
}

export function insertCell(list: CellList, index: number, cell: JsonObject): string {
  const { text, start, end, cells } = list;
  const [first, before] = [cells[0], cells[index - 1]];
  const blank = blankBefore(list);
  if (before !== undefined) return `${text.slice(0, before.end)},${blank}${write(list, cell)}${text.slice(before.end)}`;
  if (first !== undefined)
    return `${text.slice(0, first.start)}${write(list, cell)},${blank}${text.slice(first.start)}`;
  const close = blank.includes('\n') ? blank.slice(0, blank.length - indentOf(text).length) : '';
  return `${text.slice(0, start)}${blank}${write(list, cell)}${close}${text.slice(end)}`;
}

export function removeCell({ text, cells }: CellList, index: number): string {
  const [before, span, after] = [cells[index - 1], cells[index], cells[index + 1]];
  if (span === undefined) return text;
  if (after !== undefined) return text.slice(0, span.start) + text.slice(after.start);
  return text.slice(0, before?.end ?? span.start) + text.slice(span.end);
}

/** The line break and the indentation before a cell. */
function blankBefore({ text, cells }: CellList): string {
  const first = cells[0];
  if (first !== undefined) return /\s*$/.exec(text.slice(0, first.start))?.[0] ?? '';
  const indent = indentOf(text);
  return indent === '' ? '' : `\n${indent}${indent}`;
}

/** One step of indentation: that of the first key. */
function indentOf(text: string): string {
  return /^\s*\{\r?\n([ \t]*)/.exec(text)?.[1] ?? '';
}

function write(list: CellList, cell: JsonObject): string {
  const indent = indentOf(list.text);
  if (indent === '') return JSON.stringify(cell);
  const prefix = blankBefore(list).replace(/^.*\n/s, '');
  const lines = JSON.stringify(cell, null, indent).split('\n');
  return lines.join(list.text.includes('\r\n') ? `\r\n${prefix}` : `\n${prefix}`);
}

/** A place in valid JSON. */
class Scan {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
    this.#skipBlanks();
  }

  isAt(sign: string): boolean {
    return this.text[this.at] === sign;
  }

  skip(sign: string): void {
    if (!this.isAt(sign)) throw new ToolFailure(`The notebook is not valid JSON at character ${this.at}.`);
    this.at++;
    this.#skipBlanks();
  }

  /** Skips the value and the blanks after it, and returns the end of the value. */
  skipValue(): number {
    const signs = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]|[^\s",:[\]{}]+|[,:]|\s+/gy;
    signs.lastIndex = this.at;
    let depth = 0;
    do {
      const [sign] = signs.exec(this.text) ?? [''];
      if (sign === '') throw new ToolFailure(`The notebook is not valid JSON at character ${this.at}.`);
      if (sign === '[' || sign === '{') depth++;
      if (sign === ']' || sign === '}') depth--;
      this.at += sign.length;
    } while (depth > 0);
    const end = this.at;
    this.#skipBlanks();
    return end;
  }

  #skipBlanks(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }
}
