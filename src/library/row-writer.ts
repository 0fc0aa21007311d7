// Rows of one transcript → the index. Called inside a transaction, together with the new offset of the file, so that
// an index never holds half of what its offsets claim.
import { countUsage, type UsageLine } from '../session/usage.ts';
import { type Database, insertMany, type Row, type SqlValue } from './database.ts';
import type { CallRow, NewRows, SessionFacts } from './row-reader.ts';

/** How many rows were written. */
export function writeRows(database: Database, file: FileRow, rows: NewRows): number {
  const messages = messageRows(database, file, rows.usage);
  insertMany(database, 'INSERT OR REPLACE INTO messages', 17, messages);
  insertMany(
    database,
    'INSERT OR REPLACE INTO prompts',
    5,
    rows.prompts.map((row) => [file.id, row.line, row.uuid ?? null, timeValue(row.time), row.kind]),
  );
  const results = new Map(rows.results.map((result) => [result.toolUseId, result]));
  insertMany(
    database,
    'INSERT OR IGNORE INTO tool_calls',
    8,
    rows.calls.map((call) => callRow(file.id, call, results)),
  );
  const made = new Set(rows.calls.map((call) => call.toolUseId));
  const late = rows.results.filter((result) => !made.has(result.toolUseId));
  const answer = database.prepare(
    'UPDATE tool_calls SET is_error = ?, agent_id = coalesce(?, agent_id) WHERE file = ? AND tool_use_id = ? AND is_error IS NULL',
  );
  for (const { toolUseId, isError, agentId } of late) answer.run(isError ? 1 : 0, agentId ?? null, file.id, toolUseId);
  updateSession(database, file, rows.facts, rows.prompts.length);
  return messages.length + rows.prompts.length + rows.calls.length + late.length;
}

export interface FileRow {
  readonly id: number;
  readonly session: number;
  readonly path: string;
  readonly isAgent: boolean;
  /** Nothing of it was in the index before. */
  readonly isNew: boolean;
}

function callRow(
  file: number,
  call: CallRow,
  results: ReadonlyMap<string, { isError: boolean; agentId: string | undefined }>,
): SqlValue[] {
  const result = results.get(call.toolUseId);
  const isError = result === undefined ? null : result.isError ? 1 : 0;
  const { toolUseId, line, time, name, touched } = call;
  return [file, toolUseId, line, timeValue(time), name, touched ?? null, isError, result?.agentId ?? null];
}

/** The counting rule over the new lines and what the index already has of the same messages. */
function messageRows(database: Database, file: FileRow, lines: readonly UsageLine[]): SqlValue[][] {
  const known = file.isNew ? [] : knownLines(database, file, lines);
  return countUsage([...known, ...lines]).messages.map(({ line, usage, isLowerBound }) => [
    file.id,
    line.messageId ?? (line.uuid === undefined ? `line ${line.line}` : `line ${line.uuid}`),
    line.requestId ?? '',
    line.messageId ?? null,
    line.uuid ?? null,
    line.line,
    timeValue(line.time),
    line.model ?? null,
    isLowerBound ? null : (line.stopReason ?? 'yes'),
    line.isSidechain ? 1 : 0,
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadTokens,
    usage.cacheWrite5mTokens,
    usage.cacheWrite1hTokens,
    usage.webSearches,
    usage.fast ? 1 : 0,
  ]);
}

function knownLines(database: Database, file: FileRow, lines: readonly UsageLine[]): UsageLine[] {
  const find = database.prepare('SELECT * FROM messages WHERE file = ? AND key = ?');
  const ids = new Set(lines.flatMap((line) => line.messageId ?? []));
  return [...ids].flatMap((id) =>
    find.all(file.id, id).map((row) => usageLine(row, file.path, lines[0]?.sessionId ?? '')),
  );
}

/** A row of `messages` as the line it stands for. */
export function usageLine(row: Row, path: string, sessionId: string): UsageLine {
  return {
    file: path,
    line: Number(row.line),
    uuid: text(row.uuid),
    sessionId,
    isSidechain: row.sidechain === 1,
    messageId: text(row.message_id),
    requestId: text(row.request_id) || undefined,
    model: text(row.model),
    stopReason: text(row.stop_reason),
    time: row.time === null ? Number.NaN : Number(row.time),
    usage: {
      inputTokens: Number(row.input),
      outputTokens: Number(row.output),
      cacheReadTokens: Number(row.cache_read),
      cacheWrite5mTokens: Number(row.write_5m),
      cacheWrite1hTokens: Number(row.write_1h),
      webSearches: Number(row.web_searches),
      fast: row.fast === 1,
    },
  };
}

function updateSession(database: Database, file: FileRow, facts: SessionFacts, prompts: number): void {
  // A sub-agent's lines widen the session's time, and nothing else about it.
  const own = file.isAgent ? undefined : facts;
  database
    .prepare(
      `UPDATE sessions SET
        cwd = coalesce(cwd, ?), version = coalesce(?, version), custom_title = coalesce(?, custom_title),
        ai_title = coalesce(?, ai_title), last_prompt = coalesce(?, last_prompt), first_prompt = coalesce(first_prompt, ?),
        started_at = min(coalesce(started_at, ?), coalesce(?, started_at)),
        ended_at = max(coalesce(ended_at, ?), coalesce(?, ended_at)),
        entries = entries + ?, prompts = prompts + ?, damage = damage + ?
      WHERE id = ?`,
    )
    .run(
      own?.cwd ?? null,
      own?.version ?? null,
      own?.customTitle ?? null,
      own?.aiTitle ?? null,
      own?.lastPrompt ?? null,
      own?.firstPrompt ?? null,
      timeValue(facts.startedAt),
      timeValue(facts.startedAt),
      timeValue(facts.endedAt),
      timeValue(facts.endedAt),
      own?.entries ?? 0,
      file.isAgent ? 0 : prompts,
      own?.damage ?? 0,
      file.session,
    );
}

function timeValue(time: number): number | null {
  return Number.isFinite(time) ? time : null;
}

function text(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
