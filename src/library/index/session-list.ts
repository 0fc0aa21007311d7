// An index that is current → what a list shows of every session below the roots. Summaries that are out of date are made
// first; all others come from the index.
import path, { basename } from 'node:path';
import { storedInode } from '../../base/files/index.ts';
import type { SessionSummary, WorkFacts } from '../../session/facts/index.ts';
import {
  compareNames,
  type DiskProblem,
  findNamedTranscripts,
  ProjectListings,
  projectsFolders,
  type TranscriptFile,
} from '../../store/index.ts';
import type { Database, Row, SqlValue } from './database.ts';
import { agentCounts, knownRows, selectKnown, sessionRows } from './session-rows.ts';
import {
  originIn,
  type StaleSession,
  type SummaryOptions,
  summaryOfRow,
  summaryState,
  textOrNone,
  updateSummaries,
  type Verdict,
  verdictIn,
  workFactsIn,
} from './session-summaries.ts';

/** A session in the list of a library. */
export interface ListedSession extends SessionSummary {
  /** The folder of its transcript. */
  readonly project: string;
  readonly root: string;
  readonly mtimeMs: number;
  readonly firstPrompt: string | undefined;
  /** What doctor found in its files; `undefined`: not examined since they last changed. */
  readonly verdict: Verdict | undefined;
}

/** All sessions of a library. */
export interface SessionList {
  /** By root, then project, then id. */
  readonly sessions: readonly ListedSession[];
  /** Transcripts of other programs. */
  readonly foreign: readonly string[];
  readonly problems: readonly DiskProblem[];
  /** Transcripts that had to be read for it. */
  readonly filesRead: number;
}

export interface ListOptions extends SummaryOptions {
  readonly roots: readonly string[];
}

export function listSessions(database: Database, options: ListOptions): SessionList {
  const listings = new ProjectListings();
  const found = mainTranscripts(database, options.roots, listings);
  const stale = found.filter(({ row, state }) => row.summary_state !== state);
  const { fresh, problems, filesRead } = updateSummaries(database, stale, listings, options);
  const sessions: ListedSession[] = [];
  const foreign: string[] = [];
  for (const { file, root, state, identity, row, hasFolder } of found) {
    const summary = row.summary_state === state ? summaryOfRow(row) : fresh.get(file);
    if (summary === 'foreign') foreign.push(file);
    else if (summary !== undefined) {
      sessions.push({
        ...summary,
        project: String(row.slug),
        root,
        mtimeMs: identity.mtimeMs,
        firstPrompt: textOrNone(row.first_prompt),
        verdict: verdictIn(row, file, identity, hasFolder),
      });
    }
  }
  return { sessions, foreign, problems, filesRead };
}

interface MainTranscript extends StaleSession {
  readonly root: string;
  /** Whether it has a side folder. */
  readonly hasFolder: boolean;
}

function mainTranscripts(
  database: Database,
  roots: readonly string[],
  listings: ProjectListings,
): readonly MainTranscript[] {
  const folders = projectsFolders(roots).map(({ root, projects }) => ({ root, start: projects + path.sep }));
  const agents = agentCounts(database);
  const found: (MainTranscript & { readonly rank: number })[] = [];
  for (const row of sessionRows(database)) {
    const file = String(row.path);
    const rank = folders.findIndex(({ start }) => file.startsWith(start));
    const root = folders[rank]?.root;
    if (root === undefined) continue;
    const { dev, ino, file_size: size, mtime_ms: mtimeMs } = row;
    const identity = { dev: Number(dev), ino: storedInode(ino), size: Number(size), mtimeMs: Number(mtimeMs) };
    const hasFolder = listings.hasFolder(file);
    const state = summaryState(file, identity, agents.get(Number(row.id)) ?? 0, hasFolder);
    found.push({ file, root, rank, row, identity, state, hasFolder });
  }
  return found.sort(
    (a, b) =>
      a.rank - b.rank ||
      compareNames(String(a.row.slug), String(b.row.slug)) ||
      compareNames(String(a.row.session_id), String(b.row.session_id)),
  );
}

export interface KnownSession
  extends Pick<
      ListedSession,
      | 'sessionId'
      | 'path'
      | 'project'
      | 'root'
      | 'mtimeMs'
      | 'sizeBytes'
      | 'verdict'
      | 'tag'
      | 'forkedFrom'
      | 'firstUuid'
      | 'origin'
    >,
    WorkFacts {
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  readonly firstPrompt: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  /** What only a reading of the whole transcript shows, as of the last reading. */
  readonly counts: Pick<ListedSession, 'entries' | 'turns' | 'agents' | 'damage'> | undefined;
}

export function knownSessions(database: Database, files: readonly TranscriptFile[]): readonly KnownSession[] {
  const rows = new Map<string, Row>();
  for (const row of knownRows(database)) rows.set(String(row.main), row);
  return knownOf(rows, files).sort((a, b) => compareNames(a.path, b.path));
}

function knownOf(rows: ReadonlyMap<string, Row>, files: readonly TranscriptFile[]): KnownSession[] {
  return files
    .filter(({ path, mainPath }) => mainPath === path)
    .filter(({ path }) => rows.get(path)?.is_foreign !== 1)
    .map((file) => knownSession(file, rows.get(file.path)));
}

/** The sessions that were used last, as the index has them, without deleted ones; and how many the index holds. */
export function newestSessions(
  database: Database,
  roots: readonly string[],
  limit: number,
): { readonly sessions: readonly KnownSession[]; readonly total: number } {
  const names = projectsFolders(roots).map(({ root }) => root);
  const isBelow = `s.root IN (${names.map(() => '?').join(',')})`;
  const rows = database.prepare(`${selectKnown} WHERE ${isBelow} ${newestFirst}`).all(...names, limit);
  const counted = database.prepare(`SELECT count(*) AS total FROM sessions s WHERE ${isBelow}`).get(...names);
  const { files } = findNamedTranscripts(
    roots,
    rows.map((row) => String(row.main)),
  );
  const sessions = knownOf(new Map(rows.map((row) => [String(row.main), row])), files);
  return { sessions, total: Number(counted?.total ?? 0) - (rows.length - sessions.length) };
}

const newestFirst = `
ORDER BY coalesce(s.ended_at, (SELECT f.mtime_ms FROM files f WHERE f.path = s.path)) DESC LIMIT ?`;

function knownSession(file: TranscriptFile, row: Row | undefined): KnownSession {
  const { path, slug, root, mtimeMs, size } = file;
  const counts =
    typeof row?.turns === 'number'
      ? {
          entries: Number(row.entries),
          turns: row.turns,
          agents: Number(row.agents),
          damage: Number(row.damage),
        }
      : undefined;
  return {
    sessionId: basename(path, '.jsonl'),
    path,
    project: slug,
    root,
    mtimeMs,
    sizeBytes: size,
    cwd: text(row?.cwd),
    title: text(row?.title),
    firstPrompt: text(row?.first_prompt),
    startedAt: time(row?.started_at),
    endedAt: time(row?.ended_at),
    tag: text(row?.tag),
    forkedFrom: text(row?.forked_from),
    firstUuid: text(row?.first_uuid),
    origin: originIn(row ?? {}),
    ...workFactsIn(row ?? {}),
    verdict: row === undefined ? undefined : verdictIn(row, path, file),
    counts,
  };
}

function text(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function time(value: SqlValue | undefined): number {
  return typeof value === 'number' ? value : Number.NaN;
}
