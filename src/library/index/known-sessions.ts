// The transcripts on the disk and an index that may lag behind them → a row for every session, at once and without
// reading a transcript: a list can be shown while the index is still being made, and its first rows before the disk was
// searched.
import { basename } from 'node:path';
import { compareNames } from '../../store/folders.ts';
import { projectsFolders } from '../../store/roots.ts';
import { findNamedTranscripts, type TranscriptFile } from '../../store/transcripts.ts';
import type { Database, Row, SqlValue } from './database.ts';
import type { ListedSession } from './session-list.ts';
import { verdictIn } from './verdicts.ts';

export interface KnownSession
  extends Pick<ListedSession, 'sessionId' | 'path' | 'project' | 'root' | 'mtimeMs' | 'sizeBytes' | 'verdict'> {
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  readonly firstPrompt: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  /** What only a reading of the whole transcript tells, as it was when it was last read. */
  readonly counts: Pick<ListedSession, 'entries' | 'turns' | 'agents' | 'damage'> | undefined;
}

export function knownSessions(database: Database, files: readonly TranscriptFile[]): readonly KnownSession[] {
  const rows = new Map(
    database
      .prepare(knownRows)
      .all()
      .map((row) => [String(row.main), row]),
  );
  return knownOf(rows, files).sort((a, b) => compareNames(a.path, b.path));
}

function knownOf(rows: ReadonlyMap<string, Row>, files: readonly TranscriptFile[]): KnownSession[] {
  return files
    .filter(({ path, mainPath }) => mainPath === path)
    .filter(({ path }) => rows.get(path)?.is_foreign !== 1)
    .map((file) => knownSession(file, rows.get(file.path)));
}

/** The sessions that were used last, as the index has them, without those that are gone; and how many it knows. */
export function newestSessions(
  database: Database,
  roots: readonly string[],
  limit: number,
): { readonly sessions: readonly KnownSession[]; readonly total: number } {
  const names = projectsFolders(roots).map(({ root }) => root);
  const isBelow = `s.root IN (${names.map(() => '?').join(',')})`;
  const rows = database.prepare(`${knownRows} WHERE ${isBelow} ${newestFirst}`).all(...names, limit);
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

const knownRows = `
SELECT s.path AS main, s.cwd, s.title, s.first_prompt, s.is_foreign, s.ended_at,
  coalesce(s.own_started_at, s.started_at) AS started_at, s.entries, s.turns, s.agents, s.damage,
  v.state AS verdict_state, v.verdict
FROM sessions s LEFT JOIN verdicts v ON v.path = s.path`;

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
