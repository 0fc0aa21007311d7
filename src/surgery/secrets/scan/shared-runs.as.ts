// Finds text that may be encoded in base64 or hex digits: a run that `encodedParts` of encoded-text.ts would decode.
import { isBase64 } from './shared-record.as';
import { hexDigit } from './shared-string.as';

const shortest: usize = 16;

export function hasEncodedRun(start: usize, end: usize): bool {
  // A run of 16 bytes ends one block of 16 and begins the next, or is a block.
  let before: u32 = 0;
  for (let at = start; at < end; at += 16) {
    const mask = base64Mask(at);
    const length = <u32>ctz(~mask);
    if (before + length >= <u32>shortest) {
      const first = firstOf(start, at);
      const last = lastOf(at, end);
      if (last - first >= shortest && (beginsAsHex(first) || beginsAsText(first) || beginsAsWide(first))) return true;
      if (last > at + 16) {
        // The next block begins after the run, so it is not searched again.
        at = last - 16;
        before = 0;
        continue;
      }
    }
    before = <u32>clz(~(mask << 16));
  }
  return false;
}

/** A bit for each of 16 bytes that is a character of base64. */
function base64Mask(at: usize): u32 {
  const bytes = v128.load(at);
  const letters = i8x16.lt_u(i8x16.sub(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(0x61)), i8x16.splat(26));
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x2f)), i8x16.splat(11));
  return <u32>i8x16.bitmask(v128.or(v128.or(letters, digits), i8x16.eq(bytes, i8x16.splat(0x2b))));
}

function firstOf(start: usize, from: usize): usize {
  let at = from;
  while (at > start && isBase64(load<u8>(at - 1))) at--;
  return at;
}

function lastOf(from: usize, end: usize): usize {
  let at = from;
  while (at < end && isBase64(load<u8>(at))) at++;
  return at;
}

function isText(byte: u32): bool {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x09 || byte === 0x0d;
}

function sextet(byte: u32): u32 {
  if (byte >= 0x61) return byte - 71;
  if (byte >= 0x41) return byte - 65;
  if (byte >= 0x30) return byte + 4;
  return byte === 0x2b ? 62 : 63;
}

/** Three bytes from four characters. */
function three(at: usize): u32 {
  return (
    (sextet(load<u8>(at)) << 18) |
    (sextet(load<u8>(at, 1)) << 12) |
    (sextet(load<u8>(at, 2)) << 6) |
    sextet(load<u8>(at, 3))
  );
}

function beginsAsText(at: usize): bool {
  const first = three(at);
  if (!isText(first >>> 16) || !isText((first >>> 8) & 255) || !isText(first & 255)) return false;
  const second = three(at + 4);
  return isText(second >>> 16) && isText((second >>> 8) & 255) && isText(second & 255);
}

function beginsAsWide(at: usize): bool {
  const first = three(at);
  return isText(first >>> 16) && ((first >>> 8) & 255) === 0 && isText(first & 255) && load<u8>(at, 4) === 0x41;
}

function beginsAsHex(start: usize): bool {
  for (let at = start; at < start + shortest; at += 2) {
    const high = hexDigit(load<u8>(at));
    const low = hexDigit(load<u8>(at, 1));
    if ((high | low) < 0 || !isText((high << 4) | low)) return false;
  }
  return true;
}
