// One pass over the bytes of a record notes where the members stand that anybody asks for, and decodes none of them:
// most readers want three of forty. The places are module state instead of an object, good until the next record is
// walked, because a library has millions of members and an allocation for each is what the lazy look avoids.
import { recall, stringAt } from './byte-memo.ts';
import { skipScalar, skipString, skipValue, skipWhitespace } from './json-bytes.ts';
import { keyNumber } from './keys.ts';
import { blockPlace, field, fieldCount, fields, insides, lastInside, placeWidth, recordPlace } from './places.ts';

/** From the first byte of a value to behind its last; a start of 0 means that there is none. */
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

/** Whether the bytes are one whole JSON object (blank, torn, joined or no JSON are not). */
export function walkRecord(bytes: Buffer): boolean {
  starts.fill(0);
  blockCount = strayCount = 0;
  isBeside = false;
  const start = skipWhitespace(bytes, 0);
  if (bytes[start] !== openBrace) return false;
  const end = walkObject(bytes, start, recordPlace);
  if (end < 0 || skipWhitespace(bytes, end) !== bytes.length) return false;
  if (starts[field.contentBeside] !== 0) lookBeside(bytes);
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

/** An object or a list that is looked for. */
function walkInside(bytes: Buffer, at: number, found: number): number {
  forgetInside(found);
  if (found === field.content) return bytes[at] === openBracket ? walkBlocks(bytes, at) : skipValue(bytes, at);
  const place = insides[found] as number;
  return place === 0 || bytes[at] !== openBrace ? skipValue(bytes, at) : walkObject(bytes, at, place);
}

/** Of a repeated key the last value counts: nothing of the one before it may be left. */
function forgetInside(found: number): void {
  for (let i = found + 1; i <= (lastInside[found] as number); i++) starts[i] = 0;
  if (found === field.content || found === field.message) blockCount = strayCount = 0;
}

function escapedKey(bytes: Buffer, start: number, end: number): number {
  const spelled = Buffer.from(stringAt(bytes, start, end));
  return keyNumber(spelled, 0, spelled.length);
}

/** How many blocks the content has, and how many elements that are none. */
export let blockCount = 0;
export let strayCount = 0;
/** The content stands on the record itself instead of in its message. */
export let isBeside = false;

/** Of every block its fields from `blockType` on, start and end. */
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
function lookBeside(bytes: Buffer): void {
  const at = starts[field.contentBeside] as number;
  if (isObject(bytes, field.message) || !isSpoken(textOf(bytes, field.type))) return;
  if (bytes[at] === openBracket) walkBlocks(bytes, at);
  isBeside = strayCount === 0 && (bytes[at] === openBracket || bytes[at] === quote);
  if (!isBeside) blockCount = strayCount = 0;
}

function isSpoken(kind: string | undefined): boolean {
  return kind === 'user' || kind === 'assistant';
}

/** From now on the fields from `blockType` on are those of this block. */
export function selectBlock(index: number): void {
  let from = index * blockWidth;
  for (let i = firstBlockField; i < fieldCount; i++) {
    starts[i] = blocks[from++] as number;
    ends[i] = blocks[from++] as number;
  }
}

/** Where the value begins, 0 where there is none. */
export function startOf(number: number): number {
  return starts[number] as number;
}

/** Behind the value; only where it has a start. */
export function endOf(number: number): number {
  return ends[number] as number;
}

/** The string that the field is; `undefined` for any other kind of value. */
export function textOf(bytes: Buffer, number: number): string | undefined {
  const start = starts[number] as number;
  if (start === 0 || bytes[start] !== quote) return undefined;
  return recall(bytes, start + 1, (ends[number] as number) - 1);
}

/** Several at once. Each call of `textOf` is compiled into its place in full; a loop has one. */
export function textsOf(bytes: Buffer, numbers: readonly number[], texts: (string | undefined)[]): void {
  for (let i = 0; i < numbers.length; i++) texts[i] = textOf(bytes, numbers[i] as number);
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
