// Sessions on the disk that were collected and not acknowledged yet: one file for each, written whole. A push that was
// killed is finished from here, if the session is still what was collected and its level still allows it.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { namesIn, writeDurably } from '../../store/index.ts';
import type { LevelNumber, SessionRows } from '../contract/index.ts';

export interface SpooledSession {
  readonly path: string;
  readonly cwd: string | null;
  /** What was asked for; the rows may have less. */
  readonly wanted: LevelNumber;
  readonly print: string;
  readonly rows: SessionRows;
}

const ending = '.session';

export function spoolSession(outbox: string, session: SpooledSession): void {
  writeDurably(fileOf(outbox, session.path), serialize(session));
}

/** What earlier runs left. A file that cannot be read is deleted: its session is collected again. */
export function* spooledSessions(outbox: string): Generator<SpooledSession> {
  for (const name of namesIn(outbox).filter((each) => each.endsWith(ending))) {
    const file = path.join(outbox, name);
    const session = readSpooled(file);
    if (session === undefined) rmSync(file, { force: true });
    else yield session;
  }
}

/** The files of an outbox that cannot be sent. */
export function findUnreadable(outbox: string): readonly string[] {
  const files = namesIn(outbox).filter((name) => name.endsWith(ending));
  return files.map((name) => path.join(outbox, name)).filter((file) => readSpooled(file) === undefined);
}

export function dropSpooled(outbox: string, main: string): void {
  rmSync(fileOf(outbox, main), { force: true });
}

export function countSpooled(outbox: string): number {
  return namesIn(outbox).filter((name) => name.endsWith(ending)).length;
}

function fileOf(outbox: string, main: string): string {
  return path.join(outbox, `${createHash('sha256').update(main).digest('hex').slice(0, 24)}${ending}`);
}

function readSpooled(file: string): SpooledSession | undefined {
  try {
    const session = deserialize(readFileSync(file)) as SpooledSession; // written by `spoolSession`
    return typeof session.path === 'string' && typeof session.rows === 'object' ? session : undefined;
  } catch {
    return undefined;
  }
}
