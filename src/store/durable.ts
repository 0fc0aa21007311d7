// Durable writes: what is written reaches the disk before it counts, and an error of the disk says what to do next.
import { fsync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, remedies, systemErrorCode, UnreadableError, UserError } from '../base/errors/index.ts';
import { makeFolderSync } from '../base/files/index.ts';

/** Transcripts hold private text: only their owner may read new ones, as with those that the client creates. */
export const privateFileMode = 0o600;

/** Makes what was written to an open file durable. */
export function syncFile(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });
}

/**
 * Makes a file's bytes, or a folder's new names, durable: without it a rename may be gone after a power cut.
 */
export async function syncPath(fileOrFolder: string): Promise<void> {
  try {
    const handle = await open(fileOrFolder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    // Windows syncs only what is open for writing, some network disks no folder; there the system orders the writes.
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(systemErrorCode(error) ?? ''))
      throw error;
  }
}

/** Creates `folder` and its parents, durably. */
export async function makeFolder(folder: string): Promise<void> {
  const firstMade = makeFolderSync(folder);
  if (firstMade === undefined) return;
  const before = path.dirname(firstMade);
  for (let made = path.resolve(folder); made !== before; made = path.dirname(made)) await syncPath(path.dirname(made));
}

/** `error` as a `UserError` where the disk refused to read or write `file`; any other error as it is. */
export function diskError(error: unknown, doing: 'read' | 'write', file: string): unknown {
  if (error instanceof UserError) return error;
  const code = systemErrorCode(error);
  const next =
    code === undefined ? undefined : doing === 'read' && code === 'ENOENT' ? 'check the name' : remedies[code];
  if (code === undefined || next === undefined) return error;
  return doing === 'read'
    ? new UnreadableError(file, code, next, { cause: error })
    : new UserError(`cannot ${doing} ${file} (${code})`, next, exitCodes.usage, { cause: error });
}
