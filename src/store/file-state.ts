// The state of a file: its size and hash. Whether a file still is in a recorded state, or has only grown since, decides what
// an operation may replace or remove.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { systemErrorCode, UserError } from '../base/errors/index.ts';
import { diskError } from './durable.ts';

/** The size and the hash of a file. */
export interface FileState {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** `longer`: it begins with these bytes, as after an append. */
export type StateMatch = 'same' | 'longer' | 'other' | 'absent';

/** The state of a file, or of its first bytes. */
export async function readFileState(file: string, sizeBytes?: number): Promise<FileState> {
  try {
    const size = sizeBytes ?? (await stat(file)).size;
    return { sizeBytes: size, sha256: await hashStart(file, size) };
  } catch (error) {
    throw diskError(error, 'read', file);
  }
}

/** An unreadable file is an error, never `absent`. */
export async function matchState(file: string, { sizeBytes, sha256 }: FileState): Promise<StateMatch> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) throw new UserError(`${file} is not a regular file`, 'move it away and run it again');
    if (stats.size < sizeBytes || (await hashStart(file, sizeBytes)) !== sha256) return 'other';
    return stats.size === sizeBytes ? 'same' : 'longer';
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return 'absent';
    throw diskError(error, 'read', file);
  }
}

async function hashStart(file: string, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  if (sizeBytes > 0)
    for await (const piece of createReadStream(file, { end: sizeBytes - 1, highWaterMark: 1 << 20 }))
      hash.update(piece);
  return hash.digest('hex');
}
