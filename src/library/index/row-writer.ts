// Rows of many transcripts → the index. Called inside a transaction, together with the new offsets of the files, so
// that an index never holds half of what its offsets claim.

import { noUsage, type TokenCounts } from '../../format/entry/index.ts';
import { isLarger, type UsageLine } from '../../session/usage/index.ts';
import { type Database, insertValues, type SqlValue } from './database.ts';
import type { LineWithUsage, NewRows } from './row-reader.ts';

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

/** Called in the transaction of every change to what usage/cells.ts counts. */
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

// Lines with usage → the compact text the index keeps of them, and back. A file has one such text per reading of it,
// not one row per message: the counting rule wants all of them at once, and binding values one by one costs ten times
// as much as all the rest.

/**
 * Fewer lines that `countUsage` counts the same: of a message's lines that follow one another with the same request and
 * chain only the largest is kept, at the place of the first, with a stop reason if any of them has one.
 */
export function reduceLines<T extends LineWithUsage>(lines: readonly T[]): readonly T[] {
  const kept: T[] = [];
  const lastPlaces = new Map<string, number>();
  for (const line of lines) {
    const id = line.messageId;
    const at = id === undefined ? undefined : lastPlaces.get(id);
    const before = at === undefined ? undefined : kept[at];
    if (at !== undefined && before !== undefined && isSameResponse(before, line)) kept[at] = larger(before, line);
    else {
      if (id !== undefined) lastPlaces.set(id, kept.length);
      kept.push(line);
    }
  }
  return kept;
}

function isSameResponse(a: LineWithUsage, b: LineWithUsage): boolean {
  // Messages that the client wrote itself are recognised by their model, so another kind of line never replaces them.
  const isSameKind = a.isSidechain === b.isSidechain && a.isCopy === b.isCopy;
  return a.requestId === b.requestId && isSameKind && isSynthetic(a) === isSynthetic(b);
}

function isSynthetic({ model }: LineWithUsage): boolean {
  return model === '<synthetic>';
}

function larger<T extends LineWithUsage>(a: T, b: T): T {
  const [most, other] = isLarger(b, a) ? [b, a] : [a, b];
  return most.stopReason !== undefined || other.stopReason === undefined
    ? most
    : { ...most, stopReason: other.stopReason };
}

/** One flat list: numbers first, then the names and the compactions, 0 for those that are absent. */
export function packLines(lines: readonly LineWithUsage[]): string {
  const values: PackedValue[] = [];
  for (const { line, time, isSidechain, stopReason, usage, isCopy, ...names } of lines) {
    const { model, messageId, requestId, uuid } = names;
    const flags =
      (isSidechain ? sidechainFlag : 0) |
      (usage.fast ? fastFlag : 0) |
      (usage.usOnly ? usOnlyFlag : 0) |
      (usage.batch ? batchFlag : 0) |
      (stopReason === undefined ? 0 : stopFlag) |
      (isCopy ? copyFlag : 0);
    values.push(
      line,
      Number.isNaN(time) ? null : time,
      flags,
      usage.inputTokens,
      usage.outputTokens,
      usage.cacheReadTokens,
      usage.cacheWrite5mTokens,
      usage.cacheWrite1hTokens,
      usage.webSearches,
      model ?? 0,
      messageId ?? 0,
      requestId ?? 0,
      // Only a line without a message id is identified by its uuid.
      messageId === undefined ? (uuid ?? 0) : 0,
      usage.compactions.length === 0 ? 0 : usage.compactions.map(packCounts),
    );
  }
  return JSON.stringify(values);
}

export interface PackedLines {
  readonly file: string;
  readonly sessionId: string;
  readonly rows: string;
}

/** Adds to `lines`. A stop reason is restored as `yes`: only its presence matters. */
export function unpackLines({ file, sessionId, rows }: PackedLines, lines: UsageLine[] = []): UsageLine[] {
  const values = JSON.parse(rows) as readonly PackedValue[]; // written by packLines
  for (let i = 0; i + width <= values.length; i += width) {
    const flags = values[i + 2] as number;
    lines.push({
      file,
      line: values[i] as number,
      sessionId,
      uuid: name(values[i + 12]),
      isSidechain: (flags & sidechainFlag) !== 0,
      messageId: name(values[i + 10]),
      requestId: name(values[i + 11]),
      model: name(values[i + 9]),
      stopReason: (flags & stopFlag) === 0 ? undefined : 'yes',
      time: (values[i + 1] as number | null) ?? Number.NaN,
      usage: {
        inputTokens: values[i + 3] as number,
        outputTokens: values[i + 4] as number,
        cacheReadTokens: values[i + 5] as number,
        cacheWrite5mTokens: values[i + 6] as number,
        cacheWrite1hTokens: values[i + 7] as number,
        webSearches: values[i + 8] as number,
        fast: (flags & fastFlag) !== 0,
        usOnly: (flags & usOnlyFlag) !== 0,
        batch: (flags & batchFlag) !== 0,
        compactions: unpackCompactions(values[i + 13]),
      },
      isCopy: (flags & copyFlag) !== 0,
    });
  }
  return lines;
}

const width = 14;
const sidechainFlag = 1;
const fastFlag = 2;
const stopFlag = 4;
const copyFlag = 8;
const usOnlyFlag = 16;
const batchFlag = 32;

type PackedCounts = readonly number[];
type PackedValue = number | string | null | readonly PackedCounts[];

function packCounts(counts: TokenCounts): PackedCounts {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = counts;
  return [inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens];
}

function unpackCompactions(value: PackedValue | undefined): readonly TokenCounts[] {
  if (typeof value !== 'object' || value === null) return noUsage.compactions;
  return value.map(([input = 0, output = 0, read = 0, written5m = 0, written1h = 0]) => ({
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: read,
    cacheWrite5mTokens: written5m,
    cacheWrite1hTokens: written1h,
  }));
}

function name(value: PackedValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
