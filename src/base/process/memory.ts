// Settings of V8: of its memory, and of its compiler. `preferSmallMemory` makes V8 collect garbage earlier for transcripts of hundreds of megabytes:
// a little slower, but a third less at the peak (measured on 2.4 GB: docs/decisions.md).
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const largeFileBytes: number = 200 * 1024 * 1024;

export function preferSmallMemory(): void {
  setFlagsFromString('--optimize-for-size');
}

/**
 * For commands that end after some hundred milliseconds: V8 optimises a function only after fifteen times as much work as
 * usual. Compiling on its other threads was a quarter of the CPU of a first `clew usage` (docs/performance.md), and
 * loading `node:v8` takes 4 ms. The flag exists only in
 * Node 20, and V8 prints a message for one that it does not know.
 */
export function optimiseLess(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=1000000');
}

/** Ends `optimiseLess`. The number is the default of Node 20. */
export function optimiseAsUsual(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=67584');
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
