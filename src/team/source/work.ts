// Prompts, calls and transcripts in the store → what statistics count, by the code for the local index.
import type { CallFact, LibraryWork, PromptFact, TranscriptFact } from '../../library/usage/index.ts';
import type { Sql } from '../database/index.ts';
import type { Scope } from './people.ts';
import type { StoredSession } from './sessions.ts';
import { ofPeople } from './usage-cells.ts';

interface PromptRow {
  readonly person: number;
  readonly session_id: string;
  readonly prompt_key: string;
  readonly typed_at: Date | null;
  readonly is_copy: boolean;
}

interface CallRow {
  readonly name: string;
  readonly touched: string | null;
  readonly is_error: boolean | null;
  readonly called_at: Date | null;
}

/** Of the sessions that are wanted; copies of a call or a prompt count once for each person. */
export async function readWork(sql: Sql, scope: Scope, wanted: readonly StoredSession[]): Promise<LibraryWork> {
  const keys = new Set(wanted.map(({ person, storeId }) => keyOf(person, storeId)));
  const turns = new Map(wanted.map(({ session, facts }) => [session, facts.turnStarts]));
  const bySession = new Map([...turns].map(([session, starts]) => [`${session.path}\n${session.sessionId}`, starts]));
  return {
    prompts: await readPrompts(sql, scope, keys),
    calls: await readCalls(sql, scope, keys),
    transcripts: wanted.flatMap(({ facts }): readonly TranscriptFact[] => facts.transcripts),
    turnsSince: ({ path, sessionId }, sinceMs) =>
      (bySession.get(`${path}\n${sessionId}`) ?? []).filter((time) => time !== null && time >= sinceMs).length,
  };
}

function keyOf(person: number, storeId: string): string {
  return `${person} ${storeId}`;
}

async function readPrompts(sql: Sql, scope: Scope, wanted: ReadonlySet<string>): Promise<readonly PromptFact[]> {
  const rows = await sql.unsafe<PromptRow[]>(`SELECT person, session_id, prompt_key, typed_at, is_copy FROM clew.prompts
    WHERE ${ofPeople(scope)} ORDER BY person, is_copy, typed_at NULLS FIRST`);
  return rows
    .filter(({ person, session_id: id }) => wanted.has(keyOf(person, id)))
    .map((row) => ({ key: `${row.person} ${row.prompt_key}`, time: timeOf(row.typed_at), isCopy: row.is_copy }));
}

async function readCalls(sql: Sql, scope: Scope, wanted: ReadonlySet<string>): Promise<readonly CallFact[]> {
  // The sessions as a list of the query: copies of one call may be in a session that is not wanted.
  const rows = await sql<CallRow[]>`
    SELECT min(c.name COLLATE "C") AS name, min(p.touched COLLATE "C") AS touched, bool_or(c.is_error) AS is_error, min(c.called_at) AS called_at
    FROM clew.calls c LEFT JOIN clew.call_paths p USING (tenant, person, month, session_id, nth)
    WHERE ${sql.unsafe(ofPeople(scope))} AND person || ' ' || session_id IN (SELECT jsonb_array_elements_text(${JSON.stringify([...wanted])}::text::jsonb))
    GROUP BY person, call_key`;
  return rows.map((row) => ({
    name: row.name,
    touched: row.touched ?? undefined,
    isError: row.is_error ?? undefined,
    time: timeOf(row.called_at),
  }));
}

function timeOf(time: Date | null): number {
  return time?.getTime() ?? Number.NaN;
}
