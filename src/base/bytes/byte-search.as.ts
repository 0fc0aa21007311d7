// Finds the places in JSON bytes where a text may be: its bytes as they are, or a \u escape of one of its characters.
// Two bytes of the text are compared at 16 places at a time.

/** 65,536 bits: whether a \u escape of this code may belong to the text. */
export const codesAt: usize = 0x10000;
/** The bytes of the text. */
export const textAt: usize = 0x12000;
/** The bytes to search begin here; 64 bytes and the length of the text after them are readable too. */
export const bytesAt: usize = 0x14000;

const backslash: u8 = 0x5c;
const letterU: u8 = 0x75;
const newline: u8 = 0x0a;
const escapeBytes: usize = 6;

/**
 * The first place in [from, to) where the text or such an escape begins, or `to`. `one` and `other` are the offsets of
 * the two bytes that are compared; `length` is at least 1.
 */
export function find(from: usize, to: usize, length: usize, one: usize, other: usize): usize {
  const oneByte = i8x16.splat(load<u8>(textAt + one));
  const otherByte = i8x16.splat(load<u8>(textAt + other));
  const slash = i8x16.splat(backslash);
  const u = i8x16.splat(letterU);
  for (let at = from; at < to; at += 16) {
    const texts = v128.and(i8x16.eq(v128.load(at + one), oneByte), i8x16.eq(v128.load(at + other), otherByte));
    const escapes = v128.and(i8x16.eq(v128.load(at), slash), i8x16.eq(v128.load(at, 1), u));
    const either = v128.or(texts, escapes);
    if (!v128.any_true(either)) continue;
    let hits = i8x16.bitmask(either);
    while (hits !== 0) {
      const found = at + ctz(hits);
      if (found + length <= to && memory.compare(found, textAt, length) === 0) return found;
      if (found + escapeBytes <= to && isWantedEscape(found)) return found;
      hits &= hits - 1;
    }
  }
  return to;
}

function isWantedEscape(at: usize): bool {
  if (load<u8>(at) !== backslash || load<u8>(at + 1) !== letterU) return false;
  let code: u32 = 0;
  for (let i: usize = 2; i < escapeBytes; i++) {
    const digit = hexDigit(load<u8>(at + i));
    if (digit > 15) return false;
    code = code * 16 + digit;
  }
  return (load<u8>(codesAt + (code >> 3)) & (1 << (code & 7))) !== 0;
}

function hexDigit(byte: u32): u32 {
  if (byte - 0x30 < 10) return byte - 0x30;
  const letter = (byte | 0x20) - 0x61;
  return letter < 6 ? letter + 10 : 255;
}

/** The place after the last newline in [from, to), or `from - 1` if there is none. */
export function afterLastNewline(from: usize, to: usize): usize {
  const wanted = i8x16.splat(newline);
  // The bytes before `from` are readable too: they are those of the text.
  for (let end = to; end > from; end -= 16) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(end - 16), wanted));
    if (hits === 0) continue;
    const found = end - clz(hits) + 16;
    return found > from ? found : from - 1;
  }
  return from - 1;
}

/** The place of the first newline in [from, to), or `to`. */
export function nextNewline(from: usize, to: usize): usize {
  const wanted = i8x16.splat(newline);
  for (let at = from; at < to; at += 16) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (hits !== 0) return min(at + ctz(hits), to);
  }
  return to;
}
