// The rows of sessions in the store → the list that `clew ls` shows, with the relations of each person's sessions.
import { healthOf } from '../../doctor/diagnosis/index.ts';
import type { ListedSession } from '../../library/index/index.ts';
import {
  type BackgroundJob,
  findRelations,
  type MadeBy,
  type RepositoryOf,
  repositoryFinder,
} from '../../library/lineage/index.ts';
import { findExpiring } from '../../library/session-files/index.ts';
import type { SourceList, SourceSession } from '../../library/source/index.ts';
import { compareNames } from '../../store/index.ts';
import type { StoredFacts, StoredTitle } from '../contract/index.ts';
import type { Sql } from '../database/index.ts';
import { listedSession } from './listed-session.ts';
import type { Scope } from './people.ts';
import { ofPeople } from './usage-cells.ts';

/** A session as the store has it. */
export interface StoredSession {
  readonly person: number;
  /** The key in the store; the id of the client may be shorter. */
  readonly storeId: string;
  /** The month of its own rows. */
  readonly month: string;
  readonly level: number;
  readonly projectHash: string;
  /** A sub-agent without its main transcript, or a transcript of another program, is not listed. */
  readonly isListed: boolean;
  readonly session: ListedSession;
  readonly facts: StoredFacts;
  readonly named: StoredTitle | undefined;
  /** The folder that usage is counted for. */
  readonly countedCwd: string | undefined;
}

interface SessionRow {
  readonly person: number;
  readonly session_id: string;
  readonly month: string;
  readonly level: number;
  readonly project_hash: string;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly facts: StoredFacts;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly path: string | null;
  readonly named: StoredTitle | null;
  readonly first_prompt: string | null;
}

/** What its user typed first is text: it is read of one's own sessions. `facts`: without the lists that only statistics need. By root, then project, then id, as in the local index. */
export async function readSessions(
  sql: Sql,
  scope: Scope,
  facts = "s.facts - 'turnStarts' - 'transcripts'",
): Promise<readonly StoredSession[]> {
  const rows = await sql.unsafe<
    SessionRow[]
  >(`SELECT person, session_id, month::text, s.level, s.project_hash, s.started_at, s.ended_at,
      ${facts} AS facts, t.title, t.cwd, t.path, t.facts AS named, d.first_prompt
    FROM clew.sessions s LEFT JOIN clew.titles t USING (tenant, person, month, session_id)
    LEFT JOIN (SELECT person, session_id, facts->>'firstPrompt' AS first_prompt FROM clew.documents
      WHERE nth = 0 AND person = ${scope.me}) d USING (person, session_id)
    WHERE ${ofPeople(scope)}`);
  return rows.map(storedSession).sort(inOrder);
}

function inOrder(a: StoredSession, b: StoredSession): number {
  return (
    compareNames(a.session.root, b.session.root) ||
    compareNames(a.session.project, b.session.project) ||
    compareNames(a.session.sessionId, b.session.sessionId) ||
    a.person - b.person ||
    compareNames(a.storeId, b.storeId)
  );
}

function storedSession(row: SessionRow): StoredSession {
  const { title, cwd, path, named } = row;
  const titles =
    path === null || named === null
      ? undefined
      : { title: title ?? undefined, cwd: cwd ?? undefined, path, facts: named };
  return {
    person: row.person,
    storeId: row.session_id,
    month: row.month,
    level: row.level,
    projectHash: row.project_hash,
    isListed: row.facts.counts !== null,
    session: listedSession({
      storeId: row.session_id,
      startedAt: row.started_at?.getTime() ?? Number.NaN,
      endedAt: row.ended_at?.getTime() ?? Number.NaN,
      facts: row.facts,
      titles,
      firstPrompt: row.first_prompt ?? undefined,
    }),
    facts: row.facts,
    named: named ?? undefined,
    countedCwd: (named?.countedCwd === undefined ? cwd : named.countedCwd) ?? undefined,
  };
}

export function listOf(stored: readonly StoredSession[], scope: Scope): SourceList {
  const listed = stored.filter(({ isListed }) => isListed);
  const byPerson = new Map<number, StoredSession[]>();
  for (const each of listed) byPerson.set(each.person, [...(byPerson.get(each.person) ?? []), each]);
  const marked = new Map(
    [...byPerson.values()].flatMap((own) => markedOf(own, scope).map((each, i) => [own[i], each])),
  );
  return {
    sessions: listed.map((each) => marked.get(each) as SourceSession), // of every person
    foreign: [],
    repositoryOf: repositoryFinder(listed.map(({ session }) => session)),
  };
}

/** Whether another machine still has the folder of a session is what it said at the time of the push. */
function markedOf(own: readonly StoredSession[], scope: Scope): readonly SourceSession[] {
  const known = own.filter(({ named }) => named !== undefined);
  const origins = new Map(known.map(({ session, named }) => [session.path, named]));
  const madeBy = (path: string): MadeBy | undefined => origins.get(path)?.madeBy;
  const relations = findRelations(
    known.map(({ session }) => session),
    { jobs: jobsOf(known), madeBy },
  );
  const repositoryOf = repositoryFinder(known.map(({ session }) => session));
  const expiring = expiringOf(own);
  return own.map((each) => {
    const { session, facts, named, person } = each;
    const isExpiring = expiring.has(each) || facts.isMoved === true;
    return {
      ...session,
      ...(scope.namesPeople ? { person: scope.nameOf(person) } : {}),
      ...(named === undefined ? { isUntitled: true as const } : {}),
      lineage: lineageOf(session, madeBy(session.path)),
      relations: named === undefined ? [] : relations.of(session.path),
      repository: repositoryIn(session, repositoryOf),
      health: healthOf({ verdict: session.verdict, cwd: undefined, project: '', isExpiring }),
    };
  });
}

function repositoryIn({ cwd }: ListedSession, repositoryOf: RepositoryOf): string | null {
  return cwd === undefined ? null : repositoryOf(cwd);
}

function lineageOf({ sessionId, forkedFrom }: ListedSession, made: MadeBy | undefined): SourceSession['lineage'] {
  if (made !== undefined) return made;
  return forkedFrom === undefined || forkedFrom === sessionId ? undefined : { operation: 'fork', from: [forkedFrom] };
}

function jobsOf(sessions: readonly StoredSession[]): readonly BackgroundJob[] {
  const jobs = new Map<string, BackgroundJob>();
  for (const { named, session } of sessions)
    for (const { id, sessionIds } of named?.jobs ?? [])
      jobs.set(`${session.root}\n${id}`, { root: session.root, id, sessionIds });
  return [...jobs.values()];
}

export function expiringOf(sessions: readonly StoredSession[]): ReadonlySet<StoredSession> {
  const timed = sessions.map((stored) => {
    const { root, mtimeMs } = stored.session;
    return { stored, cleanupDays: stored.facts.cleanupDays ?? usualDays, root, mtimeMs };
  });
  return new Set(findExpiring(timed, Date.now()).map(({ session }) => session.stored));
}

/** The default of the client. */
const usualDays = 30;
