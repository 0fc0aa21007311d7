// The index → the sessions that an answer may be about: those of the project, without the one that asks.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import type { Database, Row } from '../../library/index/index.ts';
import { projectsFolders } from '../../store/index.ts';
import type { Reference } from '../reference/index.ts';
import type { ProjectScope } from '../scope/index.ts';

export interface VisibleSession {
  readonly sessionId: string;
  /** Its main transcript. */
  readonly path: string;
  readonly slug: string;
  readonly cwd: string | undefined;
  readonly worktree: { readonly path: string; readonly repository: string } | undefined;
  readonly endedAt: number;
}

export interface VisibleOptions {
  readonly roots: readonly string[];
  /** `undefined`: all projects. */
  readonly scope: ProjectScope | undefined;
  /** The ids of the sessions to leave out, in small letters. */
  readonly own: ReadonlySet<string>;
}

export function visibleSessions(database: Database, { roots, scope, own }: VisibleOptions): readonly VisibleSession[] {
  const folders = projectsFolders(roots).map(({ projects }) => projects + path.sep);
  const sessions = database
    .prepare('SELECT path, session_id, slug, cwd, worktree, ended_at FROM sessions WHERE is_foreign = 0')
    .all()
    .filter((row) => folders.some((folder) => String(row.path).startsWith(folder)))
    .map(visibleSession);
  const inside = scope === undefined ? sessions : scope.filter(sessions);
  return inside.filter(({ sessionId }) => !own.has(sessionId.toLowerCase()));
}

function visibleSession(row: Row): VisibleSession {
  const worktree = typeof row.worktree === 'string' ? asObject(parseJson(row.worktree)) : undefined;
  const [place, repository] = [asString(worktree?.path), asString(worktree?.repository)];
  return {
    sessionId: String(row.session_id),
    path: String(row.path),
    slug: String(row.slug),
    cwd: typeof row.cwd === 'string' ? row.cwd : undefined,
    worktree: place === undefined || repository === undefined ? undefined : { path: place, repository },
    endedAt: typeof row.ended_at === 'number' ? row.ended_at : Number.NaN,
  };
}

/** The session that a reference names. A session that may not be seen is as unknown as one that does not exist. */
export function namedSession(sessions: readonly VisibleSession[], { session }: Reference): VisibleSession {
  const wanted = session.toLowerCase();
  const exact = sessions.filter(({ sessionId }) => sessionId.toLowerCase() === wanted);
  const found =
    exact.length > 0 ? exact : sessions.filter(({ sessionId }) => sessionId.toLowerCase().startsWith(wanted));
  const ids = new Set(found.map(({ sessionId }) => sessionId));
  if (ids.size > 1) throw new UserError(`${ids.size} sessions begin with that id`, 'give more of the id');
  const newest = [...found].sort((a, b) => (b.endedAt || 0) - (a.endedAt || 0))[0];
  if (newest === undefined || wanted.length < shortestId)
    throw new UserError('there is no such session in this project', 'use a reference that search or outline returned');
  return newest;
}

const shortestId = 4;
