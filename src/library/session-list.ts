// An index that is current → what a list shows of every session below the roots. A summary is made by `summariseFile`
// and kept until a file it was made from changes, so that it is the one the transcript gives, at the price of a row.
import { statSync } from 'node:fs';
import path from 'node:path';
import { unreadableCode } from '../base/errors.ts';
import { largeFileBytes, preferSmallMemory } from '../base/memory.ts';
import { type SessionSummary, summariseFile } from '../session/summary.ts';
import { compareNames, type DiskProblem } from '../store/folders.ts';
import { projectsFolders } from '../store/roots.ts';
import { ProjectListings } from '../store/session-files.ts';
import { type Database, insertMany, type Row, type SqlValue } from './database.ts';
import { type FileIdentity, type Verdict, verdictIn } from './verdicts.ts';

/** A session in the list of a library. */
export interface ListedSession extends SessionSummary {
  /** The folder of its transcript. */
  readonly project: string;
  readonly root: string;
  readonly mtimeMs: number;
  readonly firstPrompt: string | undefined;
  /** What doctor said of its files; `undefined`: not examined since they last changed. */
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

export interface ListOptions {
  readonly roots: readonly string[];
  readonly onProgress?: (progress: { readonly bytesDone: number; readonly bytesTotal: number }) => void;
}

export async function listSessions(database: Database, options: ListOptions): Promise<SessionList> {
  const found = mainTranscripts(database, options.roots);
  const stale = found.filter((each) => each.row.state !== each.state);
  const { fresh, problems } = await summariseAll(database, stale, options);
  const sessions: ListedSession[] = [];
  const foreign: string[] = [];
  for (const { file, root, state, row } of found) {
    const summary = row.state === state ? summaryOf(row) : fresh.get(file);
    if (summary === 'foreign') foreign.push(file);
    else if (summary !== undefined) {
      const { slug, mtime_ms: mtimeMs, first_prompt: firstPrompt } = row;
      sessions.push({
        ...summary,
        project: String(slug),
        root,
        mtimeMs: Number(mtimeMs),
        firstPrompt: text(firstPrompt),
        verdict: verdictIn(row, file, identityOf(row)),
      });
    }
  }
  return { sessions, foreign, problems, filesRead: stale.length };
}

interface MainTranscript {
  readonly file: string;
  readonly root: string;
  /** What a summary of it depends on: the file itself, its agents, its given title. */
  readonly state: string;
  /** Of the session and, where there is one, of its summary. */
  readonly row: Row;
}

function mainTranscripts(database: Database, roots: readonly string[]): readonly MainTranscript[] {
  const folders = projectsFolders(roots).map(({ root, projects }) => ({ root, start: projects + path.sep }));
  const rows = database.prepare(mainRows).all();
  const found: (MainTranscript & { readonly rank: number })[] = [];
  for (const row of rows) {
    const file = String(row.main);
    const rank = folders.findIndex(({ start }) => file.startsWith(start));
    const root = folders[rank]?.root;
    if (root === undefined) continue;
    const own = `${row.dev} ${row.ino} ${row.file_size} ${row.mtime_ms}`;
    found.push({ file, root, rank, row, state: `${own} ${row.agent_files} ${sideState(file)}` });
  }
  return found.sort(
    (a, b) =>
      a.rank - b.rank ||
      compareNames(String(a.row.slug), String(b.row.slug)) ||
      compareNames(String(a.row.session_id), String(b.row.session_id)),
  );
}

const mainRows = `
SELECT s.path AS main, s.session_id, s.slug, s.first_prompt, f.dev, f.ino, f.size AS file_size, f.mtime_ms,
  (SELECT count(*) FROM files a WHERE a.session = s.id AND a.agent_id IS NOT NULL) AS agent_files,
  v.state AS verdict_state, v.verdict, m.*
FROM sessions s JOIN files f ON f.path = s.path AND f.agent_id IS NULL LEFT JOIN summaries m ON m.path = s.path
LEFT JOIN verdicts v ON v.path = s.path`;

function identityOf({ dev, ino, file_size: size, mtime_ms: mtimeMs }: Row): FileIdentity {
  return { dev: Number(dev), ino: Number(ino), size: Number(size), mtimeMs: Number(mtimeMs) };
}

/** Titles and linked agents stand beside the transcript, and no row of the index tells of them. */
function sideState(main: string): string {
  const folder = main.slice(0, -'.jsonl'.length);
  if (changedAt(folder) === undefined) return '';
  return `${changedAt(path.join(folder, 'custom-title.json'))} ${changedAt(path.join(folder, 'subagents'))}`;
}

function changedAt(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined; // what may not be read adds nothing to a summary
  }
}

type Summary = SessionSummary | 'foreign';

const batchFiles = 64;

/** One after the other: a transcript is dropped before the next is read, so memory is that of the largest. */
async function summariseAll(
  database: Database,
  stale: readonly MainTranscript[],
  { onProgress }: ListOptions,
): Promise<{ fresh: ReadonlyMap<string, Summary>; problems: readonly DiskProblem[] }> {
  const sizeOf = ({ row }: MainTranscript): number => Number(row.file_size);
  const bytesTotal = stale.reduce((sum, each) => sum + sizeOf(each), 0);
  const fresh = new Map<string, Summary>();
  const problems: DiskProblem[] = [];
  let batch: SqlValue[][] = [];
  let bytesDone = 0;
  const flush = (): void => {
    saveSummaries(database, batch);
    batch = [];
    onProgress?.({ bytesDone, bytesTotal });
  };
  if (stale.some((each) => sizeOf(each) > largeFileBytes)) preferSmallMemory();
  const listings = new ProjectListings();
  for (const each of stale) {
    try {
      const summary = (await summariseFile(each.file, listings)) ?? 'foreign';
      fresh.set(each.file, summary);
      batch.push(summaryRow(each, summary));
    } catch (error) {
      problems.push({ path: each.file, code: unreadableCode(error) ?? String(error) });
    }
    bytesDone += sizeOf(each);
    if (batch.length >= batchFiles || sizeOf(each) > 1 << 20) flush();
  }
  if (stale.length === 0) return { fresh, problems };
  flush();
  database.exec('DELETE FROM summaries WHERE path NOT IN (SELECT path FROM sessions)');
  return { fresh, problems };
}

function saveSummaries(database: Database, rows: readonly SqlValue[][]): void {
  database.transaction(() => insertMany(database, 'INSERT OR REPLACE INTO summaries', 15, rows));
}

function summaryRow({ file, state }: MainTranscript, summary: Summary): SqlValue[] {
  if (summary === 'foreign') return [file, state, 1, null, null, null, null, 0, 0, 0, 0, 0, 0, null, null];
  const { cwd, title, startedAt, endedAt, entries, turns, agents, sizeBytes, diagnostics, damage } = summary;
  const { tag = null, forkedFrom = null } = summary;
  const times = [startedAt, endedAt].map((time) => (Number.isNaN(time) ? null : time));
  const counts = [entries, turns, agents, sizeBytes, diagnostics, damage];
  return [file, state, 0, cwd ?? null, title ?? null, ...times, ...counts, tag, forkedFrom];
}

function summaryOf(row: Row): Summary {
  if (row.is_foreign === 1) return 'foreign';
  return {
    sessionId: String(row.session_id),
    path: String(row.main),
    cwd: text(row.cwd),
    title: text(row.title),
    startedAt: row.started_at === null ? Number.NaN : Number(row.started_at),
    endedAt: row.ended_at === null ? Number.NaN : Number(row.ended_at),
    entries: Number(row.entries),
    turns: Number(row.turns),
    agents: Number(row.agents),
    sizeBytes: Number(row.size),
    diagnostics: Number(row.diagnostics),
    damage: Number(row.damage),
    tag: text(row.tag),
    forkedFrom: text(row.forked_from),
  };
}

function text(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
