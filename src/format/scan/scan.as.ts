// Whole lines of a transcript → packed rows of usage, and what the lines say about their session. AssemblyScript.
// A line that is not ordinary is left to the JavaScript reader, which is the one definition of what a line means: escaped
// keys and ids, other forms of numbers and times, compactions, lines that are not one record.
import { byteAt } from './shared-json.as';
import { endOf, has, isPlain, isString, isTrue, lengthOf, startOf, walkRecord } from './shared-walk.as';

// Memory that the host reads or writes (line-scanner.ts). test/library/rows compares the field numbers with places.ts.
const RESULT: usize = 0x12200; // what the host reads after a scan
const ORIGINS: usize = 0x12400; // 8 × 64: length, id
const SESSION: usize = 0x12800; // the session's own id: length (u32), bytes
const MODELS: usize = 0x14000; // 256 × 64: length, name
const CWD: usize = 0x18000; // 16 KB
const ROWS: usize = 0x20000; // 1 MB
const HEAP: usize = 0x120000; // 2 MB: ids of the rows
const WINDOW: usize = 0x320000; // the bytes of the file

const fieldType: usize = 1;
const fieldUuid: usize = 3;
const fieldTimestamp: usize = 6;
const fieldSessionId: usize = 7;
const fieldCwd: usize = 9;
const fieldRequestId: usize = 11;
const fieldIsSidechain: usize = 14;
const fieldMessage: usize = 24;
const fieldRole: usize = 25;
const fieldMessageId: usize = 26;
const fieldModel: usize = 27;
const fieldStopReason: usize = 28;
const fieldUsage: usize = 31;
const fieldInputTokens: usize = 32;
const fieldOutputTokens: usize = 33;
const fieldCacheReadTokens: usize = 34;
const fieldCacheWriteTokens: usize = 35;
const fieldSpeed: usize = 36;
const fieldInferenceGeo: usize = 37;
const fieldServiceTier: usize = 38;
const fieldIterations: usize = 39;
const fieldSplit5mTokens: usize = 41;
const fieldSplit1hTokens: usize = 42;
const fieldWebSearches: usize = 44;
const fieldOriginSessionId: usize = 46;

// Flags of a row: as in packed-rows.ts.
const sidechainFlag: u32 = 1;
const fastFlag: u32 = 2;
const stopFlag: u32 = 4;
const copyFlag: u32 = 8;
const usOnlyFlag: u32 = 16;
const batchFlag: u32 = 32;
const syntheticFlag: u32 = 64;

const rowBytes: usize = 104;
const absent: u32 = 0xffffffff;
const maxIdBytes: usize = 250;
const maxCwdBytes: usize = 0x4000;

let line: u32 = 0;
let rowsEnd: usize = ROWS;
let heapEnd: usize = HEAP;
let models: u32 = 0;
let origins: u32 = 0;
let startedAt: f64 = Infinity;
let endedAt: f64 = -Infinity;
let firstAt: f64 = NaN;
/** Of the first line that names one: 0 while there is none. */
let cwdLength: u32 = 0;
let hasCwd: u32 = 0;
let sessionIdAt: usize = 0;
let sessionIdLength: usize = 0;
let hasSessionId: u32 = 0;
/** The current line is for the JavaScript reader. */
let isUnusual: bool = false;

/** Begins a file. The host has written the id of its session, if it knows it, to SESSION. */
export function begin(linesBefore: u32): void {
  line = linesBefore;
  origins = 0;
  startedAt = Infinity;
  endedAt = -Infinity;
  firstAt = NaN;
  hasCwd = 0;
  cwdLength = 0;
  hasSessionId = 0;
  sessionIdLength = 0;
  clearRows();
}

/** The host has taken the rows. */
export function clearRows(): void {
  rowsEnd = ROWS;
  heapEnd = HEAP;
  report();
}

/** The host has added rows up to here. */
export function setEnds(newRowsEnd: u32, newHeapEnd: u32): void {
  rowsEnd = newRowsEnd;
  heapEnd = newHeapEnd;
  report();
}

/** The host has read the current line itself. */
export function passLine(): void {
  line++;
  report();
}

/**
 * Reads the lines between `from` and `to`, which is after a newline. Returns `to`, or the start of a line that the host
 * must read, or for whose row there is no room.
 */
export function scan(from: usize, to: usize): usize {
  let p = from;
  while (p < to) {
    const next = walkRecord(p);
    if (next === 0 || isFull() || !addRecord()) break;
    p = next;
    line++;
  }
  report();
  return p;
}

/** There is no room for another row. */
export function isFull(): bool {
  return rowsEnd + rowBytes > HEAP || heapEnd + 4 * maxIdBytes > WINDOW;
}

/** In memory, because every global that the host reads costs a call. */
function report(): void {
  store<f64>(RESULT, startedAt);
  store<f64>(RESULT, endedAt, 8);
  store<f64>(RESULT, firstAt, 16);
  store<u32>(RESULT, <u32>rowsEnd, 24);
  store<u32>(RESULT, <u32>heapEnd, 28);
  store<u32>(RESULT, line, 32);
  store<u32>(RESULT, models, 36);
  store<u32>(RESULT, origins, 40);
  store<u32>(RESULT, hasCwd, 44);
  store<u32>(RESULT, cwdLength, 48);
  store<u32>(RESULT, hasSessionId, 52);
  store<u32>(RESULT, <u32>sessionIdAt, 56);
  store<u32>(RESULT, <u32>sessionIdLength, 60);
}

/** Whether the field is the string at `word`; a string with escapes is unusual. */
function equals(field: usize, word: usize, length: usize): bool {
  if (!isString(field)) return false;
  if (lengthOf(field) === length && memory.compare(startOf(field) + 1, word, length) === 0) return true;
  if (!isPlain(field)) isUnusual = true;
  return false;
}

const assistantWord = memory.data<u8>([0x61, 0x73, 0x73, 0x69, 0x73, 0x74, 0x61, 0x6e, 0x74]);
const fastWord = memory.data<u8>([0x66, 0x61, 0x73, 0x74]);
const usWord = memory.data<u8>([0x75, 0x73]);
const batchWord = memory.data<u8>([0x62, 0x61, 0x74, 0x63, 0x68]);
const syntheticWord = memory.data<u8>([0x3c, 0x73, 0x79, 0x6e, 0x74, 0x68, 0x65, 0x74, 0x69, 0x63, 0x3e]);

// Rows.

/** False if the line is for the JavaScript reader; then nothing has changed. */
function addRecord(): bool {
  isUnusual = false;
  const time = timeOf();
  const isCopy = hasOtherOrigin(fieldOriginSessionId);
  if (!isCopy) hasOtherOrigin(fieldSessionId);
  if (hasCwd === 0 && isString(fieldCwd) && lengthOf(fieldCwd) > maxCwdBytes) isUnusual = true;
  const isAnswer = equals(isString(fieldType) && lengthOf(fieldType) > 0 ? fieldType : fieldRole, assistantWord, 9);
  if (isUnusual || (isAnswer && isNested(fieldUsage) && !addAnswer(time, isCopy))) return false;
  if (isNaN(firstAt)) firstAt = time;
  if (time < startedAt) startedAt = time;
  if (time > endedAt) endedAt = time;
  if (hasCwd === 0 && isString(fieldCwd)) keepCwd();
  if (hasSessionId === 0 && isString(fieldSessionId)) {
    sessionIdAt = startOf(fieldSessionId) + 1;
    sessionIdLength = lengthOf(fieldSessionId);
    hasSessionId = 1;
  }
  return true;
}

function isNested(field: usize): bool {
  return has(field) && byteAt(startOf(field)) === 0x7b;
}

function keepCwd(): void {
  const length = lengthOf(fieldCwd);
  memory.copy(CWD, startOf(fieldCwd) + 1, length);
  cwdLength = <u32>length;
  hasCwd = 1;
}

function addAnswer(time: f64, isCopy: bool): bool {
  const input = max<f64>(0, countOf(fieldInputTokens));
  const output = max<f64>(0, countOf(fieldOutputTokens));
  const read = max<f64>(0, countOf(fieldCacheReadTokens));
  const written = max<f64>(0, countOf(fieldCacheWriteTokens));
  const split5m = countOf(fieldSplit5mTokens);
  const written1h = max<f64>(0, countOf(fieldSplit1hTokens));
  const searches = max<f64>(0, countOf(fieldWebSearches));
  // As makeUsage in format/entry/usage.ts.
  let written5m = split5m < 0 ? max<f64>(0, written - written1h) : split5m;
  if (written5m === 0 && written1h === 0) written5m = written;
  const model = modelNumber();
  const hasId = isString(fieldMessageId);
  let flags: u32 = model << 8;
  if (isTrue(fieldIsSidechain)) flags |= sidechainFlag;
  if (equals(fieldSpeed, fastWord, 4)) flags |= fastFlag;
  if (equals(fieldInferenceGeo, usWord, 2)) flags |= usOnlyFlag;
  if (equals(fieldServiceTier, batchWord, 5)) flags |= batchFlag;
  if (isString(fieldStopReason)) flags |= stopFlag;
  if (isCopy) flags |= copyFlag;
  if (equals(fieldModel, syntheticWord, 11)) flags |= syntheticFlag;
  if (isUnusual || mayHaveCompaction() || !isId(fieldMessageId) || !isId(fieldRequestId)) return false;
  if (!hasId && !isId(fieldUuid)) return false;
  let row = rowsEnd;
  if (hasId && rowsEnd > ROWS && isSameResponse(rowsEnd - rowBytes, flags)) {
    // Of the lines of a response, which follow one another, only the largest is kept; the counting rule would drop the others.
    row = rowsEnd - rowBytes;
    const old = load<u32>(row, 12);
    const oldOutput = load<f64>(row, 24);
    const isZero = input + read + written5m + written1h === 0;
    const wasZero = load<f64>(row, 16) + load<f64>(row, 32) + load<f64>(row, 40) + load<f64>(row, 48) === 0;
    if (output !== oldOutput ? output < oldOutput : isZero && !wasZero) {
      store<u32>(row, old | (flags & stopFlag), 12);
      return true;
    }
    flags |= old & stopFlag;
  } else {
    keepId(row + 72, fieldMessageId);
    keepId(row + 80, fieldRequestId);
    if (hasId) store<u32>(row, absent, 92);
    else keepId(row + 88, fieldUuid);
    store<u32>(row, absent, 100);
    const key = hasId ? fieldMessageId : fieldUuid;
    store<u64>(row, isString(key) ? hash(startOf(key) + 1, lengthOf(key), hasId ? 0 : 1) : 0, 64);
    rowsEnd += rowBytes;
  }
  store<f64>(row, time);
  store<u32>(row, line + 1, 8);
  store<u32>(row, flags, 12);
  store<f64>(row, input, 16);
  store<f64>(row, output, 24);
  store<f64>(row, read, 32);
  store<f64>(row, written5m, 40);
  store<f64>(row, written1h, 48);
  store<f64>(row, searches, 56);
  return true;
}

/** The number, -1 if it is absent. */
function countOf(field: usize): f64 {
  if (!has(field)) return -1;
  const end = endOf(field);
  let p = startOf(field);
  if (end - p > 15) isUnusual = true;
  let value: u64 = 0;
  for (; p < end; p++) {
    const digit = byteAt(p) - 0x30;
    if (digit > 9) isUnusual = true;
    value = value * 10 + digit;
  }
  return <f64>value;
}

/** A list that is not empty may contain a compaction; most lists have one iteration, of another type. */
function mayHaveCompaction(): bool {
  if (!has(fieldIterations)) return false;
  const end = endOf(fieldIterations);
  for (let p = startOf(fieldIterations); p + 10 <= end; p++) {
    const byte = byteAt(p);
    if (byte === 0x5c) return true;
    // c o m p a c t i: as a little-endian word
    if (byte === 0x63 && load<u64>(p) === 0x697463_61706d6f63) return true;
  }
  return false;
}

/** Absent, or a plain string of a usual length. */
function isId(field: usize): bool {
  return !isString(field) || (lengthOf(field) <= maxIdBytes && isPlain(field));
}

/** The place of the string in the heap: offset and length. */
function keepId(to: usize, field: usize): void {
  if (!isString(field)) {
    store<u32>(to, absent, 4);
    return;
  }
  const length = lengthOf(field);
  memory.copy(heapEnd, startOf(field) + 1, length);
  store<u32>(to, <u32>(heapEnd - HEAP));
  store<u32>(to, <u32>length, 4);
  heapEnd += length;
}

/** Rows with compactions are the host's, and lines are not merged with them. */
function isSameResponse(row: usize, flags: u32): bool {
  const different = (load<u32>(row, 12) ^ flags) & (sidechainFlag | copyFlag | syntheticFlag);
  return (
    different === 0 &&
    load<u32>(row, 100) === absent &&
    isKept(row + 72, fieldMessageId) &&
    isKept(row + 80, fieldRequestId)
  );
}

function isKept(at: usize, field: usize): bool {
  const length = load<u32>(at, 4);
  if (!isString(field)) return length === absent;
  return <usize>length === lengthOf(field) && memory.compare(HEAP + load<u32>(at), startOf(field) + 1, length) === 0;
}

/** 64 bits of an id. Ids with the same bits are compared in full by the counting rule. Never 0. */
export function hash(p: usize, length: usize, seed: u64): u64 {
  let h: u64 = 0x9e3779b97f4a7c15 ^ seed ^ (<u64>length * 0xff51afd7ed558ccd);
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) {
    h = (h ^ load<u64>(p + i)) * 0xff51afd7ed558ccd;
    h ^= h >> 32;
  }
  let rest: u64 = 0;
  for (; i < length; i++) rest = (rest << 8) | load<u8>(p + i);
  h = (h ^ rest) * 0xc4ceb9fe1a85ec53;
  h ^= h >> 33;
  h *= 0xff51afd7ed558ccd;
  h ^= h >> 29;
  return h === 0 ? 1 : h;
}

/** The number of the record's model, from 1; 0 if there is none. */
function modelNumber(): u32 {
  if (!isString(fieldModel)) return 0;
  if (!isPlain(fieldModel)) isUnusual = true;
  const found = isUnusual ? 0 : findModel(startOf(fieldModel) + 1, lengthOf(fieldModel));
  if (found === 0) isUnusual = true;
  return found;
}

let lastModel: u32 = 0;

/** The number of a name, which is added if it is new; 0 if there is no room for it. */
export function findModel(name: usize, length: usize): u32 {
  if (length > 63) return 0;
  if (lastModel !== 0 && isModel(lastModel, name, length)) return lastModel;
  for (let i: u32 = 1; i <= models; i++) {
    if (!isModel(i, name, length)) continue;
    lastModel = i;
    return i;
  }
  if (models === 255) return 0;
  models++;
  const at = MODELS + ((<usize>models) << 6);
  store<u8>(at, <u8>length);
  memory.copy(at + 1, name, length);
  lastModel = models;
  return models;
}

function isModel(number: u32, name: usize, length: usize): bool {
  const at = MODELS + ((<usize>number) << 6);
  return <usize>load<u8>(at) === length && memory.compare(at + 1, name, length) === 0;
}

/** Whether the field names another session than that of the file; the host learns which. */
function hasOtherOrigin(field: usize): bool {
  const own = load<u32>(SESSION);
  if (own === 0 || !isString(field) || lengthOf(field) === 0) return false;
  const id = startOf(field) + 1;
  const length = lengthOf(field);
  if (<usize>own === length && memory.compare(SESSION + 4, id, length) === 0) return false;
  for (let i: u32 = 0; i < origins; i++) {
    const at = ORIGINS + ((<usize>i) << 6);
    if (<usize>load<u8>(at) === length && memory.compare(at + 1, id, length) === 0) return true;
  }
  if (origins === 8 || length > 63 || !isPlain(field)) isUnusual = true;
  else {
    const at = ORIGINS + ((<usize>origins) << 6);
    store<u8>(at, <u8>length);
    memory.copy(at + 1, id, length);
    origins++;
  }
  return true;
}

// Times such as 2026-03-01T12:00:00.000Z, as isoTime in spans.ts; all others are unusual.

/** By month; February 29 is unusual. */
const monthDays = memory.data<u8>([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);

function timeOf(): f64 {
  if (!isString(fieldTimestamp)) return NaN;
  const p = startOf(fieldTimestamp) + 1;
  const year = digits(p) * 100 + digits(p + 2);
  const month = digits(p + 5);
  const day = digits(p + 8);
  const hour = digits(p + 11);
  const minute = digits(p + 14);
  const second = digits(p + 17);
  const milliseconds = digits(p + 20) * 10 + (byteAt(p + 22) - 0x30);
  const isUsual =
    lengthOf(fieldTimestamp) === 24 &&
    byteAt(p + 4) === 0x2d &&
    byteAt(p + 7) === 0x2d &&
    byteAt(p + 10) === 0x54 &&
    byteAt(p + 13) === 0x3a &&
    byteAt(p + 16) === 0x3a &&
    byteAt(p + 19) === 0x2e &&
    byteAt(p + 23) === 0x5a &&
    byteAt(p + 22) - 0x30 <= 9 &&
    year >= 1970 &&
    year <= 9999 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= <u32>load<u8>(monthDays + month) &&
    hour < 24 &&
    minute < 60 &&
    second < 60 &&
    milliseconds <= 999;
  if (!isUsual) {
    isUnusual = true;
    return NaN;
  }
  const days: i64 = daysBefore(year, month) + day - 1;
  return <f64>((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milliseconds);
}

/** The number of two digits; a large one if they are not digits. */
function digits(p: usize): u32 {
  const tens = byteAt(p) - 0x30;
  const ones = byteAt(p + 1) - 0x30;
  return tens > 9 || ones > 9 ? 100000 : tens * 10 + ones;
}

/** Days from 1970-01-01 to the first of the month (the calendar of every ISO date). */
function daysBefore(year: u32, month: u32): u32 {
  // Years that begin in March, so that a leap day is the last day of its year.
  const y = month <= 2 ? year - 1 : year;
  const m = month <= 2 ? month + 9 : month - 3;
  return y * 365 + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 - 719468;
}
