// Which files have a message that another file has too, or have one twice, by the keys of their rows. Two messages with
// the same key may still differ: the counting rule decides. Two that have different keys are different.
import type { PackedRows } from './packed-rows.ts';

/** For each file, given as its parts: 1 if it shares a key with another file or with itself. */
export function findShared(files: readonly (readonly PackedRows[])[]): Uint8Array {
  const shared = new Uint8Array(files.length);
  const rows = files.reduce((sum, parts) => sum + parts.reduce((count, part) => count + part.count, 0), 0);
  const bits = Math.max(4, Math.ceil(Math.log2(rows * 2 + 1)));
  const mask = 2 ** bits - 1;
  // Open addressing: the two halves of a key, and the number of its first file + 1.
  const lows = new Uint32Array(mask + 1);
  const highs = new Uint32Array(mask + 1);
  const owners = new Uint32Array(mask + 1);
  for (const [file, parts] of files.entries()) {
    for (const part of parts) {
      for (let row = 0; row < part.count; row++) {
        const low = part.lowKeyOf(row);
        const high = part.highKeyOf(row);
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
  }
  return shared;
}
