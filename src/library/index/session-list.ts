// An index that is current → what a list shows of every session below the roots. Summaries that are out of date are made
// first; all others come from the index.
import path from 'node:path';
import type { SessionSummary } from '../../session/facts/summary.ts';
import { compareNames, type DiskProblem } from '../../store/folders.ts';
import { projectsFolders } from '../../store/roots.ts';
import type { Database } from './database.ts';
import {
  type StaleSession,
  type SummaryOptions,
  summaryOfRow,
  summaryState,
  textOrNone,
  updateSummaries,
} from './session-summaries.ts';
import { type Verdict, verdictIn } from './verdicts.ts';

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
  const found = mainTranscripts(database, options.roots);
  const stale = found.filter(({ row, state }) => row.summary_state !== state);
  const { fresh, problems, filesRead } = updateSummaries(database, stale, options);
  const sessions: ListedSession[] = [];
  const foreign: string[] = [];
  for (const { file, root, state, identity, row } of found) {
    const summary = row.summary_state === state ? summaryOfRow(row) : fresh.get(file);
    if (summary === 'foreign') foreign.push(file);
    else if (summary !== undefined) {
      sessions.push({
        ...summary,
        project: String(row.slug),
        root,
        mtimeMs: identity.mtimeMs,
        firstPrompt: textOrNone(row.first_prompt),
        verdict: verdictIn(row, file, identity),
      });
    }
  }
  return { sessions, foreign, problems, filesRead };
}

interface MainTranscript extends StaleSession {
  readonly root: string;
}

function mainTranscripts(database: Database, roots: readonly string[]): readonly MainTranscript[] {
  const folders = projectsFolders(roots).map(({ root, projects }) => ({ root, start: projects + path.sep }));
  const found: (MainTranscript & { readonly rank: number })[] = [];
  for (const row of database.prepare(mainRows).all()) {
    const file = String(row.path);
    const rank = folders.findIndex(({ start }) => file.startsWith(start));
    const root = folders[rank]?.root;
    if (root === undefined) continue;
    const { dev, ino, file_size: size, mtime_ms: mtimeMs } = row;
    const identity = { dev: Number(dev), ino: Number(ino), size: Number(size), mtimeMs: Number(mtimeMs) };
    const state = summaryState(file, identity, Number(row.agent_files));
    found.push({ file, root, rank, row, identity, state });
  }
  return found.sort(
    (a, b) =>
      a.rank - b.rank ||
      compareNames(String(a.row.slug), String(b.row.slug)) ||
      compareNames(String(a.row.session_id), String(b.row.session_id)),
  );
}

const mainRows = `
SELECT s.*, f.dev, f.ino, f.size AS file_size, f.mtime_ms,
  (SELECT count(*) FROM files a WHERE a.session = s.id AND a.agent_id IS NOT NULL) AS agent_files,
  v.state AS verdict_state, v.verdict
FROM sessions s JOIN files f ON f.path = s.path AND f.agent_id IS NULL LEFT JOIN verdicts v ON v.path = s.path`;
