// Removes one layer of escaping from a text: the same units as `encoded` in view.ts, decoded in the same way.
import { out, setNotPlain, setOut } from './shared-memory.as';
import { hexDigit, hexUnit, pairCode, plainOf, surrogateSize, writeCode } from './shared-string.as';

/** Half of a surrogate pair, which UTF-8 cannot express. */
export const isRefused: i32 = -1;
export const isUnchanged: i32 = 0;
export const isDecoded: i32 = 1;

let unitEnd: usize = 0;
let unitCode: i32 = 0;

const nothing: i32 = -2;
const half: i32 = -3;

/** Writes the decoded text to `out`, if there is a unit. */
export function decodeLayer(start: usize, end: usize): i32 {
  const slash = i8x16.splat(0x5c);
  const percent = i8x16.splat(0x25);
  const escape = i8x16.splat(0x1b);
  const ampersand = i8x16.splat(0x26);
  let hasMark = false;
  let hasUnit = false;
  let at = start;
  let copied = start;
  let to = out;
  while (at < end) {
    const bytes = v128.load(at);
    const found = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(bytes, slash), i8x16.eq(bytes, percent)),
        v128.or(i8x16.eq(bytes, escape), i8x16.eq(bytes, ampersand)),
      ),
    );
    if (found === 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(found);
    if (at >= end) break;
    if (!hasMark) hasMark = load<u8>(at) !== 0x26 || isEntityMark(at, end);
    if (!readUnit(at, end)) {
      at++;
      continue;
    }
    if (unitCode === half) return isRefused;
    hasUnit = true;
    if (!isShortEscape(at)) setNotPlain();
    to = copy(to, copied, at);
    if (unitCode !== nothing) to = writeCode(to, unitCode);
    at = unitEnd;
    copied = at;
  }
  if (!hasUnit || !hasMark) return isUnchanged;
  setOut(copy(to, copied, end));
  return isDecoded;
}

/** Of the unit that was read: whether it becomes a quote, a backslash or a control character. */
function isShortEscape(at: usize): bool {
  return unitCode >= 0 && unitEnd === at + 2 && load<u8>(at, 1) !== 0x2f;
}

function copy(to: usize, start: usize, end: usize): usize {
  const length = end - start;
  // Most pieces are short.
  if (length <= 16) v128.store(to, v128.load(start));
  else memory.copy(to, start, length);
  return to + length;
}

/** The entities that make view.ts look for units at all: `&gt;` alone does not. */
function isEntityMark(at: usize, end: usize): bool {
  const next = at + 1 < end ? load<u8>(at, 1) : <u8>0;
  if (next === 0x23) return true;
  return isWord(at, end, 0x6c, 0x74, 0) || isWord(at, end, 0x61, 0x6d, 0x70) || isLongWord(at, end);
}

/** `&` with two or three letters and a semicolon. */
function isWord(at: usize, end: usize, a: u8, b: u8, c: u8): bool {
  const length: usize = c === 0 ? 4 : 5;
  if (at + length > end || load<u8>(at, 1) !== a || load<u8>(at, 2) !== b) return false;
  return c === 0 ? load<u8>(at, 3) === 0x3b : load<u8>(at, 3) === c && load<u8>(at, 4) === 0x3b;
}

/** `&quot;` or `&apos;`. */
function isLongWord(at: usize, end: usize): bool {
  if (at + 6 > end || load<u8>(at, 5) !== 0x3b) return false;
  const word = load<u32>(at, 1);
  return word === 0x746f7571 || word === 0x736f7061;
}

/** Sets `unitEnd` and `unitCode` if a unit begins here. */
function readUnit(at: usize, end: usize): bool {
  const byte = load<u8>(at);
  if (byte === 0x5c) return readBackslash(at, end);
  if (byte === 0x25) return readPercent(at, end);
  if (byte === 0x1b) return readColor(at, end);
  return readEntity(at, end);
}

function take(code: i32, end: usize): bool {
  unitCode = code;
  unitEnd = end;
  return true;
}

function readBackslash(at: usize, end: usize): bool {
  if (at + 2 > end) return false;
  const letter = load<u8>(at, 1);
  const plain = plainOf(letter);
  if (plain !== 0) return take(plain, at + 2);
  if (letter === 0x75) {
    if (at + 6 > end) return false;
    const unit = hexUnit(at + 2);
    if (unit < 0) return false;
    if (unit < 0xd800 || unit > 0xdfff) return take(unit, at + 6);
    if (at + 12 > end || surrogateSize(unit, at + 6) < 0) return take(half, at + 6);
    return take(pairCode(unit, hexUnit(at + 8)), at + 12);
  }
  if (letter === 0x78) {
    if (at + 4 > end) return false;
    const value = hexPair(at + 2);
    return value >= 0 && take(value, at + 4);
  }
  // A continued line with its indentation.
  let next = at + 1;
  if (letter === 0x0d) next++;
  if (next >= end || load<u8>(next) !== 0x0a) return false;
  next++;
  for (let i = 0; i < 40 && next < end && (load<u8>(next) === 0x20 || load<u8>(next) === 0x09); i++) next++;
  return take(nothing, next);
}

function hexPair(at: usize): i32 {
  const high = hexDigit(load<u8>(at));
  const low = hexDigit(load<u8>(at, 1));
  return (high | low) < 0 ? -1 : (high << 4) | low;
}

function readPercent(at: usize, end: usize): bool {
  if (at + 3 > end) return false;
  const value = hexPair(at + 1);
  const isPlain = (value >= 0x20 && value < 0x80) || value === 9 || value === 10 || value === 13;
  return isPlain && take(value, at + 3);
}

function readColor(at: usize, end: usize): bool {
  let next = at + 1;
  if (next >= end || load<u8>(next) !== 0x5b) return false;
  next++;
  for (let i = 0; i < 20 && next < end; i++) {
    const byte = load<u8>(next);
    if (byte !== 0x3b && (byte < 0x30 || byte > 0x39)) break;
    next++;
  }
  if (next >= end) return false;
  const letter = load<u8>(next) | 0x20;
  return letter >= 0x61 && letter <= 0x7a && take(nothing, next + 1);
}

function readEntity(at: usize, end: usize): bool {
  if (isWord(at, end, 0x6c, 0x74, 0)) return take(0x3c, at + 4);
  if (isWord(at, end, 0x67, 0x74, 0)) return take(0x3e, at + 4);
  if (isWord(at, end, 0x61, 0x6d, 0x70)) return take(0x26, at + 5);
  if (isLongWord(at, end)) return take(load<u8>(at, 1) === 0x71 ? 0x22 : 0x27, at + 6);
  if (at + 5 > end || load<u8>(at, 1) !== 0x23) return false;
  if (load<u8>(at, 2) === 0x78) {
    if (at + 6 > end || load<u8>(at, 5) !== 0x3b) return false;
    const value = hexPair(at + 3);
    return value >= 0 && take(value, at + 6);
  }
  let value = 0;
  let next = at + 2;
  while (next < end && next < at + 5 && load<u8>(next) >= 0x30 && load<u8>(next) <= 0x39) {
    value = value * 10 + (load<u8>(next) - 0x30);
    next++;
  }
  return next >= at + 4 && next < end && load<u8>(next) === 0x3b && take(value, next + 1);
}
