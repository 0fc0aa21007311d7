// Where pushes keep their state, in Clew's state folder: `push/hash-key`, and a folder for each store with `journal.jsonl`
// (what the store has of this machine) and `outbox/` (sessions that were collected and not acknowledged yet).
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { stateFolder } from '../../store/index.ts';

export interface PushPlaces {
  /** For all stores. */
  readonly folder: string;
  /** For one store. */
  readonly store: string;
  readonly journal: string;
  readonly outbox: string;
}

export function pushFolder(env: Environment = process.env): string {
  return path.join(stateFolder(env), 'push');
}

/** The password and the person's options do not make another store. */
export function pushPlaces(address: string, env: Environment = process.env): PushPlaces {
  const folder = pushFolder(env);
  const name = createHash('sha256').update(withoutPassword(address)).digest('hex').slice(0, 16);
  const store = path.join(folder, name);
  return { folder, store, journal: path.join(store, 'journal.jsonl'), outbox: path.join(store, 'outbox') };
}

function withoutPassword(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) return address;
  return [url.protocol, url.username, url.host, url.pathname, url.searchParams.get('host') ?? ''].join(' ');
}
