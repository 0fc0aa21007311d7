// One pass over the bytes of a record notes the positions of its members and decodes none of them: most readers need
// three of forty. The positions are module state, valid until the next record is walked, because allocations for
// millions of members would cost more than the scan.

import { parseJson } from '../../base/json/index.ts';
import { decodeString, skipScalar, skipString, skipValue, skipWhitespace } from '../bytes/index.ts';
import {
  blockPlace,
  field,
  fieldCount,
  fields,
  insides,
  keyNumber,
  lastInside,
  placeWidth,
  recordPlace,
} from './places.ts';

const slots = 256;
const slotBytes = 96;
const copies = new Uint8Array(slots * slotBytes);
const lengths = new Int32Array(slots).fill(-1);
const texts: string[] = new Array(slots).fill('');

/** The string between two quotes, remembered or decoded. */
function recall(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > slotBytes || length < 2) return stringAt(bytes, start, end);
  // Ids, versions and types often differ only in their last bytes.
  const slot = (length * 13 + (bytes[end - 1] as number) * 7 + (bytes[end - 2] as number)) & (slots - 1);
  const at = slot * slotBytes;
  if (lengths[slot] === length) {
    let i = length - 1;
    while (i >= 0 && copies[at + i] === bytes[start + i]) i--;
    if (i < 0) return texts[slot] as string;
  }
  const text = stringAt(bytes, start, end);
  for (let i = 0; i < length; i++) copies[at + i] = bytes[start + i] as number;
  lengths[slot] = length;
  texts[slot] = text;
  return text;
}

/** Decodes the string between two quotes. */
export function stringAt(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end);
  if (!raw.includes('\\')) return raw;
  const value = parseJson(`"${raw}"`);
  return typeof value === 'string' ? value : raw;
}

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

/** The time of the walked record. */
export function timeOf(bytes: Buffer): number {
  if (!isString(bytes, field.timestamp)) return Number.NaN;
  return isoTime(bytes, startOf(field.timestamp) + 1, endOf(field.timestamp) - 1);
}

/** Milliseconds since 1970 of the JSON string between `start` and `end`, or `NaN`. */
export function isoTime(bytes: Buffer, start: number, end: number): number {
  if (end - start === 24 && hasIsoMarks(bytes, start)) {
    const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
    const month = twoDigits(bytes, start + 5);
    const day = twoDigits(bytes, start + 8);
    const hour = twoDigits(bytes, start + 11);
    const minute = twoDigits(bytes, start + 14);
    const second = twoDigits(bytes, start + 17);
    const hundredths = twoDigits(bytes, start + 20);
    const last = (bytes[start + 22] as number) - zero;
    // Date.parse decides on leap days and seconds, impossible days and characters that are not digits.
    const lastDay = month >= 1 && month <= 12 ? (monthDays[month] as number) : 0;
    const isPlain = year >= 1970 && day >= 1 && day <= lastDay && hour < 24 && minute < 60;
    if (
      isPlain &&
      hour >= 0 &&
      minute >= 0 &&
      second >= 0 &&
      second < 60 &&
      hundredths >= 0 &&
      last >= 0 &&
      last <= 9
    ) {
      return dayTime(year, month, day) + ((hour * 60 + minute) * 60 + second) * 1000 + hundredths * 10 + last;
    }
  }
  return Date.parse(decodeString(bytes, start - 1) ?? '');
}

const zero = 0x30;
/** By month; February 29 is left to Date.parse. */
const monthDays = new Uint8Array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);

function hasIsoMarks(bytes: Buffer, at: number): boolean {
  if (bytes[at + 4] !== 0x2d || bytes[at + 7] !== 0x2d || bytes[at + 10] !== 0x54) return false; // - - T
  if (bytes[at + 13] !== 0x3a || bytes[at + 16] !== 0x3a) return false; // : :
  return bytes[at + 19] === 0x2e && bytes[at + 23] === 0x5a; // . Z
}

/** The number of two digits, or a negative one if they are not digits. */
function twoDigits(bytes: Buffer, at: number): number {
  const tens = (bytes[at] as number) - zero;
  const ones = (bytes[at + 1] as number) - zero;
  return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1_000_000 : tens * 10 + ones;
}

// Neighbouring lines nearly always have the same day.
let knownDay = 0;
let knownDayTime = 0;

function dayTime(year: number, month: number, day: number): number {
  const key = (year * 100 + month) * 100 + day;
  if (key !== knownDay) {
    knownDay = key;
    knownDayTime = Date.UTC(year, month - 1, day);
  }
  return knownDayTime;
}
