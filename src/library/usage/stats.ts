// The sessions the user asked for, from a current index or the team's store → what was done in them: prompts and their times, tools and their
// outcomes, files, models, tokens. Lines that forks and resumes copied are counted once, by their ids.
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { turnStartsOf } from '../../session/facts/index.ts';
import { projectsFolders } from '../../store/index.ts';
import { type Database, insertMany, type ListedSession, type Row } from '../index/index.ts';
import { type Calendar, type Streaks, streaksOf } from './calendar.ts';
import type { UsageCell } from './cells.ts';
import { byModel, sumUp, type UsageRow, type UsageSum } from './report.ts';

export interface LibraryStats {
  readonly sessions: number;
  /** Turns of the active branches of these sessions, those that began in the time that was asked for. */
  readonly turns: number;
  /** What the user said, on any branch. */
  readonly prompts: number;
  readonly agents: number;
  readonly usage: UsageSum;
  /** The most expensive first. */
  readonly models: readonly UsageRow[];
  /** The most used first. */
  readonly tools: readonly ToolStats[];
  /** The most touched first. */
  readonly files: readonly FileStats[];
  /** Prompts by the hour of the day, from midnight, and by the day of the week, from Monday. */
  readonly hours: readonly number[];
  readonly weekdays: readonly number[];
  readonly streaks: Streaks;
  readonly transcripts: number;
  readonly sizeBytes: number;
}

export interface ToolStats {
  readonly name: string;
  readonly calls: number;
  /** Calls that have a result. */
  readonly answered: number;
  readonly errors: number;
}

export interface FileStats {
  readonly path: string;
  readonly calls: number;
}

/** When the user typed something. */
export interface PromptFact {
  /** The same in copies of a prompt. */
  readonly key: string;
  /** Milliseconds; `NaN` if unknown. */
  readonly time: number;
  readonly isCopy: boolean;
}

/** A tool call, its copies included. */
export interface CallFact {
  readonly name: string;
  /** The file that it touched. */
  readonly touched: string | undefined;
  /** `undefined` without a result. */
  readonly isError: boolean | undefined;
  readonly time: number;
}

export interface TranscriptFact {
  readonly isAgent: boolean;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
}

/** What was done in the transcripts that were asked for, also of sub-agents whose main transcript is gone. */
export interface LibraryWork {
  /** Copies after the prompts they are copies of, otherwise in the order of time. */
  readonly prompts: Iterable<PromptFact>;
  readonly calls: readonly CallFact[];
  readonly transcripts: readonly TranscriptFact[];
  /** How many turns of a session began since then. */
  turnsSince(session: ListedSession, sinceMs: number): number;
}

export interface StatsOptions {
  /** Those of the project that was asked for. */
  readonly sessions: readonly ListedSession[];
  /** What they used, of the time that was asked for. */
  readonly cells: readonly UsageCell[];
  /** What is older, or has no time, is left out. */
  readonly sinceMs?: number;
  readonly calendar: Calendar;
  readonly nowMs: number;
}

export function collectStats(work: LibraryWork, options: StatsOptions): LibraryStats {
  const { cells, sinceMs = Number.NEGATIVE_INFINITY, calendar, nowMs } = options;
  const sessions = options.sessions.filter((session) => isSince(lastUse(session), sinceMs));
  const prompts = promptTimes(work.prompts).filter((time) => isSince(time, sinceMs));
  const calls = work.calls.filter(({ time }) => isSince(time, sinceMs));
  const { transcripts } = work;
  return {
    sessions: sessions.length,
    turns: sessions.reduce((sum, session) => sum + turnsSince(work, session, sinceMs), 0),
    prompts: prompts.length,
    agents: transcripts.filter(({ isAgent, mtimeMs }) => isAgent && isSince(mtimeMs, sinceMs)).length,
    usage: sumUp(cells),
    models: byModel(cells),
    tools: toolStats(calls),
    files: fileStats(calls),
    hours: countBy(24, prompts, (date) => date.getHours()),
    weekdays: countBy(7, prompts, (date) => (date.getDay() + 6) % 7),
    streaks: streaksOf(
      prompts.map((time) => calendar.dayOf(time)),
      calendar.dayOf(nowMs),
    ),
    transcripts: transcripts.length,
    sizeBytes: transcripts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

/** Only sessions that were active at that time have to be read. */
function turnsSince(work: LibraryWork, session: ListedSession, sinceMs: number): number {
  return isSince(session.startedAt, sinceMs) ? session.turns : work.turnsSince(session, sinceMs);
}

/** The time of each prompt, `NaN` if unknown; copies in other files have the same key, or say that they are copies. */
function promptTimes(prompts: Iterable<PromptFact>): readonly number[] {
  const times = new Map<string, number>();
  const given = new Set<number>();
  for (const { key, time, isCopy } of prompts) {
    // A fork gives every line another uuid; its time stays.
    if (times.has(key) || (isCopy && given.has(time))) continue;
    times.set(key, time);
    given.add(time);
  }
  return [...times.values()];
}

export interface WorkScope {
  readonly roots: readonly string[];
  readonly isWanted: (place: { readonly cwd: string | undefined; readonly project: string }) => boolean;
}

/** From an index that is current. */
export function workInIndex(database: Database, options: WorkScope): LibraryWork {
  limitTo(database, options);
  return {
    prompts: database
      .prepare(promptRows)
      .all()
      .map((row) => ({
        key: row.uuid === null ? `${row.file} ${row.line}` : String(row.uuid),
        time: timeOf(row),
        isCopy: row.is_copy === 1,
      })),
    calls: database
      .prepare(callRows)
      .all()
      .map((row) => ({
        name: String(row.name),
        touched: typeof row.touched === 'string' ? row.touched : undefined,
        isError: row.is_error === null ? undefined : row.is_error === 1,
        time: timeOf(row),
      })),
    transcripts: database
      .prepare('SELECT agent_id, size, mtime_ms AS time FROM files JOIN stats_scope ON file = id')
      .all()
      .map((row) => ({ isAgent: row.agent_id !== null, sizeBytes: Number(row.size), mtimeMs: timeOf(row) })),
    turnsSince: ({ path }, sinceMs) => turnsOfFile(path, sinceMs),
  };
}

function turnsOfFile(file: string, sinceMs: number): number {
  try {
    return turnStartsOf(file).filter((time) => isSince(time, sinceMs)).length;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return 0; // gone since it was listed
  }
}

function lastUse({ endedAt, mtimeMs }: ListedSession): number {
  return Number.isNaN(endedAt) ? mtimeMs : endedAt;
}

function isSince(time: number, sinceMs: number): boolean {
  return sinceMs === Number.NEGATIVE_INFINITY || time >= sinceMs;
}

/** The transcripts that were asked for, main ones and agents, in a table of this connection alone. */
function limitTo(database: Database, { roots, isWanted }: WorkScope): void {
  database.exec('CREATE TEMP TABLE IF NOT EXISTS stats_scope (file INTEGER PRIMARY KEY)');
  database.exec('DELETE FROM stats_scope');
  const below = projectsFolders(roots).map(({ projects }) => `${path.resolve(projects)}${path.sep}`);
  const rows = database
    .prepare(fileRows)
    .all()
    .filter(({ path: file, cwd, slug }) => {
      const isBelow = below.some((folder) => String(file).startsWith(folder));
      return isBelow && isWanted({ cwd: typeof cwd === 'string' ? cwd : undefined, project: String(slug) });
    });
  insertMany(
    database,
    'INSERT INTO stats_scope',
    1,
    rows.map((row) => [Number(row.id)]),
  );
}

const fileRows = 'SELECT f.id, f.path, s.cwd, s.slug FROM files f JOIN sessions s ON s.id = f.session';

const promptRows = `
SELECT p.file, p.line, p.uuid, p.time, p.is_copy FROM prompts p
JOIN stats_scope s ON s.file = p.file JOIN files f ON f.id = p.file WHERE f.agent_id IS NULL
ORDER BY p.is_copy, p.time`;

const callRows = `
SELECT min(c.name) AS name, min(c.touched) AS touched, max(c.is_error) AS is_error, min(c.time) AS time FROM tool_calls c
JOIN stats_scope s ON s.file = c.file GROUP BY c.tool_use_id`;

function timeOf(row: Row): number {
  return row.time === null ? Number.NaN : Number(row.time);
}

function toolStats(calls: readonly CallFact[]): readonly ToolStats[] {
  const tools = new Map<string, { calls: number; answered: number; errors: number }>();
  for (const { name, isError } of calls) {
    const tool = tools.get(name) ?? { calls: 0, answered: 0, errors: 0 };
    tools.set(name, tool);
    tool.calls++;
    if (isError !== undefined) tool.answered++;
    if (isError === true) tool.errors++;
  }
  return [...tools]
    .map(([name, tool]) => ({ name, ...tool }))
    .sort((a, b) => b.calls - a.calls || order(a.name, b.name));
}

function fileStats(calls: readonly CallFact[]): readonly FileStats[] {
  const files = new Map<string, number>();
  for (const { touched } of calls) {
    if (touched !== undefined) files.set(touched, (files.get(touched) ?? 0) + 1);
  }
  return [...files]
    .map(([path, count]) => ({ path, calls: count }))
    .sort((a, b) => b.calls - a.calls || order(a.path, b.path));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** In the time zone of the machine. */
function countBy(size: number, times: readonly number[], slotOf: (date: Date) => number): readonly number[] {
  const counts = new Array<number>(size).fill(0);
  for (const time of times) {
    if (Number.isNaN(time)) continue;
    const slot = slotOf(new Date(time));
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return counts;
}
