// The beginning of a file, as far as the index has read it, in pieces: a client may be appending to it.
import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { openRegularFile } from '../../base/files/index.ts';
import { packChunkBytes } from '../contract/index.ts';

/** Each piece is valid until the next one. */
export function* readPieces(file: string, sizeBytes: number): Generator<Buffer> {
  const handle = openRegularFile(file);
  try {
    const chunk = Buffer.allocUnsafe(Math.min(sizeBytes, packChunkBytes));
    for (let at = 0; at < sizeBytes; ) {
      const length = readSync(handle, chunk, 0, Math.min(chunk.length, sizeBytes - at), at);
      if (length === 0) return;
      yield chunk.subarray(0, length);
      at += length;
    }
  } finally {
    closeSync(handle);
  }
}

export function hashFile(file: string, sizeBytes: number): string {
  const hash = createHash('sha256');
  for (const piece of readPieces(file, sizeBytes)) hash.update(piece);
  return hash.digest('hex');
}
