// AssemblyScript: whether bytes are one JSON value to the last byte, as `JSON.parse` decides it. See json-check.ts.

const quote: u8 = 0x22;
const backslash: u8 = 0x5c;
const openArray: u8 = 0x5b;
const openObject: u8 = 0x7b;
const closeArray: u8 = 0x5d;
const closeObject: u8 = 0x7d;

/** By depth: the bracket that closes the container. Deeper values are left to the caller. */
const deepest: i32 = 1024;
const closings: usize = memory.data(1024);

/** Set if a string has an escape that may be half of a surrogate pair. */
let hasSurrogate: bool = false;

/** Where the caller writes the bytes. 16 bytes after them must be in the memory too: strings are read in steps of 16. */
export function inputAt(): usize {
  return (__heap_base + 15) & ~15;
}

/** 0: not JSON; 1: JSON; 2: JSON with an escape that may be half of a surrogate pair; 3: nested too deep to say. */
export function checkJson(length: i32): i32 {
  const end = inputAt() + <usize>length;
  let at = skipSpace(inputAt(), end);
  let depth = 0;
  hasSurrogate = false;
  for (;;) {
    if (at >= end) return 0;
    const first = load<u8>(at);
    if (first === quote) {
      at = skipText(at, end);
      if (at === 0) return 0;
    } else if (first === openObject || first === openArray) {
      if (depth === deepest) return 3;
      const closing: u8 = first + 2;
      store<u8>(closings + <usize>depth, closing);
      depth++;
      at = skipSpace(at + 1, end);
      if (at >= end) return 0;
      if (load<u8>(at) !== closing) {
        if (first === openObject) {
          at = skipKey(at, end);
          if (at === 0) return 0;
        }
        continue;
      }
    } else {
      at = skipWord(at, end, first);
      if (at === 0) return 0;
    }
    // After a value: close what ends here, and go to the next member or element.
    for (;;) {
      at = skipSpace(at, end);
      if (depth === 0) return at !== end ? 0 : hasSurrogate ? 2 : 1;
      if (at >= end) return 0;
      const closing = load<u8>(closings + <usize>(depth - 1));
      const next = load<u8>(at);
      if (next === closing) {
        depth--;
        at++;
        continue;
      }
      if (next !== 0x2c) return 0;
      at = skipSpace(at + 1, end);
      if (closing === closeObject) {
        at = skipKey(at, end);
        if (at === 0) return 0;
      }
      break;
    }
  }
  return 0;
}

function skipSpace(from: usize, end: usize): usize {
  let at = from;
  while (at < end) {
    const byte = load<u8>(at);
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    at++;
  }
  return at;
}

/** From the quote of a key to its value; 0 if it is not a key. */
function skipKey(from: usize, end: usize): usize {
  if (from >= end || load<u8>(from) !== quote) return 0;
  const after = skipText(from, end);
  if (after === 0) return 0;
  const at = skipSpace(after, end);
  if (at >= end || load<u8>(at) !== 0x3a) return 0;
  return skipSpace(at + 1, end);
}

/** From the opening quote of a string to the byte after the closing one; 0 if it is not a string. */
function skipText(from: usize, end: usize): usize {
  const quotes = i8x16.splat(<i8>quote);
  const backslashes = i8x16.splat(<i8>backslash);
  const spaces = i8x16.splat(0x20);
  let at = from + 1;
  for (;;) {
    if (at >= end) return 0;
    const bytes = v128.load(at);
    const found = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, backslashes)), i8x16.lt_u(bytes, spaces)),
    );
    if (found === 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(found);
    if (at >= end) return 0;
    const byte = load<u8>(at);
    if (byte === quote) return at + 1;
    if (byte !== backslash) return 0;
    at = skipEscape(at, end);
    if (at === 0) return 0;
  }
  return 0;
}

function skipEscape(from: usize, end: usize): usize {
  if (from + 1 >= end) return 0;
  const kind = load<u8>(from + 1);
  // " \ / b f n r t
  if (kind === quote || kind === backslash || kind === 0x2f || kind === 0x62 || kind === 0x66) return from + 2;
  if (kind === 0x6e || kind === 0x72 || kind === 0x74) return from + 2;
  if (kind !== 0x75 || from + 6 > end) return 0;
  for (let at = from + 2; at < from + 6; at++) if (!isHex(load<u8>(at))) return 0;
  if ((load<u8>(from + 2) | 0x20) === 0x64) hasSurrogate = true;
  return from + 6;
}

function isHex(byte: u8): bool {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}

function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

/** true, false, null, or a number; 0 if it is none of them. */
function skipWord(from: usize, end: usize, first: u8): usize {
  if (first === 0x74) return from + 4 <= end && load<u32>(from) === 0x65757274 ? from + 4 : 0;
  if (first === 0x6e) return from + 4 <= end && load<u32>(from) === 0x6c6c756e ? from + 4 : 0;
  if (first === 0x66) return from + 5 <= end && load<u32>(from + 1) === 0x65736c61 ? from + 5 : 0;
  let at = first === 0x2d ? from + 1 : from;
  if (at >= end) return 0;
  if (load<u8>(at) === 0x30) at++;
  else {
    at = skipDigits(at, end);
    if (at === 0) return 0;
  }
  if (at < end && load<u8>(at) === 0x2e) {
    at = skipDigits(at + 1, end);
    if (at === 0) return 0;
  }
  if (at < end && (load<u8>(at) | 0x20) === 0x65) {
    at++;
    if (at < end && (load<u8>(at) === 0x2b || load<u8>(at) === 0x2d)) at++;
    at = skipDigits(at, end);
  }
  return at;
}

/** At least one digit, or 0. */
function skipDigits(from: usize, end: usize): usize {
  let at = from;
  while (at < end && isDigit(load<u8>(at))) at++;
  return at === from ? 0 : at;
}
