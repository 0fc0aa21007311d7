// Files of Clew's own state that other processes read and a kill must not tear: written whole and synced before they get
// their name. Synchronous, because a hook has nothing else to do meanwhile.
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../base/errors/index.ts';
import { makeFolderSync, readRegularText } from '../base/files/index.ts';
import { privateFileMode } from './durable.ts';

export function writeDurably(file: string, ...pieces: readonly (Uint8Array | string)[]): void {
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

/** `false` if the file does not exist. */
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
    // Windows and some network disks cannot sync a folder; there the system orders the writes.
  }
}

export function writeAll(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
}

/** `undefined` if the file is missing or unreadable. */
export function readText(file: string): string | undefined {
  try {
    return readRegularText(file);
  } catch {
    return undefined;
  }
}

/** Sorted; empty if the folder is missing. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
