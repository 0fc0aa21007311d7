// Counted messages → cells: the sums of one session, model and quarter of an hour, priced and unpriced messages in
// separate cells. Every report is made of cells: there are far fewer of them than messages, and days, weeks and blocks
// all begin at a quarter. The index keeps them until it changes, so that a second report counts nothing.

import path from 'node:path';
import { billedTokens } from '../../format/entry/index.ts';
import type { PriceList } from '../../models/index.ts';
import { type CountedMessage, countUsage, type UsageLine } from '../../session/usage/index.ts';
import { projectsFolders } from '../../store/index.ts';
import { type Database, type Row, type SqlValue, unpackLines } from '../index/index.ts';
import { compareAges, madeAtOf, readOrigins, type SessionAge } from './lineage.ts';

export interface UsageCell {
  readonly session: UsageSession;
  /** `undefined` where the messages name none. */
  readonly model: string | undefined;
  readonly isFast: boolean;
  /** When its quarter of an hour begins; `NaN` where the messages have no time. */
  readonly time: number;
  readonly messages: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  /** `undefined` where there is no price for the model. */
  readonly costMicroUsd: number | undefined;
  readonly outputIsLowerBound: boolean;
}

export interface CellScope {
  readonly roots: readonly string[];
}

/** The cells of a library, from the index as it is. */
export function usageCells(database: Database, { roots }: CellScope, prices: PriceList): readonly UsageCell[] {
  const key = JSON.stringify([projectPrefixes(roots), prices.prices.fingerprint]);
  const kept = database.prepare('SELECT cells FROM usage_cache WHERE key = ?').get(key)?.cells;
  if (typeof kept === 'string') return unpackCells(kept);
  const version = dataVersion(database);
  const cells = makeCells(countLibrary(database, { roots }, prices));
  database.transaction(() => {
    // What another process wrote in between is not in these cells.
    if (dataVersion(database) !== version) return;
    database.prepare('INSERT OR REPLACE INTO usage_cache VALUES (?, ?)').run(key, packCells(cells));
  });
  return cells;
}

export const quarterMs: number = 15 * 60 * 1000;

export function makeCells(messages: readonly PricedMessage[]): readonly UsageCell[] {
  const cells = new Map<string, Mutable<UsageCell>>();
  for (const { line, usage, session, costMicroUsd, isLowerBound } of messages) {
    const time = Math.floor(line.time / quarterMs) * quarterMs;
    const isUnpriced = costMicroUsd === undefined;
    const key = `${session.id} ${time} ${usage.fast} ${isUnpriced} ${line.model}`;
    let cell = cells.get(key);
    if (cell === undefined) {
      cell = emptyCell(session, line.model, usage.fast, time, isUnpriced);
      cells.set(key, cell);
    }
    cell.messages++;
    const tokens = billedTokens(usage);
    cell.inputTokens += tokens.inputTokens;
    cell.outputTokens += tokens.outputTokens;
    cell.cacheReadTokens += tokens.cacheReadTokens;
    cell.cacheWrite5mTokens += tokens.cacheWrite5mTokens;
    cell.cacheWrite1hTokens += tokens.cacheWrite1hTokens;
    if (cell.costMicroUsd !== undefined) cell.costMicroUsd += costMicroUsd ?? 0;
    if (isLowerBound) cell.outputIsLowerBound = true;
  }
  return [...cells.values()];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function emptyCell(
  session: UsageSession,
  model: string | undefined,
  isFast: boolean,
  time: number,
  isUnpriced: boolean,
): Mutable<UsageCell> {
  return {
    session,
    model,
    isFast,
    time,
    messages: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    costMicroUsd: isUnpriced ? undefined : 0,
    outputIsLowerBound: false,
  };
}

interface PackedCells {
  readonly sessions: readonly UsageSession[];
  readonly models: readonly (string | null)[];
  /** Of each cell its numbers, in the order of `UsageCell`. */
  readonly values: readonly (number | null)[];
}

function packCells(cells: readonly UsageCell[]): string {
  const sessions = new Map<UsageSession, number>();
  const models = new Map<string | undefined, number>();
  const values: (number | null)[] = [];
  for (const cell of cells) {
    values.push(
      place(sessions, cell.session),
      place(models, cell.model),
      (cell.isFast ? 1 : 0) + (cell.outputIsLowerBound ? 2 : 0),
      Number.isNaN(cell.time) ? null : cell.time / quarterMs,
      cell.messages,
      cell.inputTokens,
      cell.outputTokens,
      cell.cacheReadTokens,
      cell.cacheWrite5mTokens,
      cell.cacheWrite1hTokens,
      cell.costMicroUsd ?? null,
    );
  }
  const names = [...models.keys()].map((model) => model ?? null);
  return JSON.stringify({ sessions: [...sessions.keys()], models: names, values } satisfies PackedCells);
}

const width = 11;

function unpackCells(text: string): readonly UsageCell[] {
  const { sessions, models, values } = JSON.parse(text) as PackedCells; // written by packCells
  const cells: UsageCell[] = [];
  for (let i = 0; i + width <= values.length; i += width) {
    const time = values[i + 3];
    const flags = values[i + 2] as number;
    cells.push({
      session: sessions[values[i] as number] as UsageSession,
      model: models[values[i + 1] as number] ?? undefined,
      isFast: (flags & 1) !== 0,
      time: typeof time === 'number' ? time * quarterMs : Number.NaN,
      messages: values[i + 4] as number,
      inputTokens: values[i + 5] as number,
      outputTokens: values[i + 6] as number,
      cacheReadTokens: values[i + 7] as number,
      cacheWrite5mTokens: values[i + 8] as number,
      cacheWrite1hTokens: values[i + 9] as number,
      costMicroUsd: values[i + 10] ?? undefined,
      outputIsLowerBound: (flags & 2) !== 0,
    });
  }
  return cells;
}

function place<T>(known: Map<T, number>, value: T): number {
  const found = known.get(value) ?? known.size;
  known.set(value, found);
  return found;
}

function dataVersion(database: Database): number {
  return Number(database.prepare('PRAGMA data_version').get()?.data_version);
}

// The index → every message of the library, counted once, with its session and its price. All reports are made from
// this one list, so that they cannot disagree.

/** A session, as a usage report names it. */
export interface UsageSession {
  readonly id: number;
  readonly sessionId: string;
  readonly path: string;
  readonly slug: string;
  /** The folder it was started in, where its lines say. */
  readonly cwd?: string;
}

export interface PricedMessage extends CountedMessage {
  readonly session: UsageSession;
  /** `undefined` where there is no price for its model. */
  readonly costMicroUsd: number | undefined;
}

export interface UsageScope {
  /** Only what is below these; an index may hold more. */
  readonly roots: readonly string[];
  /** Sessions that ended before it are not looked at. They cannot share a message with one that began after it. */
  readonly endedAfter?: number;
}

export function countLibrary(database: Database, scope: UsageScope, prices: PriceList): readonly PricedMessage[] {
  const parts = usageParts(database, scope);
  const sessions = new Map(parts.map((part) => [part.file, part.session]));
  return countUsage(linesOf(parts)).messages.map(({ line, usage, isLowerBound }) => ({
    line,
    usage,
    isLowerBound,
    session: sessions.get(line.file) as UsageSession, // every counted line is in a file of the list
    costMicroUsd: prices.costOf(line.model, usage, line.time),
  }));
}

export interface UsagePart {
  readonly file: string;
  readonly session: UsageSession;
  readonly rows: string;
}

export function linesOf(parts: Iterable<UsagePart>): readonly UsageLine[] {
  const lines: UsageLine[] = [];
  for (const { file, session, rows } of parts) unpackLines({ file, sessionId: session.sessionId, rows }, lines);
  return lines;
}

/** What the paths of all transcripts of these roots begin with. */
export function projectPrefixes(roots: readonly string[]): readonly string[] {
  return projectsFolders(roots).map(({ projects }) => `${path.resolve(projects)}${path.sep}`);
}

/** In the order that decides who had a message first: originals before copies, a main transcript before its sub-agents. */
export function usageParts(database: Database, { roots, endedAfter }: UsageScope): readonly UsagePart[] {
  const below = projectPrefixes(roots);
  const isBelow = (file: string): boolean => below.some((folder) => file.startsWith(folder));
  const where = endedAfter === undefined ? '' : 'WHERE s.ended_at >= ?';
  const rows = database
    .prepare(partRows(where))
    .all(...(endedAfter === undefined ? [] : [endedAfter]))
    .filter((row) => isBelow(String(row.file)));
  const sessions = new Map<SqlValue | undefined, { session: UsageSession; age: SessionAge; parts: UsagePart[] }>();
  for (const row of rows) {
    const known = sessions.get(row.session) ?? { session: sessionOf(row), age: ageOf(row), parts: [] };
    sessions.set(row.session, known);
    known.parts.push({ file: String(row.file), session: known.session, rows: String(row.rows) });
  }
  const compare = compareAges(readOrigins(database, isBelow));
  return [...sessions.values()].sort((a, b) => compare(a.age, b.age)).flatMap(({ parts }) => parts);
}

const partRows = (where: string): string => `
SELECT s.id AS session, s.session_id, s.path AS main, s.slug, s.cwd, s.started_at, s.ended_at, f.path AS file, p.rows,
  (SELECT m.first_at FROM files m WHERE m.path = s.path) AS first_at,
  (SELECT min(m.born_ms) FROM files m WHERE m.session = s.id) AS born_ms
FROM usage_parts p JOIN files f ON f.id = p.file JOIN sessions s ON s.id = f.session ${where}
ORDER BY s.id, f.agent_id IS NOT NULL, f.path, p.line`;

function ageOf(row: Row): SessionAge {
  return {
    sessionId: String(row.session_id),
    startedAt: time(row.started_at),
    firstAt: time(row.first_at),
    madeAt: madeAtOf(time(row.born_ms), time(row.ended_at)),
    endedAt: time(row.ended_at),
    path: String(row.main),
  };
}

function time(value: SqlValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

function sessionOf(row: Row): UsageSession {
  return {
    id: Number(row.session),
    sessionId: String(row.session_id),
    path: String(row.main),
    slug: String(row.slug),
    ...(typeof row.cwd === 'string' ? { cwd: row.cwd } : {}),
  };
}
