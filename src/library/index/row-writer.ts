// Rows of many transcripts → the index. Called inside a transaction, together with the new offsets of the files, so
// that an index never holds half of what its offsets claim.

import { type Database, insertValues, type SqlValue } from './database.ts';
import type { NewRows } from './row-reader.ts';

export interface FileRows {
  readonly id: number;
  readonly session: SessionRow;
  readonly isAgent: boolean;
  /** Nothing of it was in the index before. */
  readonly isNew: boolean;
  readonly rows: NewRows;
}

export interface SessionRow {
  readonly id: number;
  readonly path: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly root: string;
}

/** How many rows were written. */
export function writeRows(database: Database, files: readonly FileRows[]): number {
  const values: Record<'sessions' | 'prompts' | 'calls', SqlValue[]> = { sessions: [], prompts: [], calls: [] };
  for (const file of files) {
    addSession(values.sessions, file);
    addPrompts(values.prompts, file);
    addCalls(values.calls, file);
  }
  insertValues(database, saveSessions, 9, values.sessions, keepSessions);
  insertValues(database, 'INSERT OR REPLACE INTO prompts', 6, values.prompts);
  insertValues(database, 'INSERT OR IGNORE INTO tool_calls', 8, values.calls);
  for (const file of files) if (!file.isNew) answerCalls(database, file);
  return files.reduce((sum, { rows }) => sum + rows.prompts.length + rows.calls.length, 0);
}

function addPrompts(values: SqlValue[], { id, rows }: FileRows): void {
  for (const { line, uuid, time, kind, isCopy } of rows.prompts)
    values.push(id, line, uuid ?? null, timeValue(time), kind, Number(isCopy));
}

function addCalls(values: SqlValue[], { id, rows }: FileRows): void {
  for (const { toolUseId, line, time, name, touched, isError, agentId } of rows.calls) {
    const outcome = isError === undefined ? null : Number(isError);
    values.push(id, toolUseId, line, timeValue(time), name, touched ?? null, outcome, agentId ?? null);
  }
}

/** Results of calls that were read earlier. */
function answerCalls(database: Database, { id, rows }: FileRows): void {
  const answer = database.prepare(
    'UPDATE tool_calls SET is_error = ?, agent_id = coalesce(?, agent_id) WHERE file = ? AND tool_use_id = ? AND is_error IS NULL',
  );
  for (const { toolUseId, isError, agentId } of rows.results)
    answer.run(isError ? 1 : 0, agentId ?? null, id, toolUseId);
}

const saveSessions = 'INSERT INTO sessions (id, path, session_id, slug, root, cwd, first_prompt, started_at, ended_at)';
const keepSessions = `ON CONFLICT (id) DO UPDATE SET
  cwd = coalesce(cwd, excluded.cwd), first_prompt = coalesce(first_prompt, excluded.first_prompt), ${keepTimes('sessions')}`;

/** Of an upsert into a table of things that last from the first of their lines to the last. */
export function keepTimes(table: 'sessions' | 'files'): string {
  const [start, end] = [`${table}.started_at`, `${table}.ended_at`];
  return `started_at = min(coalesce(${start}, excluded.started_at), coalesce(excluded.started_at, ${start})),
    ended_at = max(coalesce(${end}, excluded.ended_at), coalesce(excluded.ended_at, ${end}))`;
}

function addSession(values: SqlValue[], { session, isAgent, rows }: FileRows): void {
  const { id, path, sessionId, slug, root } = session;
  const { cwd, firstPrompt, startedAt, endedAt } = rows.facts;
  // A sub-agent's lines widen the session's time, and nothing else about it.
  const own = isAgent ? [null, null] : [cwd ?? null, firstPrompt ?? null];
  values.push(id, path, sessionId, slug, root, ...own, timeValue(startedAt), timeValue(endedAt));
}

export function timeValue(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}
