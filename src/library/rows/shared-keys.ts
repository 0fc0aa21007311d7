// Which files have a message that another file has too, or have one twice, by the keys of their rows. Two messages with
// the same key may still differ: the counting rule decides. Two that have different keys are different.
import type { PackedRows } from './packed-rows.ts';

/** The keys of rows, two numbers each; both are 0 for a row without one. */
export function keysOf(parts: readonly PackedRows[]): Uint32Array {
  const keys = new Uint32Array(2 * parts.reduce((sum, { count }) => sum + count, 0));
  let at = 0;
  for (const part of parts) {
    for (let row = 0; row < part.count; row++) {
      keys[at++] = part.lowKeyOf(row);
      keys[at++] = part.highKeyOf(row);
    }
  }
  return keys;
}

/** For each file, given as the keys of its rows: 1 if it shares a key with another file or has one twice. */
export function findShared(files: readonly Uint32Array[]): Uint8Array {
  const shared = new Uint8Array(files.length);
  const rows = files.reduce((sum, keys) => sum + keys.length / 2, 0);
  const bits = Math.max(4, Math.ceil(Math.log2(rows * 2 + 1)));
  const mask = 2 ** bits - 1;
  // Open addressing: the two halves of a key, and the number of its first file + 1.
  const lows = new Uint32Array(mask + 1);
  const highs = new Uint32Array(mask + 1);
  const owners = new Uint32Array(mask + 1);
  for (const [file, keys] of files.entries()) {
    for (let at = 0; at < keys.length; at += 2) {
      const low = keys[at] as number;
      const high = keys[at + 1] as number;
      if (low === 0 && high === 0) continue;
      let slot = (low ^ Math.imul(high, 0x9e3779b1)) & mask;
      while (owners[slot] !== 0 && (lows[slot] !== low || highs[slot] !== high)) slot = (slot + 1) & mask;
      const owner = owners[slot] as number;
      if (owner === 0) {
        lows[slot] = low;
        highs[slot] = high;
        owners[slot] = file + 1;
      } else {
        shared[owner - 1] = 1;
        shared[file] = 1;
      }
    }
  }
  return shared;
}

/**
 * Whether one of the keys is in `all`, outside of `from` to `to`, or twice among the keys. Those from `from` to `to` were
 * compared before: if the keys begin with them and few are new, only the new ones are looked for.
 */
export function meetsOthers(keys: Uint32Array, all: Uint32Array, from: number, to: number): boolean {
  const before = to - from;
  const fresh = keys.length - before;
  if (fresh >= 0 && fresh <= 2 * fewKeys && areEqual(keys.subarray(0, before), all.subarray(from, to))) {
    for (let at = before; at < keys.length; at += 2) if (isFound(keys, at, all)) return true;
    return fresh > 2 && isAnyTwice(keys.subarray(before));
  }
  const own = new Map<number, number>();
  for (let at = 0; at < keys.length; at += 2) {
    const low = keys[at] as number;
    if (low === 0 && keys[at + 1] === 0) continue;
    // The same half alone is rare: then the whole library is compared.
    if (own.has(low)) return true;
    own.set(low, keys[at + 1] as number);
  }
  for (let at = 0; at < all.length; at += 2) {
    if (at >= from && at < to) continue;
    if (own.get(all[at] as number) === all[at + 1]) return true;
  }
  return false;
}

const fewKeys = 16;

function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  return bytesOf(a).equals(bytesOf(b));
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** By one call for all keys instead of a loop over them. */
function isFound(keys: Uint32Array, at: number, all: Uint32Array): boolean {
  if (keys[at] === 0 && keys[at + 1] === 0) return false;
  const bytes = bytesOf(all);
  const key = bytesOf(keys.subarray(at, at + 2));
  let hit = bytes.indexOf(key);
  while (hit % key.length > 0) hit = bytes.indexOf(key, hit + 1);
  return hit !== -1;
}

function isAnyTwice(keys: Uint32Array): boolean {
  for (let at = 2; at < keys.length; at += 2) if (isFound(keys, at, keys.subarray(0, at))) return true;
  return false;
}
