// A session and its rows → the head that says which content they are, and its facts and titles.
import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../base/json/index.ts';
import { isMoved } from '../../doctor/checks/index.ts';
import { cleanupDays } from '../../library/session-files/index.ts';
import { turnStartsOf } from '../../session/facts/index.ts';
import {
  type Month,
  monthOf,
  noMonth,
  type SessionHead,
  type SessionRows,
  type StoredFacts,
  type StoredTitle,
  type TitleRow,
} from '../contract/index.ts';
import { type CleanText, cleanJson } from './clean-names.ts';
import type { LocalSession } from './local-sessions.ts';
import { storableTime } from './metric-rows.ts';

export function storedFacts(session: LocalSession, nameOf: (name: string) => string): StoredFacts {
  const { path, listed, files, project, root, cwd, prices, turnStarts } = session;
  const main = files.find((file) => file.path === path);
  return {
    counts: listed === undefined ? null : countsOf(listed),
    model: listed?.model === undefined ? null : nameOf(listed.model),
    verdict: listed?.verdict ?? null,
    mtimeMs: main?.mtimeMs ?? null,
    turnStarts: listed === undefined ? [] : (turnStarts ?? turnStartsOf(path)).map(storableTime),
    transcripts: files.map(({ agentId, sizeBytes, mtimeMs }) => ({
      isAgent: agentId !== undefined,
      sizeBytes,
      mtimeMs,
    })),
    ...(prices === undefined ? {} : { prices }),
    cleanupDays: cleanupDays(root),
    isMoved: isMoved(cwd, project),
  };
}

function countsOf(listed: NonNullable<LocalSession['listed']>): StoredFacts['counts'] {
  const { entries, turns, agents, sizeBytes, diagnostics, damage } = listed;
  return { entries, turns, agents, sizeBytes, diagnostics, damage };
}

/** `name`: of the main transcript. */
export function titleRow(session: LocalSession, name: string, clean: CleanText): TitleRow {
  const { path, project, root, cwd, listed, madeBy, jobs = [] } = session;
  const [first] = session.cells;
  const facts: StoredTitle = {
    sessionId: name,
    project,
    root,
    tag: listed?.tag ?? null,
    gitBranch: listed?.gitBranch ?? null,
    worktree: plainJson(listed?.worktree ?? null) as JsonObject | null,
    pullRequests: plainJson(listed?.pullRequests ?? []) as readonly JsonObject[],
    forkedFrom: listed?.forkedFrom ?? null,
    firstUuid: listed?.firstUuid ?? null,
    origin: plainJson(listed?.origin ?? {}) as JsonObject,
    ...(listed === undefined || listed.cwd === cwd ? {} : { listedCwd: listed.cwd ?? null }),
    ...(first === undefined || first.session.cwd === cwd ? {} : { countedCwd: first.session.cwd ?? null }),
    ...(madeBy === undefined ? {} : { madeBy }),
    ...(jobs.length === 0 ? {} : { jobs }),
  };
  const row = { title: listed?.title ?? null, cwd: cwd ?? null, path, facts: { ...facts } };
  return cleanJson(row as unknown as JsonObject, clean) as unknown as TitleRow;
}

/** Without members that are `undefined`. */
function plainJson(value: object | null): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

/** The store has partitions from then on, and until a month from now. */
const firstMonth: Month = '2020-01-01';

export function monthsOf(rows: Omit<SessionRows, 'head'>, month: Month, nowMs: number): readonly Month[] {
  const months = new Set<Month>([month, noMonth]);
  const add = (time: number | null): void => void months.add(storableMonth(time, nowMs));
  for (const { quarter } of rows.cells) add(quarter === null ? null : quarter * 15 * 60 * 1000);
  for (const { calledAt } of rows.calls) add(calledAt);
  for (const { typedAt } of rows.prompts) add(typedAt);
  for (const { saidAt } of rows.documents) add(saidAt);
  for (const { saidAt } of rows.exchanges) add(saidAt);
  return [...months].sort();
}

let [lastNow, thisMonth] = [Number.NaN, noMonth];

/** Clocks are wrong in real files. */
export function storableMonth(time: number | null, nowMs: number): Month {
  const month = monthOf(time);
  if (nowMs !== lastNow) [lastNow, thisMonth] = [nowMs, monthOf(nowMs)];
  return month >= firstMonth && month <= thisMonth ? month : noMonth;
}

/** Equal for equal content: compressed pieces count by the hash of their file, as another zlib may pack them otherwise. */
export function contentKeyOf(
  head: Omit<SessionHead, 'contentKey' | 'months'>,
  rows: Omit<SessionRows, 'head'>,
): string {
  const { tombstone: _, raises: __, continues: ___, machine: ____, ...content } = head;
  const hash = createHash('sha256').update(JSON.stringify(content));
  for (const [name, table] of Object.entries(rows) as [string, readonly object[]][]) {
    hash.update(`\n${name} ${table.length}`);
    for (const row of table) hash.update(JSON.stringify(name === 'packs' ? { ...row, data: undefined } : row));
  }
  return hash.digest('base64url');
}
