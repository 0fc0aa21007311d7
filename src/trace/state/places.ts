// The files of the tracer in Clew's state folder: `sessions/` how far each session was read, `outbox/` waiting batches,
// `dead/` refused batches, `ledger/` everything that was ever added to the outbox.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../base/digest/index.ts';
import { systemErrorCode } from '../../base/errors/index.ts';
import { makeFolderSync, openRegularFile, readRegularText } from '../../base/files/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { privateFileMode, stateFolder } from '../../store/index.ts';

/** Where the files of the tracer are. */
export interface TracePlaces {
  readonly folder: string;
  readonly config: string;
  readonly log: string;
  readonly sessions: string;
}

export function tracePlaces(env: Environment = process.env): TracePlaces {
  const state = stateFolder(env);
  const folder = path.join(state, 'trace');
  return {
    folder,
    config: path.join(state, 'trace.json'),
    log: path.join(state, 'trace.log'),
    sessions: path.join(folder, 'sessions'),
  };
}

export function outboxOf(places: TracePlaces, destination: string): string {
  return path.join(places.folder, 'outbox', destination);
}

export function deadOf(places: TracePlaces, destination: string): string {
  return path.join(places.folder, 'dead', destination);
}

export function ledgerOf(places: TracePlaces, destination: string): string {
  return path.join(places.folder, 'ledger', `${destination}.bin`);
}

export function statusOf(places: TracePlaces, destination: string): string {
  return path.join(places.folder, 'status', `${destination}.json`);
}

/** A unique file name for any id, readable if the id is an ordinary one. */
export function sessionKey(sessionId: string): string {
  const hash = sha256(Buffer.from(sessionId)).toString('hex').slice(0, 12);
  return `${sessionId.replace(/[^A-Za-z0-9-]/g, '').slice(0, 40)}-${hash}`;
}

export function sendLock(destination: string): string {
  return `send-${destination}.lock`;
}

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

export function writeAll(handle: number, bytes: Buffer): void {
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

/** At most `size` bytes from the start or the end of a file; `undefined` if it is missing or unreadable. */
export function readEdge(
  file: string,
  edge: 'start' | 'end',
  size: number,
): { readonly text: string; readonly isWhole: boolean } | undefined {
  try {
    const handle = openRegularFile(file);
    try {
      const total = fstatSync(handle).size;
      const buffer = Buffer.alloc(Math.min(size, total));
      const length = readSync(handle, buffer, 0, buffer.length, edge === 'start' ? 0 : total - buffer.length);
      return { text: buffer.toString('utf8', 0, length), isWhole: buffer.length === total };
    } finally {
      closeSync(handle);
    }
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
