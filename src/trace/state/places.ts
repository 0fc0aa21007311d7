// The files of the tracer in Clew's state folder: `sessions/` how far each session was read, `outbox/` waiting batches,
// `dead/` refused batches, `ledger/` everything that was ever added to the outbox.
import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../base/digest/index.ts';
import { openRegularFile } from '../../base/files/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { stateFolder } from '../../store/index.ts';

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
