// Whether a file is still the one that was read: hashes of its first bytes and of the bytes before the place that was
// reached. A transcript only grows; one that shrank, was replaced or rewritten must be read again.
import { closeSync, openSync, readSync } from 'node:fs';

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

// One buffer for all: a library has thousands of files.
const buffer = Buffer.allocUnsafeSlow(headBytes);

function hashRange(file: number, start: number, end: number): string {
  let filled = 0;
  while (filled < end - start) {
    const got = readSync(file, buffer, filled, end - start - filled, start + filled);
    if (got === 0) break;
    filled += got;
  }
  return hashBytes(buffer, filled);
}

/**
 * FNV-1a, twice with different beginnings: 64 bits are enough to tell that a file was replaced, and nothing has to be
 * loaded for them.
 */
function hashBytes(bytes: Uint8Array, length: number): string {
  return `${foldBytes(bytes, length, 0x811c9dc5).toString(36)}.${foldBytes(bytes, length, 0x9e3779b9).toString(36)}`;
}

function foldBytes(bytes: Uint8Array, length: number, seed: number): number {
  let hash = seed | 0;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash;
}
