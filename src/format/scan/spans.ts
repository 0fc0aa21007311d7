// One pass over the bytes of a record notes the positions of its members and decodes none of them: most readers need
// three of forty. The positions are module state, valid until the next record is walked, because allocations for
// millions of members would cost more than the scan.

import { skipScalar, skipString, skipValue, skipWhitespace } from '../bytes/json-bytes.ts';
import { recall, stringAt } from './byte-memo.ts';
import { keyNumber } from './keys.ts';
import { blockPlace, field, fieldCount, fields, insides, lastInside, placeWidth, recordPlace } from './places.ts';

/** From the first byte of a value to the byte after it; a start of 0 means that it is absent. */
const starts = new Int32Array(fieldCount);
const ends = new Int32Array(fieldCount);
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;

/** Whether the bytes are exactly one complete JSON object. */
export function walkRecord(bytes: Buffer): boolean {
  starts.fill(0);
  blockCount = strayCount = 0;
  isOnRecord = false;
  const start = skipWhitespace(bytes, 0);
  if (bytes[start] !== openBrace) return false;
  const end = walkObject(bytes, start, recordPlace);
  if (end < 0 || skipWhitespace(bytes, end) !== bytes.length) return false;
  if (starts[field.contentOnRecord] !== 0) readContentOnRecord(bytes);
  return true;
}

function walkObject(bytes: Buffer, at: number, place: number): number {
  let i = at + 1;
  for (let first = true; ; first = false) {
    if ((bytes[i] as number) <= 0x20) i = skipWhitespace(bytes, i);
    if (bytes[i] === closeBrace) return i + 1;
    if (!first) {
      if (bytes[i] !== comma) return -1;
      i++;
      if ((bytes[i] as number) <= 0x20) i = skipWhitespace(bytes, i);
    }
    if (bytes[i] !== quote) return -1;
    const keyStart = ++i;
    let byte = bytes[i];
    while (byte !== quote && byte !== backslash && byte !== undefined) byte = bytes[++i];
    let number = 0;
    if (byte === quote) number = keyNumber(bytes, keyStart, i);
    else {
      i = skipString(bytes, keyStart - 1) - 1;
      if (i < 0) return -1;
      number = escapedKey(bytes, keyStart, i);
    }
    i++;
    if ((bytes[i] as number) <= 0x20) i = skipWhitespace(bytes, i);
    if (bytes[i] !== colon) return -1;
    i++;
    if ((bytes[i] as number) <= 0x20) i = skipWhitespace(bytes, i);
    const found = fields[place * placeWidth + number] as number;
    const value = i;
    byte = bytes[value];
    if (byte === quote) i = skipString(bytes, value);
    else if (byte !== openBrace && byte !== openBracket) i = skipScalar(bytes, value);
    else i = found === 0 ? skipValue(bytes, value) : walkInside(bytes, value, found);
    if (i < 0) return -1;
    if (found === 0) continue;
    if (byte !== openBrace && byte !== openBracket && lastInside[found] !== 0) forgetInside(found);
    starts[found] = value;
    ends[found] = i;
  }
}

/** An object or a list with noted members. */
function walkInside(bytes: Buffer, at: number, found: number): number {
  forgetInside(found);
  if (found === field.content) return bytes[at] === openBracket ? walkBlocks(bytes, at) : skipValue(bytes, at);
  const place = insides[found] as number;
  return place === 0 || bytes[at] !== openBrace ? skipValue(bytes, at) : walkObject(bytes, at, place);
}

/** The last value of a repeated key counts, so members of an earlier one are cleared. */
function forgetInside(found: number): void {
  for (let i = found + 1; i <= (lastInside[found] as number); i++) starts[i] = 0;
  if (found === field.content || found === field.message) blockCount = strayCount = 0;
}

function escapedKey(bytes: Buffer, start: number, end: number): number {
  const spelled = Buffer.from(stringAt(bytes, start, end));
  return keyNumber(spelled, 0, spelled.length);
}

/** The number of blocks in the content, and of elements that are not blocks. */
export let blockCount = 0;
export let strayCount = 0;
/** The content is on the record instead of in its message. */
export let isOnRecord = false;

/** The start and end of the fields of every block, from `blockType`. */
let blocks = new Int32Array(256);
const firstBlockField = field.blockType;
const blockWidth = 2 * (fieldCount - firstBlockField);

function walkBlocks(bytes: Buffer, at: number): number {
  let i = skipWhitespace(bytes, at + 1);
  if (bytes[i] === closeBracket) return i + 1;
  for (;;) {
    if (bytes[i] === openBrace) i = walkBlock(bytes, i);
    else {
      strayCount++;
      i = skipValue(bytes, i);
    }
    if (i < 0) return -1;
    i = skipWhitespace(bytes, i);
    if (bytes[i] === closeBracket) return i + 1;
    if (bytes[i] !== comma) return -1;
    i = skipWhitespace(bytes, i + 1);
  }
}

function walkBlock(bytes: Buffer, at: number): number {
  for (let i = firstBlockField; i < fieldCount; i++) starts[i] = 0;
  const end = walkObject(bytes, at, blockPlace);
  let to = blockCount++ * blockWidth;
  if (to + blockWidth > blocks.length) blocks = doubled(blocks);
  for (let i = firstBlockField; i < fieldCount; i++) {
    blocks[to++] = starts[i] as number;
    blocks[to++] = ends[i] as number;
  }
  return end;
}

function doubled(list: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(list.length * 2);
  larger.set(list);
  return larger;
}

/** The content of a user or assistant line that has no message. */
function readContentOnRecord(bytes: Buffer): void {
  const at = starts[field.contentOnRecord] as number;
  if (isObject(bytes, field.message) || !isSpoken(stringField(bytes, field.type))) return;
  if (bytes[at] === openBracket) walkBlocks(bytes, at);
  isOnRecord = strayCount === 0 && (bytes[at] === openBracket || bytes[at] === quote);
  if (!isOnRecord) blockCount = strayCount = 0;
}

function isSpoken(kind: string | undefined): boolean {
  return kind === 'user' || kind === 'assistant';
}

/** Makes the fields from `blockType` those of this block. */
export function selectBlock(index: number): void {
  let from = index * blockWidth;
  for (let i = firstBlockField; i < fieldCount; i++) {
    starts[i] = blocks[from++] as number;
    ends[i] = blocks[from++] as number;
  }
}

/** The start of the value, 0 if it is absent. */
export function startOf(number: number): number {
  return starts[number] as number;
}

/** The position after the value, if it has a start. */
export function endOf(number: number): number {
  return ends[number] as number;
}

/** The value of a string field; `undefined` for any other value. */
export function stringField(bytes: Buffer, number: number): string | undefined {
  const start = starts[number] as number;
  if (start === 0 || bytes[start] !== quote) return undefined;
  return recall(bytes, start + 1, (ends[number] as number) - 1);
}

/** Several at once: V8 inlines every call of `stringField`, and a loop has only one. */
export function stringFields(bytes: Buffer, numbers: readonly number[], texts: (string | undefined)[]): void {
  for (let i = 0; i < numbers.length; i++) texts[i] = stringField(bytes, numbers[i] as number);
}

export function isTrue(bytes: Buffer, number: number): boolean {
  const start = starts[number] as number;
  return start !== 0 && bytes[start] === 0x74; // t
}

export function isNull(bytes: Buffer, number: number): boolean {
  const start = starts[number] as number;
  return start !== 0 && bytes[start] === 0x6e; // n
}

export function isString(bytes: Buffer, number: number): boolean {
  const start = starts[number] as number;
  return start !== 0 && bytes[start] === quote;
}

export function isObject(bytes: Buffer, number: number): boolean {
  const start = starts[number] as number;
  return start !== 0 && bytes[start] === openBrace;
}
