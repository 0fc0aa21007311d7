// Finds the ends of JSON values in the memory of a WebAssembly module. Every line ends with a newline, and no function
// reads past the newline of its line, except for up to 64 bytes that it loads and ignores. A result of 0 means: not a
// whole value. The JavaScript reader (format/bytes) then decides what the line is.

/** Open brackets of `skipValue`; a deeper value is left to the JavaScript reader. */
const OPEN: usize = 0x13000;
const maxDepth: usize = 4096;

const quote: u32 = 0x22;
const comma: u32 = 0x2c;
const colon: u32 = 0x3a;
const openBracket: u32 = 0x5b;
const openBrace: u32 = 0x7b;
const closeBrace: u32 = 0x7d;

export function byteAt(p: usize): u32 {
  return load<u8>(p);
}

/** White space inside a line. */
function isWhite(byte: u32): bool {
  return byte === 0x20 || byte === 0x0d || byte === 0x09;
}

function skipAllWhite(p: usize): usize {
  while (isWhite(byteAt(p))) p++;
  return p;
}

export function skipWhite(p: usize): usize {
  return byteAt(p) > 0x20 ? p : skipAllWhite(p);
}

function mask64(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>i8x16.bitmask(a) |
    ((<u64>i8x16.bitmask(b)) << 16) |
    ((<u64>i8x16.bitmask(c)) << 32) |
    ((<u64>i8x16.bitmask(d)) << 48)
  );
}

/** From the opening quote to the position after the closing one. */
export function skipString(p: usize): usize {
  p++;
  const quotes = i8x16.splat(0x22);
  const slashes = i8x16.splat(0x5c);
  const newlines = i8x16.splat(0x0a);
  // Most strings are short and have no escapes.
  const first = v128.load(p);
  const ends = i8x16.bitmask(i8x16.eq(first, quotes));
  const others = i8x16.bitmask(v128.or(i8x16.eq(first, slashes), i8x16.eq(first, newlines)));
  if (others === 0) {
    if (ends !== 0) return p + ctz(ends) + 1;
    p += 16;
  } else if (ends !== 0 && ctz(ends) < ctz(others)) return p + ctz(ends) + 1;
  return skipLongString(p);
}

/** `p` is inside the string, not after an odd number of backslashes. */
function skipLongString(p: usize): usize {
  const quotes = i8x16.splat(0x22);
  const slashes = i8x16.splat(0x5c);
  const newlines = i8x16.splat(0x0a);
  const even: u64 = 0x5555555555555555;
  // 1 if the last block ended with a backslash that escapes the first byte of the next one.
  let carry: u64 = 0;
  while (true) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    let ends = mask64(i8x16.eq(a, quotes), i8x16.eq(b, quotes), i8x16.eq(c, quotes), i8x16.eq(d, quotes));
    let escapes = mask64(i8x16.eq(a, slashes), i8x16.eq(b, slashes), i8x16.eq(c, slashes), i8x16.eq(d, slashes));
    if ((escapes | carry) !== 0) {
      // Bits of bytes after an odd run of backslashes, by adding: a run carries to the bit after it.
      escapes &= ~carry;
      const follows = (escapes << 1) | carry;
      const oddStarts = escapes & ~even & ~follows;
      const sum = oddStarts + escapes;
      carry = u64(sum < escapes);
      ends &= ~((even ^ (sum << 1)) & follows);
    }
    const anyNewline = v128.or(
      v128.or(i8x16.eq(a, newlines), i8x16.eq(b, newlines)),
      v128.or(i8x16.eq(c, newlines), i8x16.eq(d, newlines)),
    );
    if (v128.any_true(anyNewline)) {
      const breaks = mask64(i8x16.eq(a, newlines), i8x16.eq(b, newlines), i8x16.eq(c, newlines), i8x16.eq(d, newlines));
      if (ends === 0 || ctz(breaks) < ctz(ends)) return 0;
    }
    if (ends !== 0) return p + <usize>ctz(ends) + 1;
    p += 64;
  }
}

function isScalarByte(byte: u32): bool {
  const letter = byte | 0x20;
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (letter >= 0x61 && letter <= 0x7a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e
  );
}

/** The position after a number or a word. */
export function skipScalar(p: usize): usize {
  const from = p;
  while (isScalarByte(byteAt(p))) p++;
  return p === from ? 0 : p;
}

/** From the opening quote of a key to its value. */
function skipKey(p: usize): usize {
  if (byteAt(p) !== quote) return 0;
  p = skipString(p);
  if (p === 0) return 0;
  p = skipWhite(p);
  return byteAt(p) === colon ? skipWhite(p + 1) : 0;
}

/** The position after the value at `p`. */
export function skipValue(p: usize): usize {
  let depth: usize = 0;
  let closing: u32 = 0;
  p = skipWhite(p);
  while (true) {
    const byte = byteAt(p);
    if (byte === quote) p = skipString(p);
    else if (byte === openBrace || byte === openBracket) {
      if (depth === maxDepth) return 0;
      closing = byte + 2; // in ASCII both closing brackets are two after their opening ones
      store<u8>(OPEN + depth, <u8>closing);
      depth++;
      p = skipWhite(p + 1);
      if (byteAt(p) !== closing) {
        if (byte === openBrace) {
          p = skipKey(p);
          if (p === 0) return 0;
        }
        continue;
      }
    } else p = skipScalar(p);
    if (p === 0) return 0;
    while (true) {
      if (depth === 0) return p;
      p = skipWhite(p);
      const next = byteAt(p);
      if (next === comma) {
        p = skipWhite(p + 1);
        if (closing === closeBrace) {
          p = skipKey(p);
          if (p === 0) return 0;
        }
        break;
      }
      if (next !== closing) return 0;
      p++;
      depth--;
      if (depth > 0) closing = load<u8>(OPEN + depth - 1);
    }
  }
}
