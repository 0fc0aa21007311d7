// Whether a file is still the one that was read: hashes of its first bytes and of the bytes before the place that was
// reached. A transcript only grows; one that shrank, was replaced or rewritten must be read again.
import type { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';

const headBytes = 4096;
const tailBytes = 256;

export interface FileProof {
  readonly headHash: string;
  readonly tailHash: string;
}

/** `offset` is how far the file was read; the head ends there too, so that growing does not change it. */
export function proveFile(path: string, offset: number): FileProof {
  const file = openSync(path, 'r');
  try {
    const headEnd = Math.min(headBytes, offset);
    const tailStart = Math.max(0, offset - tailBytes);
    return { headHash: hashRange(file, 0, headEnd), tailHash: hashRange(file, tailStart, offset) };
  } finally {
    closeSync(file);
  }
}

export function bytesForProof(offset: number): number {
  return Math.min(headBytes, offset) + Math.min(tailBytes, offset);
}

// Loaded when it is needed: where nothing has changed there is nothing to prove.
let hash: typeof createHash | undefined;

function hashRange(file: number, start: number, end: number): string {
  const buffer = Buffer.alloc(end - start);
  let filled = 0;
  while (filled < buffer.length) {
    const got = readSync(file, buffer, filled, buffer.length - filled, start + filled);
    if (got === 0) break;
    filled += got;
  }
  hash ??= (createRequire(import.meta.url)('node:crypto') as { createHash: typeof createHash }).createHash;
  return hash('sha1').update(buffer.subarray(0, filled)).digest('base64');
}
