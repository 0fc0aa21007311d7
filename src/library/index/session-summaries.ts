// Summaries of sessions in the index: made in the same reading as the rows, or later for those that are out of date, and
// kept in the row of the session with the state of the files that they were made from.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { unreadableCode } from '../../base/errors/index.ts';
import { type Inode, readInode } from '../../base/files/index.ts';
import { parseJson } from '../../base/json/index.ts';
import { largeFileBytes, preferSmallMemory } from '../../base/process/index.ts';
import { version } from '../../base/version/index.ts';
import {
  type Continuation,
  continueSummary,
  type OriginFacts,
  type PullRequest,
  type SessionSummary,
  summariseForMore,
  type WorkFacts,
  type Worktree,
} from '../../session/facts/index.ts';
import { loadTranscript, type Transcript } from '../../session/transcript/index.ts';
import { type DiskProblem, type ProjectListings, sessionFiles } from '../../store/index.ts';
import { readContinuation, saveContinuations } from './continuations.ts';
import { type Database, insertMany, type Row, type SqlValue } from './database.ts';

/** `foreign`: another program wrote the transcript. */
export type Summary = SessionSummary | 'foreign';

export interface ReadSummary {
  /** `ownState` of the file that it was made from. */
  readonly state: string;
  readonly summary: Summary;
  /** `undefined` if the whole transcript must be read again after any change. */
  readonly continuation: Continuation | undefined;
  readonly turnStarts: readonly number[];
}

/** What the index keeps of it. */
type KeptSummary = Pick<ReadSummary, 'summary' | 'continuation'>;

/** By the path of the main transcript. */
export type ReadSummaries = Map<string, ReadSummary>;

export function summaryOfTranscript(
  file: FileIdentity,
  transcript: Transcript,
  listings: ProjectListings,
): ReadSummary {
  const files = sessionFiles(transcript.path, listings);
  const made = summariseForMore(files, transcript);
  return {
    state: ownState(file),
    summary: made?.summary ?? 'foreign',
    continuation: made?.continuation,
    turnStarts: made?.turnStarts ?? [],
  };
}

/** A session of the index whose summary is out of date. */
export interface StaleSession {
  readonly file: string;
  /** What a summary of it depends on: `ownState`, its agents, its given title. */
  readonly state: string;
  readonly identity: FileIdentity;
  readonly row: Row;
}

export interface SummaryOptions {
  /** Those that were made while the rows were read. */
  readonly summaries?: ReadSummaries;
  readonly onProgress?: (progress: { readonly bytesDone: number; readonly bytesTotal: number }) => void;
}

const batchFiles = 64;

/** The summary of the lines that were appended and of those before; `undefined` if the whole must be read. */
function continued(database: Database, session: StaleSession, listings: ProjectListings): KeptSummary | undefined {
  const before = summaryOfRow(session.row);
  if (before === 'foreign') return undefined;
  const continuation = readContinuation(database, session.row);
  if (continuation === undefined) return undefined;
  return continueSummary(before, continuation, sessionFiles(session.file, listings));
}

/** One after the other: a transcript is dropped before the next is read, so memory holds at most the largest. */
export function updateSummaries(
  database: Database,
  stale: readonly StaleSession[],
  listings: ProjectListings,
  { summaries, onProgress }: SummaryOptions,
): { fresh: ReadonlyMap<string, Summary>; problems: readonly DiskProblem[]; filesRead: number } {
  const fresh = new Map<string, Summary>();
  const problems: DiskProblem[] = [];
  const isRead = ({ file, identity }: StaleSession): boolean => summaries?.get(file)?.state === ownState(identity);
  const unread = stale.filter((session) => !isRead(session));
  const bytesTotal = unread.reduce((sum, { identity }) => sum + identity.size, 0);
  if (unread.some(({ identity }) => identity.size > largeFileBytes)) preferSmallMemory();
  let batch: FreshSummary[] = [];
  let bytesDone = 0;
  const flush = (): void => {
    saveSummaries(database, batch);
    batch = [];
    onProgress?.({ bytesDone, bytesTotal });
  };
  const add = (session: StaleSession, { summary, continuation }: KeptSummary): void => {
    fresh.set(session.file, summary);
    batch.push({ session, summary, continuation });
  };
  for (const session of stale) {
    const read = summaries?.get(session.file);
    if (read !== undefined && isRead(session)) add(session, read);
  }
  for (const session of unread) {
    const { file, identity } = session;
    try {
      add(session, continued(database, session, listings) ?? summaryOfWhole(session, listings));
    } catch (error) {
      problems.push({ path: file, code: unreadableCode(error) ?? String(error) });
    }
    bytesDone += identity.size;
    if (batch.length >= batchFiles || identity.size > 1 << 20) flush();
  }
  if (batch.length > 0) flush();
  return { fresh, problems, filesRead: unread.length };
}

function ownState({ dev, ino, size, mtimeMs }: FileIdentity): string {
  return `${dev} ${ino} ${size} ${mtimeMs}`;
}

/** What a summary depends on. `agentFiles`: how many the index knows of. */
export function summaryState(main: string, identity: FileIdentity, agentFiles: number, hasFolder: boolean): string {
  return `${ownState(identity)} ${agentFiles} ${hasFolder ? sideState(main) : ''}`;
}

/** A given title and linked agents are in files of their own, which no row of the index shows. */
function sideState(main: string): string {
  const folder = main.slice(0, -'.jsonl'.length);
  return `${changedAt(path.join(folder, 'custom-title.json'))} ${changedAt(path.join(folder, 'subagents'))}`;
}

function changedAt(file: string): number | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    return undefined; // a summary does not use what cannot be read
  }
}

const workColumns = ['git_branch', 'model', 'worktree', 'pull_requests'];
const counts = ['entries', 'turns', 'agents', 'own_size', 'diagnostics', 'damage'];
const columns = [
  'cwd',
  'title',
  'own_started_at',
  'own_ended_at',
  ...counts,
  'tag',
  'forked_from',
  'first_uuid',
  'origin',
  ...workColumns,
];
const names = ['summary_state', 'is_foreign', ...columns];
const saveSummary = `INSERT INTO sessions (id, path, session_id, slug, root, ${names.join(', ')})`;
// Reports about another program's transcript use what its rows say.
const keepSummary = `ON CONFLICT (id) DO UPDATE SET summary_state = excluded.summary_state, is_foreign = excluded.is_foreign,
  ${columns.map((name) => `${name} = iif(excluded.is_foreign, ${name}, excluded.${name})`).join(', ')}`;

interface FreshSummary extends KeptSummary {
  readonly session: StaleSession;
}

function saveSummaries(database: Database, batch: readonly FreshSummary[]): void {
  const rows = batch.map(({ session, summary }) => summaryValues(session, summary));
  database.transaction(() => {
    insertMany(database, saveSummary, 5 + names.length, rows, keepSummary);
    saveContinuations(
      database,
      batch.map(({ session: { row, identity }, summary, continuation }) => {
        // A file that has grown since its state was taken: nothing proves later that these lines are the same.
        const isWhole = summary !== 'foreign' && summary.sizeBytes === identity.size;
        return {
          session: row.id ?? null,
          title: summary === 'foreign' ? undefined : summary.title,
          continuation: isWhole ? continuation : undefined,
        };
      }),
    );
  });
}

function summaryOfWhole({ file, identity }: StaleSession, listings: ProjectListings): ReadSummary {
  return summaryOfTranscript(identity, loadTranscript(file, { withoutMessages: true }), listings);
}

function summaryValues({ file, state, row }: StaleSession, summary: Summary): SqlValue[] {
  const { id = null, session_id: sessionId = null, slug = null, root = null } = row;
  const session = [id, file, sessionId, slug, root, state];
  if (summary === 'foreign') return [...session, 1, ...columns.map(() => null)];
  const { cwd, title, startedAt, endedAt, entries, turns, agents, sizeBytes, diagnostics, damage } = summary;
  const { tag = null, forkedFrom = null, firstUuid = null } = summary;
  const times = [startedAt, endedAt].map((time) => (Number.isNaN(time) ? null : time));
  const numbers = [entries, turns, agents, sizeBytes, diagnostics, damage];
  return [
    ...session,
    0,
    cwd ?? null,
    title ?? null,
    ...times,
    ...numbers,
    tag,
    forkedFrom,
    firstUuid,
    JSON.stringify(summary.origin),
    ...workValues(summary),
  ];
}

function workValues({ gitBranch, model, worktree, pullRequests }: WorkFacts): SqlValue[] {
  const links = pullRequests.length === 0 ? null : JSON.stringify(pullRequests);
  return [gitBranch ?? null, model ?? null, worktree === undefined ? null : JSON.stringify(worktree), links];
}

/** What `workValues` wrote; nothing for a session that was not summarised yet. */
export function workFactsIn(row: Row): WorkFacts {
  const worktree = typeof row.worktree === 'string' ? (parseJson(row.worktree) as unknown as Worktree) : undefined;
  const links =
    typeof row.pull_requests === 'string' ? (parseJson(row.pull_requests) as unknown as readonly PullRequest[]) : [];
  return {
    gitBranch: textOrNone(row.git_branch),
    model: textOrNone(row.model),
    // JSON has no `undefined`: a missing member is one.
    worktree: worktree === undefined ? undefined : { ...worktree, branch: worktree.branch },
    pullRequests: links.map(({ url, number, repository }) => ({ url, number, repository })),
  };
}

/** Nothing for a session that was not summarised yet. */
export function originIn({ origin }: Row): OriginFacts {
  return typeof origin === 'string' ? (JSON.parse(origin) as OriginFacts) : {}; // written by `summaryValues`
}

export function summaryOfRow(row: Row): Summary {
  if (row.is_foreign === 1) return 'foreign';
  return {
    sessionId: String(row.session_id),
    path: String(row.path),
    cwd: textOrNone(row.cwd),
    title: textOrNone(row.title),
    startedAt: row.own_started_at === null ? Number.NaN : Number(row.own_started_at),
    endedAt: row.own_ended_at === null ? Number.NaN : Number(row.own_ended_at),
    entries: Number(row.entries),
    turns: Number(row.turns),
    agents: Number(row.agents),
    sizeBytes: Number(row.own_size),
    diagnostics: Number(row.diagnostics),
    damage: Number(row.damage),
    tag: textOrNone(row.tag),
    forkedFrom: textOrNone(row.forked_from),
    firstUuid: textOrNone(row.first_uuid),
    origin: originIn(row),
    ...workFactsIn(row),
  };
}

export function textOrNone(value: SqlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The worst finding in the files of a session. */
export type Verdict = 'fatal' | 'loss' | 'warn' | 'info' | 'sound';

export interface JudgedSession {
  readonly path: string;
  /** `verdictState` of the session, taken before it was read. */
  readonly state: string;
  readonly verdict: Verdict;
}

export interface FileIdentity {
  readonly dev: number;
  readonly ino: Inode;
  readonly size: number;
  readonly mtimeMs: number;
}

export const verdictTables: string = `
CREATE TABLE verdicts (
  path TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  verdict TEXT NOT NULL
) WITHOUT ROWID;
`;

/** What a verdict depends on; `undefined` where there is no such file. */
export function verdictState(main: string): string | undefined {
  try {
    const stats = statSync(main, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const { dev, size, mtimeMs } = stats;
    return verdictStateOf(main, { dev, ino: readInode(main, stats), size, mtimeMs });
  } catch {
    return undefined; // cannot be read: then there is no verdict either
  }
}

/** `hasFolder`: whether there is a side folder; without one there are no agents to look for. */
function verdictStateOf(main: string, { dev, ino, size, mtimeMs }: FileIdentity, hasFolder = true): string {
  const agents = path.join(main.slice(0, -'.jsonl'.length), 'subagents');
  return [version, dev, ino, size, mtimeMs, ...(hasFolder ? changesIn(agents) : [])].join(' ');
}

export function saveVerdicts(database: Database, judged: readonly JudgedSession[]): void {
  const rows = judged.map(({ path: main, state, verdict }): SqlValue[] => [main, state, verdict]);
  database.transaction(() => insertMany(database, 'INSERT OR REPLACE INTO verdicts', 3, rows));
}

/** `undefined`: not examined since its files last changed. */
export function verdictIn(
  row: { readonly verdict?: SqlValue; readonly verdict_state?: SqlValue },
  main: string,
  file: FileIdentity,
  hasFolder = true,
): Verdict | undefined {
  const { verdict, verdict_state: state } = row;
  if (typeof verdict !== 'string' || state !== verdictStateOf(main, file, hasFolder)) return undefined;
  return verdicts.find((each) => each === verdict);
}

const verdicts: readonly Verdict[] = ['fatal', 'loss', 'warn', 'info', 'sound'];

/** When each file of a folder was last changed. */
function changesIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map((name) => statSync(path.join(folder, name)).mtimeMs);
  } catch {
    return []; // there are no sub-agents
  }
}
