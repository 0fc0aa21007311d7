// Rows of many transcripts → the index. Called inside a transaction, together with the new offsets of the files, so
// that an index never holds half of what its offsets claim.
import { type Database, insertValues, type SqlValue } from './database.ts';
import type { NewRows } from './row-reader.ts';
import { packLines, reduceLines, unpackLines } from './usage-rows.ts';

export interface FileRows {
  readonly id: number;
  readonly session: SessionRow;
  readonly isAgent: boolean;
  /** Nothing of it was in the index before. */
  readonly isNew: boolean;
  /** How many lines of the file were read before. */
  readonly firstLine: number;
  readonly rows: NewRows;
}

export interface SessionRow {
  readonly id: number;
  readonly path: string;
  readonly sessionId: string;
  readonly slug: string;
  readonly root: string;
}

/** Called in the transaction of whatever changes what usage-cells.ts counts. */
export function forgetCells(database: Database): void {
  database.exec('DELETE FROM usage_cache');
}

/** How many rows were written. */
export function writeRows(database: Database, files: readonly FileRows[]): number {
  const values: Record<'sessions' | 'usage' | 'origins' | 'prompts' | 'calls', SqlValue[]> = {
    sessions: [],
    usage: [],
    origins: [],
    prompts: [],
    calls: [],
  };
  for (const file of files) {
    addSession(values.sessions, file);
    addUsage(values.usage, database, file);
    for (const origin of file.rows.origins) values.origins.push(file.id, origin);
    addPrompts(values.prompts, file);
    addCalls(values.calls, file);
  }
  insertValues(database, saveSessions, 9, values.sessions, keepSessions);
  insertValues(database, 'INSERT OR REPLACE INTO usage_parts', 3, values.usage);
  insertValues(database, 'INSERT OR IGNORE INTO origins', 2, values.origins);
  insertValues(database, 'INSERT OR REPLACE INTO prompts', 6, values.prompts);
  insertValues(database, 'INSERT OR IGNORE INTO tool_calls', 8, values.calls);
  for (const file of files) if (!file.isNew) answerCalls(database, file);
  return files.reduce((sum, { rows }) => sum + rows.usage.length + rows.prompts.length + rows.calls.length, 0);
}

/** A part smaller than this is written again with what follows it, so that a live session has few of them. */
const smallPart = 64 * 1024;

function addUsage(values: SqlValue[], database: Database, { id, isNew, firstLine, rows }: FileRows): void {
  if (rows.usage.length === 0) return;
  const last = isNew ? undefined : lastPart(database, id);
  const before = last === undefined ? [] : unpackLines({ file: '', sessionId: '', rows: last.rows });
  const lines = before.length === 0 ? rows.usage : [...before, ...rows.usage];
  values.push(id, last?.line ?? firstLine, packLines(reduceLines(lines)));
}

function lastPart(database: Database, file: number): { line: number; rows: string } | undefined {
  const part = database
    .prepare('SELECT line, rows FROM usage_parts WHERE file = ? ORDER BY line DESC LIMIT 1')
    .get(file);
  const rows = typeof part?.rows === 'string' ? part.rows : '';
  return part === undefined || rows.length >= smallPart ? undefined : { line: Number(part.line), rows };
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
  cwd = coalesce(cwd, excluded.cwd), first_prompt = coalesce(first_prompt, excluded.first_prompt),
  started_at = min(coalesce(started_at, excluded.started_at), coalesce(excluded.started_at, started_at)),
  ended_at = max(coalesce(ended_at, excluded.ended_at), coalesce(excluded.ended_at, ended_at))`;

function addSession(values: SqlValue[], { session, isAgent, rows }: FileRows): void {
  const { id, path, sessionId, slug, root } = session;
  const { cwd, firstPrompt, startedAt, endedAt } = rows.facts;
  // A sub-agent's lines widen the session's time, and nothing else about it.
  const own = isAgent ? [null, null] : [cwd ?? null, firstPrompt ?? null];
  values.push(id, path, sessionId, slug, root, ...own, timeValue(startedAt), timeValue(endedAt));
}

function timeValue(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}
