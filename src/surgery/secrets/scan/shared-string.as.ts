// Reads a JSON string: finds its end and writes its decoded text to `out`. A string that cannot be written as UTF-8 (half of
// a surrogate pair) is refused like one that is not JSON.
import { out, setNotPlain, setOut } from './shared-memory.as';

/** Of the string that was read last. */
export let hasEscape: bool = false;
/** Whether every escape was the one that `JSON.stringify` writes. */
export let isUsual: bool = true;

/** `at` follows the opening quote. Returns the place of the closing quote, or 0. The line must end with a zero. */
export function readString(start: usize): usize {
  let at = start;
  let to = out;
  hasEscape = false;
  isUsual = true;
  const quote = i8x16.splat(0x22);
  const slash = i8x16.splat(0x5c);
  const space = i8x16.splat(0x20);
  while (true) {
    const bytes = v128.load(at);
    v128.store(to, bytes);
    const found = i8x16.bitmask(
      v128.or(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, slash)), i8x16.lt_u(bytes, space)),
    );
    if (found === 0) {
      at += 16;
      to += 16;
      continue;
    }
    const skipped = <usize>ctz(found);
    at += skipped;
    to += skipped;
    const byte = load<u8>(at);
    if (byte === 0x22) {
      setOut(to);
      return at;
    }
    if (byte !== 0x5c) return 0;
    hasEscape = true;
    const letter = load<u8>(at, 1);
    if (letter === 0x75) {
      setNotPlain();
      const unit = hexUnit(at + 2);
      if (unit < 0) return 0;
      isUsual = isUsual && isUsualUnit(unit, load<u8>(at, 5));
      const size = surrogateSize(unit, at + 6);
      if (size < 0) return 0;
      to = writeCode(to, size === 0 ? unit : pairCode(unit, hexUnit(at + 8)));
      at += 6 + <usize>size;
      continue;
    }
    const plain = plainOf(letter);
    if (plain === 0) return 0;
    if (letter === 0x2f) {
      isUsual = false;
      setNotPlain();
    }
    store<u8>(to, plain);
    to++;
    at += 2;
  }
}

/** `JSON.stringify` writes four small hex digits only for control characters that have no shorter escape. */
function isUsualUnit(unit: i32, lastDigit: u8): bool {
  return unit < 0x20 && (unit < 8 || unit === 11 || unit > 13) && (lastDigit < 0x41 || lastDigit > 0x46);
}

/** The character of a JSON escape of two characters, or 0. */
export function plainOf(letter: u8): u8 {
  if (letter === 0x22 || letter === 0x5c || letter === 0x2f) return letter;
  if (letter === 0x6e) return 0x0a;
  if (letter === 0x74) return 0x09;
  if (letter === 0x72) return 0x0d;
  if (letter === 0x62) return 0x08;
  if (letter === 0x66) return 0x0c;
  return 0;
}

export function hexDigit(byte: u8): i32 {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}

/** The value of four hex digits, or -1. */
export function hexUnit(at: usize): i32 {
  const a = hexDigit(load<u8>(at));
  const b = hexDigit(load<u8>(at, 1));
  const c = hexDigit(load<u8>(at, 2));
  const d = hexDigit(load<u8>(at, 3));
  return (a | b | c | d) < 0 ? -1 : (a << 12) | (b << 8) | (c << 4) | d;
}

/** The bytes of the second half of a pair: 0 for no pair, 6 for one, -1 for half of a pair. */
export function surrogateSize(unit: i32, next: usize): i32 {
  if (unit < 0xd800 || unit > 0xdfff) return 0;
  if (unit > 0xdbff || load<u8>(next) !== 0x5c || load<u8>(next, 1) !== 0x75) return -1;
  const low = hexUnit(next + 2);
  return low >= 0xdc00 && low <= 0xdfff ? 6 : -1;
}

export function pairCode(high: i32, low: i32): i32 {
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/** Writes a code point as UTF-8. Returns the place after it. */
export function writeCode(to: usize, code: i32): usize {
  if (code < 0x80) {
    store<u8>(to, <u8>code);
    return to + 1;
  }
  if (code < 0x800) {
    store<u8>(to, <u8>(0xc0 | (code >> 6)));
    store<u8>(to, <u8>(0x80 | (code & 63)), 1);
    return to + 2;
  }
  if (code < 0x10000) {
    store<u8>(to, <u8>(0xe0 | (code >> 12)));
    store<u8>(to, <u8>(0x80 | ((code >> 6) & 63)), 1);
    store<u8>(to, <u8>(0x80 | (code & 63)), 2);
    return to + 3;
  }
  store<u8>(to, <u8>(0xf0 | (code >> 18)));
  store<u8>(to, <u8>(0x80 | ((code >> 12) & 63)), 1);
  store<u8>(to, <u8>(0x80 | ((code >> 6) & 63)), 2);
  store<u8>(to, <u8>(0x80 | (code & 63)), 3);
  return to + 4;
}
