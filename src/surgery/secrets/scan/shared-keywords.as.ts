// Finds the keywords of the table in a text. A table has, at the offsets of its head: a bitmap over the hashes of three
// bytes, the bucket of each hash, the first keyword of each bucket, the keywords, and their characters (keyword-table.ts
// writes it). A keyword with a rule counts only where the pattern of the rule may match.
import { addHit, table } from './shared-memory.as';
import { mayMatchAt } from './shared-program.as';

const bitmapAt: u32 = 64;
const bucketsAt: u32 = bitmapAt + 8192;

/** Of three bytes without the difference between small and capital letters. The factor separates common ones from keywords. */
function hashOf(bytes: u32): u32 {
  return (((bytes | 0x202020) & 0xffffff) * 0x8a64a14d) >>> 16;
}

export function findKeywords(text: u32, start: usize, end: usize): void {
  const bitmap = table + bitmapAt;
  const last = end - 3;
  if (end < start + 3) return;
  for (let at = start; at <= last; at++) {
    const hash = hashOf(load<u32>(at));
    if (((load<u8>(bitmap + (hash >>> 3)) >>> (hash & 7)) & 1) !== 0) tryBucket(text, hash, start, at, end);
  }
}

function tryBucket(text: u32, hash: u32, start: usize, at: usize, end: usize): void {
  const bucket = <u32>load<u16>(table + bucketsAt + hash * 2);
  const firsts = table + load<u32>(table, 0);
  const keywords = table + load<u32>(table, 4);
  const first = load<u32>(firsts + bucket * 4);
  const last = load<u32>(firsts + bucket * 4, 4);
  for (let i = first; i < last; i++) {
    const keyword = keywords + i * 12;
    const length = <u32>load<u16>(keyword, 4);
    const place = at - <usize>load<u8>(keyword, 7);
    if (place < start || place + length > end) continue;
    if (!isAt(place, table + load<u32>(keyword), length, load<u8>(keyword, 6) !== 0)) continue;
    const rule = load<u32>(keyword, 8);
    if (rule === 0 || mayMatchAt(table + rule, start, place, end)) addHit(i, text, place - start);
  }
}

function isAt(at: usize, characters: usize, length: u32, isExact: bool): bool {
  for (let i: u32 = 0; i < length; i++) {
    let byte = <u32>load<u8>(at + i);
    if (!isExact && byte - 0x41 < 26) byte += 32;
    if (byte !== <u32>load<u8>(characters + i)) return false;
  }
  return true;
}

/** The bits of a key's name, from 128 places of 16 bytes: hash, bits, offset and length of the name (keyword-table.ts). */
export function bitsOfKey(hash: u32, start: usize, length: u32): u32 {
  const places = table + load<u32>(table, 8);
  let at = hash & 127;
  let bits = load<u32>(places + at * 16, 4);
  while (bits !== 0) {
    const place = places + at * 16;
    const isSame = load<u32>(place) === hash && load<u32>(place, 12) === length;
    if (isSame && isAt(start, table + load<u32>(place, 8), length, true)) return bits;
    at = (at + 1) & 127;
    bits = load<u32>(places + at * 16, 4);
  }
  return 0;
}

/** FNV-1a. */
export function hashKey(start: usize, end: usize): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = (hash ^ <u32>load<u8>(at)) * 0x01000193;
  return hash;
}
