// The record of a line → where the values of its fields are, as `walkRecord` in spans.ts: one pass notes the positions and
// decodes nothing. The host fills the tables from places.ts.
import { byteAt, skipScalar, skipString, skipValue, skipWhite } from './shared-json.as';

const KEY_TABLE: usize = 0x10000; // 4096: slot → key number
const KEY_NAMES: usize = 0x11000; // 64 × 32
const KEY_LENGTHS: usize = 0x11800; // 64
const FIELDS: usize = 0x11900; // 16 places × 64: the field of a key
const INSIDES: usize = 0x11d00; // 64: the place of a field
const LAST_INSIDE: usize = 0x11e00; // 64: the last field inside a field
const STARTS: usize = 0x12000; // 64 × u32
const ENDS: usize = 0x12100; // 64 × u32

const fieldContent: usize = 30;
/** Fields from here on are inside blocks of content, which are not needed. */
const fieldBlockType: usize = 47;

/** The start of the line. Positions are kept relative to it; 0 means that a field is absent. */
let base: usize = 0;

// The fields of the walked record.

export function has(field: usize): bool {
  return load<u32>(STARTS + (field << 2)) !== 0;
}

export function startOf(field: usize): usize {
  return base + load<u32>(STARTS + (field << 2));
}

export function endOf(field: usize): usize {
  return base + load<u32>(ENDS + (field << 2));
}

export function isString(field: usize): bool {
  return has(field) && byteAt(startOf(field)) === 0x22;
}

export function isTrue(field: usize): bool {
  return has(field) && byteAt(startOf(field)) === 0x74;
}

/** Of a string, without its quotes. */
export function lengthOf(field: usize): usize {
  return endOf(field) - startOf(field) - 2;
}

/** Whether the bytes of the string are its characters. */
export function isPlain(field: usize): bool {
  let p = startOf(field) + 1;
  const end = endOf(field) - 1;
  const slashes = i8x16.splat(0x5c);
  for (; p + 16 <= end; p += 16) {
    const chunk = v128.load(p);
    if (i8x16.bitmask(v128.or(chunk, i8x16.eq(chunk, slashes))) !== 0) return false;
  }
  for (; p < end; p++) if (byteAt(p) === 0x5c || byteAt(p) >= 0x80) return false;
  return true;
}

/** The record at `p` → the position after its newline; 0 if it is not one whole object. */
export function walkRecord(p: usize): usize {
  base = p;
  memory.fill(STARTS, 0, fieldBlockType << 2);
  p = skipWhite(p);
  if (byteAt(p) !== 0x7b) return 0;
  p = walkObject(p, 0);
  if (p === 0) return 0;
  p = skipWhite(p);
  return byteAt(p) === 0x0a ? p + 1 : 0;
}

function walkObject(at: usize, place: usize): usize {
  let p = at + 1;
  let isFirst = true;
  while (true) {
    p = skipWhite(p);
    if (byteAt(p) === 0x7d) return p + 1;
    if (!isFirst) {
      if (byteAt(p) !== 0x2c) return 0;
      p = skipWhite(p + 1);
    }
    isFirst = false;
    if (byteAt(p) !== 0x22) return 0;
    const key = p + 1;
    p = skipString(p);
    if (p === 0) return 0;
    const number = keyNumber(key, p - 1 - key);
    if (number === escapedKey) return 0;
    p = skipWhite(p);
    if (byteAt(p) !== 0x3a) return 0;
    p = skipWhite(p + 1);
    const found: usize = load<u8>(FIELDS + (place << 6) + number);
    const value = p;
    const byte = byteAt(p);
    const isNested = byte === 0x7b || byte === 0x5b;
    if (byte === 0x22) p = skipString(p);
    else if (!isNested) p = skipScalar(p);
    else if (found === 0) p = skipValue(p);
    else {
      forgetInside(found);
      const inside: usize = load<u8>(INSIDES + found);
      p = inside === 0 || byte !== 0x7b || found === fieldContent ? skipValue(p) : walkObject(p, inside);
    }
    if (p === 0) return 0;
    if (found === 0) continue;
    if (!isNested && load<u8>(LAST_INSIDE + found) !== 0) forgetInside(found);
    store<u32>(STARTS + (found << 2), <u32>(value - base));
    store<u32>(ENDS + (found << 2), <u32>(p - base));
  }
}

/** The last value of a repeated key counts, so members of an earlier one are cleared. */
function forgetInside(found: usize): void {
  const last: usize = load<u8>(LAST_INSIDE + found);
  for (let i = found + 1; i <= last; i++) store<u32>(STARTS + (i << 2), 0);
}

const escapedKey: u32 = 255;

/** As `keyNumber` in places.ts; `escapedKey` if the key has escapes. */
function keyNumber(from: usize, length: usize): u32 {
  if (length >= 2 && length <= 27) {
    const inner = <usize>(<u32>(length * 2) / 5);
    const slot =
      (<u32>length * 131 + byteAt(from) * 37 + byteAt(from + inner) * 11 + byteAt(from + length - 1) * 5) & 4095;
    const found: u32 = load<u8>(KEY_TABLE + slot);
    if (found !== 0 && <usize>load<u8>(KEY_LENGTHS + found) === length) {
      if (isSame(from, KEY_NAMES + ((<usize>found) << 5), length)) return found;
    }
  }
  for (let i: usize = 0; i < length; i++) if (byteAt(from + i) === 0x5c) return escapedKey;
  return 0;
}

function isSame(a: usize, b: usize, length: usize): bool {
  const low = i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b)));
  if (length <= 16) {
    const all = (1 << (<i32>length)) - 1;
    return (low & all) === all;
  }
  if (low !== 0xffff) return false;
  const all = (1 << (<i32>(length - 16))) - 1;
  return (i8x16.bitmask(i8x16.eq(v128.load(a, 16), v128.load(b, 16))) & all) === all;
}
