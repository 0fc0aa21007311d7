// The files of the tracer in Clew's state folder: `sessions/` how far each session was read, `outbox/` waiting batches,
// `dead/` refused batches, `ledger/` everything that was ever added to the outbox.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Environment } from '../../base/node/node-types.ts';
import { stateFolder } from '../../store/roots.ts';

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
  const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, 12);
  return `${sessionId.replace(/[^A-Za-z0-9-]/g, '').slice(0, 40)}-${hash}`;
}

export function sendLock(destination: string): string {
  return `send-${destination}.lock`;
}
