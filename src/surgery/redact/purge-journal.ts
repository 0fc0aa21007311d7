// What was redacted in place, in Clew's state folder: written before the first file changes, so that an interrupted redaction
// can be finished and every redaction can be proved later. It holds salted hashes of the values, never the values.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../../base/errors/index.ts';
import { asObject, isArray, isObject, parseJson } from '../../base/json/index.ts';
import { diskError, replaceFile, withLock, writeNewFile } from '../../store/index.ts';
import { type HashedValue, hashValue, makeSalt, shortestHashed } from '../secrets/index.ts';
import type { KnownValue } from './redactor.ts';

export interface PurgeJournal {
  /** Hexadecimal. */
  readonly salt: string;
  readonly purges: readonly Purge[];
}

/** The values that must not be in any copy of a session any more. */
export interface Purge {
  readonly sessionId: string;
  /** The transcript as it was called. */
  readonly main: string;
  /** ISO time of the first redaction. */
  readonly at: string;
  /** ISO time at which a search found no copy; absent while copies may remain. */
  readonly doneAt?: string;
  readonly values: readonly PurgedValue[];
  /** Placeholders of values that are too short to be recognised without context. */
  readonly tooShort: readonly string[];
  /** The redacted session belongs into the archive, instead of the copies that are removed from it. */
  readonly isArchived?: boolean;
}

export interface PurgedValue extends HashedValue {
  readonly kind: string;
  readonly placeholder: string;
}

export function purgesFile(state: string): string {
  return path.join(state, 'purges.json');
}

/** Throws if there is a journal that cannot be read: nothing could be proved without it. */
export function readPurges(state: string): PurgeJournal {
  const file = purgesFile(state);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return { salt: makeSalt(), purges: [] };
    throw diskError(error, 'read', file);
  }
  const value = asObject(parseJson(text));
  const isSound = typeof value?.salt === 'string' && /^[0-9a-f]{64}$/.test(value.salt) && isArray(value.purges);
  if (!isSound || !(value.purges as unknown[]).every(isPurge))
    throw new UserError(
      `the journal of redactions (${file}) is damaged`,
      'move it away to start a new one; what it lists can then no longer be proved',
      exitCodes.failed,
    );
  return value as unknown as PurgeJournal; // written by `changePurges`
}

function isPurge(value: unknown): boolean {
  const { sessionId, main, at, values, tooShort } = asObject(value as never) ?? {};
  const isText = [sessionId, main, at].every((each) => typeof each === 'string');
  return isText && isArray(values) && values.every((each) => isObject(each)) && isArray(tooShort);
}

/** Adds the values to those of the session, durably, before anything changes; the purge is pending again. */
export async function beginPurge(
  state: string,
  session: Pick<Purge, 'sessionId' | 'main'>,
  values: readonly KnownValue[],
): Promise<void> {
  await changePurges(state, ({ salt, purges }) => {
    const known = purges.find(({ sessionId }) => sessionId === session.sessionId);
    const old = known ?? { ...session, at: new Date().toISOString(), values: [], tooShort: [] };
    const hashed = values.flatMap(({ kind, placeholder, value }): PurgedValue[] => {
      const hash = hashValue(value, salt);
      const isKnown = hash === undefined || old.values.some(({ sha256 }) => sha256 === hash.sha256);
      return isKnown ? [] : [{ kind, placeholder, ...hash }];
    });
    const short = values.filter(({ value }) => value.length < shortestHashed).map(({ placeholder }) => placeholder);
    const { doneAt: _, ...pending } = old;
    const purge = {
      ...pending,
      values: [...old.values, ...hashed],
      tooShort: [...new Set([...old.tooShort, ...short])],
    };
    return [...purges.filter((each) => each !== known), purge];
  });
}

export async function markPurge(
  state: string,
  sessionId: string,
  mark: Pick<Purge, 'doneAt' | 'isArchived'>,
): Promise<void> {
  await changePurges(state, ({ purges }) =>
    purges.map((purge) => (purge.sessionId === sessionId ? { ...purge, ...mark } : purge)),
  );
}

async function changePurges(state: string, change: (journal: PurgeJournal) => readonly Purge[]): Promise<void> {
  await withLock(state, { name: 'purges.lock', what: 'recording a redaction' }, async () => {
    const journal = readPurges(state);
    const bytes = Buffer.from(`${JSON.stringify({ salt: journal.salt, purges: change(journal) }, undefined, 1)}\n`);
    if (journal.purges.length === 0) await writeNewFile(purgesFile(state), bytes);
    else await replaceFile(purgesFile(state), bytes);
  });
}
