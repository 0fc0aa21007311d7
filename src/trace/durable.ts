// Small files that are there whole or not at all, also after a power cut. Synchronous: a hook has nothing else to do in
// the meantime, and the order of these calls is what "exactly once" rests on.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import { makeFolderSync } from '../base/make-folder.ts';
import { readRegularText } from '../base/regular-file.ts';
import { privateFileMode } from '../store/disk.ts';

/** Writes `pieces` to `file`, over whatever was there. */
export function writeDurably(file: string, ...pieces: readonly (Buffer | string)[]): void {
  const folder = path.dirname(file);
  makeFolderSync(folder);
  const temp = path.join(folder, `.clew-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const handle = openSync(temp, 'wx', privateFileMode);
    try {
      for (const piece of pieces) writeAll(handle, typeof piece === 'string' ? Buffer.from(piece) : piece);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temp, file);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
  syncFolder(folder);
}

/** Gives a file another name in the same folder, durably; `false` where it is not there (any more). */
export function renameDurably(from: string, to: string): boolean {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
  syncFolder(path.dirname(to));
  return true;
}

export function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Windows and some network disks sync no folder; there the system orders the writes.
  }
}

export function writeAll(handle: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
}

/** `undefined` where there is no such file, or none that may be read. */
export function readText(file: string): string | undefined {
  try {
    return readRegularText(file);
  } catch {
    return undefined;
  }
}

/** Sorted; a missing folder is empty. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
