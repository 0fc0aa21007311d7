// A current index and counted usage → every session of the roots with what both know of it, as a push needs it: also those
// whose main transcript is gone, because `clew usage` counts their sub-agents.
import { basename, sep } from 'node:path';
import { type Inode, storedInode } from '../../base/files/index.ts';
import type { Database, ListedSession, ReadSummaries, Row } from '../../library/index/index.ts';
import { type BackgroundJob, type MadeBy, readJobs } from '../../library/lineage/index.ts';
import { type CountedUsage, cellsOf, type UsageCell } from '../../library/usage/index.ts';
import { projectsFolders } from '../../store/index.ts';

/** A transcript as the index read it. */
export interface IndexedFile {
  readonly id: number;
  readonly path: string;
  /** The number of its session in the index. */
  readonly session: number;
  readonly agentId: string | undefined;
  readonly dev: number;
  readonly ino: Inode;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  /** How far its lines are in the index. */
  readonly endOffset: number;
}

export interface LocalSession {
  /** Of the main transcript, whether or not it still exists. */
  readonly path: string;
  /** The name of the project folder. */
  readonly project: string;
  readonly root: string;
  readonly cwd: string | undefined;
  /** `undefined`: the main transcript is gone, or another program wrote it. */
  readonly listed: ListedSession | undefined;
  /** `NaN` if no line has a time. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The main transcript first, the others by path. */
  readonly files: readonly IndexedFile[];
  /** In the order of `cellsOf`. */
  readonly cells: readonly UsageCell[];
  /** The version of the prices of the cells. */
  readonly prices?: string | undefined;
  /** The operation of Clew that made it. */
  readonly madeBy?: MadeBy | undefined;
  /** `undefined` if the transcript was not read whole to bring the index up to date. */
  readonly turnStarts?: readonly number[] | undefined;
  /** Background jobs of the client that name it. */
  readonly jobs?: readonly Omit<BackgroundJob, 'root'>[];
}

export interface LocalSources {
  readonly database: Database;
  readonly roots: readonly string[];
  /** From `listSessions`, on the same index. */
  readonly listed: readonly ListedSession[];
  readonly usage: CountedUsage;
  /** The version of the prices that `usage` was counted with. */
  readonly prices?: string;
  /** Those that were made while the index was brought up to date. */
  readonly summaries?: ReadSummaries;
  /** From the log of operations, by the path of the transcript. */
  readonly madeBy?: (path: string) => MadeBy | undefined;
}

/** In the order of their paths. */
export function localSessions(sources: LocalSources): readonly LocalSession[] {
  const { database, roots, listed, usage, prices, summaries, madeBy } = sources;
  const listedByPath = new Map(listed.map((session) => [session.path, session]));
  const cellsByPath = groupBy(cellsOf(usage), ({ session }) => session.path);
  const cwdByPath = new Map(usage.files().map(({ main, cwd }) => [main, cwd]));
  const filesBySession = groupBy(database.prepare(fileRows).all(), ({ session }) => Number(session));
  const folders = projectsFolders(roots).map(({ projects }) => `${projects}${sep}`);
  const jobsOf = jobsById(readJobs(roots));
  const sessions: LocalSession[] = [];
  for (const row of database.prepare(sessionRows).all()) {
    const main = String(row.path);
    if (!folders.some((folder) => main.startsWith(folder))) continue;
    const summary = listedByPath.get(main);
    const files = (filesBySession.get(Number(row.id)) ?? []).map(fileOf);
    if (files.length === 0) continue;
    sessions.push({
      path: main,
      project: String(row.slug),
      root: summary?.root ?? String(row.root),
      cwd: summary?.cwd ?? textColumn(row.cwd) ?? cwdByPath.get(main),
      listed: summary,
      startedAt: summary?.startedAt ?? timeColumn(row.started_at),
      endedAt: summary?.endedAt ?? timeColumn(row.ended_at),
      files: files.sort((a, b) => Number(b.path === main) - Number(a.path === main) || (a.path < b.path ? -1 : 1)),
      cells: cellsByPath.get(main) ?? [],
      prices,
      madeBy: madeBy?.(main),
      turnStarts: summaries?.get(main)?.turnStarts,
      jobs: jobsOf(summary?.root ?? String(row.root), basename(main, '.jsonl')),
    });
  }
  return sessions.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function jobsById(jobs: readonly BackgroundJob[]): (root: string, sessionId: string) => LocalSession['jobs'] & object {
  return (root, sessionId) =>
    jobs
      .filter((job) => job.root === root && job.sessionIds.includes(sessionId))
      .map(({ id, sessionIds }) => ({ id, sessionIds }));
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

const sessionRows = 'SELECT id, path, slug, root, cwd, started_at, ended_at FROM sessions';
const fileRows = 'SELECT id, path, session, agent_id, dev, ino, size, mtime_ms, offset FROM files';

function fileOf(row: Row): IndexedFile {
  return {
    id: Number(row.id),
    path: String(row.path),
    session: Number(row.session),
    agentId: textColumn(row.agent_id),
    dev: Number(row.dev),
    ino: storedInode(row.ino),
    sizeBytes: Number(row.size),
    mtimeMs: Number(row.mtime_ms),
    endOffset: Number(row.offset),
  };
}

function textColumn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function timeColumn(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}
