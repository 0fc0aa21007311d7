// Finds text that may be encoded in base64 or hex digits: a run that `encodedParts` of encoded-text.ts would decode.
import { isBase64 } from './shared-record.as';
import { hexDigit } from './shared-string.as';

const shortest: usize = 16;

export function hasEncodedRun(start: usize, end: usize): bool {
  for (let at = start + shortest - 1; at < end; ) {
    if (!isBase64(load<u8>(at))) {
      at += shortest;
      continue;
    }
    let first = at;
    while (first > start && isBase64(load<u8>(first - 1))) first--;
    let last = at + 1;
    while (last < end && isBase64(load<u8>(last))) last++;
    if (last - first >= shortest && (beginsAsHex(first) || beginsAsText(first) || beginsAsWide(first))) return true;
    at = last + shortest;
  }
  return false;
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
