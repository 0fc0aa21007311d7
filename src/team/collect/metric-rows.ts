// What the index and the counted usage know of a session → the rows that have no text and no path: cells, calls and prompts.
import type { Database, Row } from '../../library/index/index.ts';
import type { UsageCell } from '../../library/usage/index.ts';
import type { CallPathRow, CallRow, CellRow, PromptRow } from '../contract/index.ts';
import type { LocalSession } from './local-sessions.ts';
import { copyKey } from './store-key.ts';

const quarterMs = 15 * 60 * 1000;

export function cellRow(cell: UsageCell, nameOf: (name: string) => string): CellRow {
  return {
    quarter: storableTime(cell.time) === null ? null : Math.floor(cell.time / quarterMs),
    model: cell.model === undefined ? null : nameOf(cell.model),
    isFast: cell.isFast,
    isLowerBound: cell.outputIsLowerBound,
    messages: cell.messages,
    inputTokens: storableCount(cell.inputTokens),
    outputTokens: storableCount(cell.outputTokens),
    cacheReadTokens: storableCount(cell.cacheReadTokens),
    cacheWrite5mTokens: storableCount(cell.cacheWrite5mTokens),
    cacheWrite1hTokens: storableCount(cell.cacheWrite1hTokens),
    costMicroUsd: storableCost(cell.costMicroUsd),
  };
}

/** A damaged line may hold any number; the store holds whole ones that JavaScript knows exactly. */
function storableCount(value: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(value)));
}

function storableCost(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? Math.max(0, value) : null;
}

const firstTime = Date.UTC(1, 0, 1);
const lastTime = Date.UTC(9999, 11, 31);

/** `null` where a line has no time, or none that a calendar has. */
export function storableTime(timeMs: number | null | undefined): number | null {
  return typeof timeMs === 'number' && timeMs >= firstTime && timeMs <= lastTime ? timeMs : null;
}

export interface CallRows {
  readonly calls: readonly CallRow[];
  readonly callPaths: readonly CallPathRow[];
}

/** By transcript and line. */
export function callRows(database: Database, { files }: LocalSession, nameOf: (name: string) => string): CallRows {
  const select = database.prepare(
    'SELECT tool_use_id, name, touched, time, is_error FROM tool_calls WHERE file = ? ORDER BY line, tool_use_id',
  );
  const calls: CallRow[] = [];
  const callPaths: CallPathRow[] = [];
  for (const row of files.flatMap(({ id }) => select.all(id))) {
    const calledAt = timeIn(row);
    if (typeof row.touched === 'string') callPaths.push({ nth: calls.length, calledAt, touched: row.touched });
    calls.push({
      callKey: copyKey(String(row.tool_use_id)),
      name: nameOf(String(row.name)),
      calledAt,
      isError: row.is_error === null ? null : row.is_error === 1,
    });
  }
  return { calls, callPaths };
}

/** Of the main transcript: a sub-agent's prompts are its task. `ownId`: keeps prompts without an id apart. */
export function promptRows(database: Database, { files, path }: LocalSession, ownId: string): readonly PromptRow[] {
  const select = database.prepare('SELECT line, uuid, time, is_copy FROM prompts WHERE file = ? ORDER BY line');
  return files
    .filter((file) => file.path === path)
    .flatMap(({ id }) => select.all(id))
    .map((row) => ({
      promptKey: copyKey(typeof row.uuid === 'string' ? row.uuid : `${ownId} ${row.line}`),
      typedAt: timeIn(row),
      isCopy: row.is_copy === 1,
    }));
}

function timeIn({ time }: Row): number | null {
  return typeof time === 'number' ? storableTime(time) : null;
}
