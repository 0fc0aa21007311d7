// The index → every message of the library, counted once, with its session and its price. All reports are made from
// this one list, so that they cannot disagree.
import path from 'node:path';
import type { PriceList } from '../../models/price-list.ts';
import { type CountedMessage, countUsage, type UsageLine } from '../../session/usage/usage.ts';
import { projectsFolders } from '../../store/roots.ts';
import type { Database, Row, SqlValue } from '../index/database.ts';
import { unpackLines } from '../index/usage-rows.ts';
import { compareAges, madeAtOf, readOrigins, type SessionAge } from './lineage.ts';

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
    session: sessions.get(line.file) as UsageSession, // every counted line stands in a file of the list
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
