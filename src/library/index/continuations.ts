// What the index keeps of each session to summarise it again without reading it again (session/facts/continuation.ts).
// It is saved in one transaction with the summary that it continues. Replacing a transcript clears sessions.summary_state,
// and then it is not used.
import { parseJson } from '../../base/json/index.ts';
import type { Continuation } from '../../session/facts/index.ts';
import { type Database, insertMany, type Row, type SqlValue } from './database.ts';

export const continuationTables: string = `
CREATE TABLE continuations (
  session INTEGER PRIMARY KEY,
  facts TEXT NOT NULL,
  ids BLOB NOT NULL
);
`;

export interface SavedContinuation {
  /** The id of the session. */
  readonly session: SqlValue;
  readonly title: string | undefined;
  /** `undefined`: the next change needs a reading of the whole transcript. */
  readonly continuation: Continuation | undefined;
}

/** The title is left out where it is that of the summary: it may be long. */
type Facts = Omit<Continuation, 'ids' | 'title'> & { readonly rank?: number; readonly text?: string | undefined };

export function saveContinuations(database: Database, saved: readonly SavedContinuation[]): void {
  const rows: SqlValue[][] = [];
  for (const { session, title: shown, continuation } of saved) {
    if (continuation === undefined) {
      database.prepare('DELETE FROM continuations WHERE session = ?').run(session);
      continue;
    }
    const { ids, title, ...rest } = continuation;
    const facts: Facts = { ...rest, ...title, ...(title?.text === shown ? { text: undefined } : {}) };
    rows.push([session, JSON.stringify(facts), Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength)]);
  }
  insertMany(database, 'INSERT OR REPLACE INTO continuations', 3, rows);
}

/** `row`: that of the session, with its summary. */
export function readContinuation(database: Database, row: Row): Continuation | undefined {
  if (typeof row.summary_state !== 'string') return undefined;
  const found = database.prepare('SELECT facts, ids FROM continuations WHERE session = ?').get(row.id ?? null);
  if (found === undefined) return undefined;
  const { rank, text, ...rest } = parseJson(String(found.facts)) as unknown as Facts; // written by saveContinuations
  const title = rank === undefined ? undefined : { rank, text: text ?? String(row.title) };
  return { ...rest, pin: rest.pin, answer: rest.answer, title, ids: numbersOf(found.ids) };
}

/** A copy, because the bytes of a row need not begin at a multiple of four. */
function numbersOf(value: SqlValue | undefined): Int32Array {
  const bytes = value instanceof Uint8Array ? Uint8Array.from(value) : new Uint8Array();
  return new Int32Array(bytes.buffer);
}
