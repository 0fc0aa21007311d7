// The index → the sessions that an answer may be about: those of the project, without the one that asks.
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import type { Database, Row } from '../../library/index/index.ts';
import { projectsFolders } from '../../store/index.ts';
import type { Reference } from '../reference/index.ts';
import type { ProjectScope } from '../scope/index.ts';

export interface VisibleSession {
  /** Of its row in the index. */
  readonly row: number;
  readonly sessionId: string;
  /** Its main transcript. */
  readonly path: string;
  readonly slug: string;
  readonly cwd: string | undefined;
  readonly worktree: { readonly path: string; readonly repository: string } | undefined;
  readonly endedAt: number;
}

/** The sessions of the roots, read from the index again only when something was written to it. */
export class KnownSessions {
  readonly #roots: readonly string[];
  #state = '';
  #database: Database | undefined;
  #sessions: readonly VisibleSession[] = [];

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /** `isArchived`: whether a path is that of a copy from the archive. */
  list(database: Database, isArchived: (file: string) => boolean): readonly VisibleSession[] {
    // By this connection, and by others.
    const own = database.prepare('SELECT total_changes() AS changes').get()?.changes;
    const others = database.prepare('PRAGMA data_version').get()?.data_version;
    const state = `${own} ${others}`;
    if (state === this.#state && database === this.#database) return this.#sessions;
    const folders = projectsFolders(this.#roots).map(({ projects }) => projects + path.sep);
    this.#sessions = database
      .prepare('SELECT id, path, session_id, slug, cwd, worktree, ended_at FROM sessions WHERE is_foreign = 0')
      .all()
      .filter(({ path: file }) => folders.some((each) => String(file).startsWith(each)) || isArchived(String(file)))
      .map(visibleSession);
    this.#state = state;
    this.#database = database;
    return this.#sessions;
  }
}

/** `own`: the ids of the sessions to leave out, in small letters. `scope`: `undefined` for all projects. */
export function visibleSessions(
  sessions: readonly VisibleSession[],
  scope: ProjectScope | undefined,
  own: ReadonlySet<string>,
): readonly VisibleSession[] {
  const inside = scope === undefined ? sessions : scope.filter(sessions);
  return inside.filter(({ sessionId }) => !own.has(sessionId.toLowerCase()));
}

function visibleSession(row: Row): VisibleSession {
  const worktree = typeof row.worktree === 'string' ? asObject(parseJson(row.worktree)) : undefined;
  const [place, repository] = [asString(worktree?.path), asString(worktree?.repository)];
  return {
    row: Number(row.id),
    sessionId: String(row.session_id),
    path: String(row.path),
    slug: String(row.slug),
    cwd: typeof row.cwd === 'string' ? row.cwd : undefined,
    worktree: place === undefined || repository === undefined ? undefined : { path: place, repository },
    endedAt: typeof row.ended_at === 'number' ? row.ended_at : Number.NaN,
  };
}

interface Named {
  readonly sessionId: string;
  readonly endedAt: number;
}

/**
 * The sessions that a reference names, the newest first: copies of a session have the same id. One that may not be seen is as
 * unknown as one that does not exist.
 */
export function namedSessions<T extends Named>(sessions: readonly T[], { session }: Reference): readonly [T, ...T[]] {
  const wanted = session.toLowerCase();
  const exact = sessions.filter(({ sessionId }) => sessionId.toLowerCase() === wanted);
  const found =
    exact.length > 0 ? exact : sessions.filter(({ sessionId }) => sessionId.toLowerCase().startsWith(wanted));
  const ids = new Set(found.map(({ sessionId }) => sessionId));
  if (ids.size > 1) throw new UserError(`${ids.size} sessions begin with that id`, 'give more of the id');
  const [newest, ...others] = [...found].sort((a, b) => (b.endedAt || 0) - (a.endedAt || 0));
  if (newest === undefined || wanted.length < shortestId)
    throw new UserError('there is no such session in this project', 'use a reference that search or outline returned');
  return [newest, ...others];
}

const shortestId = 4;
