// For commands that meet a transcript of hundreds of megabytes: the engine collects garbage earlier and keeps less in
// reserve. It costs a little time, and takes a third off the peak (measured on 2.4 GB: docs/decisions.md).
import { setFlagsFromString } from 'node:v8';

export const largeFileBytes: number = 200 * 1024 * 1024;

export function preferSmallMemory(): void {
  setFlagsFromString('--optimize-for-size');
}
