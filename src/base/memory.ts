// For commands that meet a transcript of hundreds of megabytes: the engine collects garbage earlier and keeps less in
// reserve. It costs a little time, and takes a third off the peak (measured on 2.4 GB: docs/decisions.md).
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const largeFileBytes: number = 200 * 1024 * 1024;

export function preferSmallMemory(): void {
  setFlagsFromString('--optimize-for-size');
}

/**
 * For a process that stays: the heap of each thread may double before garbage is collected. Small heaps grow fourfold by
 * default, which times five threads is what a server is made of.
 */
export function growSlowly(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

/** For threads that go on for days after a task that took much memory: what it left is given back now, not at the next need. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
