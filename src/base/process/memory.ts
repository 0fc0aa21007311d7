// Settings of V8's memory. `preferSmallMemory` makes V8 collect garbage earlier for transcripts of hundreds of megabytes:
// a little slower, but a third less at the peak (measured on 2.4 GB: docs/decisions.md).
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const largeFileBytes: number = 200 * 1024 * 1024;

export function preferSmallMemory(): void {
  setFlagsFromString('--optimize-for-size');
}

/** For servers: heaps double instead of growing fourfold before garbage is collected, which adds up over threads. */
export function growSlowly(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** Frees memory now, in threads that run for days after a large task. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
