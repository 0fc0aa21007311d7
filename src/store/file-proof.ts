// Shows that a file that grew is still the same file: hashes of its first bytes, and of those before the offset up to which
// it was read.
import { closeSync, readSync } from 'node:fs';
import { openRegularFile } from '../base/files/index.ts';

const headBytes = 4096;
const tailBytes = 256;

export interface FileProof {
  readonly headHash: string;
  readonly tailHash: string;
}

/** `offset` is how far the file was read; the head ends there too, so that growing does not change it. */
export function proveFile(path: string, offset: number): FileProof {
  const file = openRegularFile(path);
  try {
    const headEnd = Math.min(headBytes, offset);
    const tailStart = Math.max(0, offset - tailBytes);
    return { headHash: hashRange(file, 0, headEnd), tailHash: hashRange(file, tailStart, offset) };
  } finally {
    closeSync(file);
  }
}

/** The same for a file that is in memory. */
export function proofOfBytes(bytes: Buffer, offset: number): FileProof {
  const hash = (start: number, end: number): string => hashBuffer(bytes.copy(buffer, 0, start, end));
  return {
    headHash: hash(0, Math.min(headBytes, offset)),
    tailHash: hash(Math.max(0, offset - tailBytes), offset),
  };
}

export function bytesForProof(offset: number): number {
  return Math.min(headBytes, offset) + Math.min(tailBytes, offset);
}

// One buffer for all: a library has thousands of files.
const buffer = Buffer.allocUnsafeSlow(headBytes);
const words = new Int32Array(buffer.buffer);

function hashRange(file: number, start: number, end: number): string {
  let filled = 0;
  while (filled < end - start) {
    const got = readSync(file, buffer, filled, end - start - filled, start + filled);
    if (got === 0) break;
    filled += got;
  }
  return hashBuffer(filled);
}

/**
 * Two hashes like FNV-1a, but a word at a time, with the high bits folded into the low ones after each: 64 bits are enough
 * to detect that a file was replaced, and no module has to be loaded for them.
 */
function hashBuffer(length: number): string {
  const count = (length + 3) >> 2;
  buffer.fill(0, length, count * 4);
  let one = 0x811c9dc5 ^ length;
  let other = 0x9e3779b9;
  for (let i = 0; i < count; i++) {
    const word = words[i] as number;
    one = Math.imul(one ^ word, 0x01000193);
    one ^= one >>> 15;
    other = Math.imul(other ^ word, 0x85ebca6b);
    other ^= other >>> 13;
  }
  return `${one.toString(36)}.${other.toString(36)}`;
}
