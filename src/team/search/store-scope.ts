// The filters of a search → the people and sessions of the store that it covers, and conditions on their documents.
import { UserError } from '../../base/errors/index.ts';
import { kindsOfRole, type SearchFilter } from '../../library/text/index.ts';
import type { TransactionSql } from '../database/index.ts';
import { type SessionKey, sessionName } from './handles.ts';
import type { StoredSession, StoreSessions } from './store-sessions.ts';

/** A part of a statement. */
export type Fragment = ReturnType<TransactionSql>;

export interface StoreFilter extends Omit<SearchFilter, 'roots' | 'session'> {
  /** The beginning of the id of the only session to search. */
  readonly sessionId?: string;
}

export class StoreScope {
  readonly people: readonly number[];
  readonly #filter: StoreFilter;
  /** `undefined`: all of these people. */
  readonly #sessions: ReadonlySet<string> | undefined;

  private constructor(people: readonly number[], filter: StoreFilter, sessions: ReadonlySet<string> | undefined) {
    this.people = people;
    this.#filter = filter;
    this.#sessions = sessions;
  }

  static async of(
    sql: TransactionSql,
    people: readonly number[],
    filter: StoreFilter,
    sessions: StoreSessions,
  ): Promise<StoreScope> {
    const { isOfProject, sessionId, file } = filter;
    if (isOfProject === undefined && sessionId === undefined && file === undefined)
      return new StoreScope(people, filter, undefined);
    const touching = file === undefined ? undefined : await sessionsTouching(sql, people, file);
    const wanted = (await sessions.all(people)).filter((session) => {
      const found = sessions.hitSession(sessions.handles.numberOf(session.key));
      return (
        (sessionId === undefined || isNamed(session, sessionId)) &&
        (touching === undefined || touching.has(sessionName(session.key))) &&
        (isOfProject === undefined || (found !== undefined && isOfProject(found)))
      );
    });
    if (sessionId !== undefined) refuseUnclear(sessionId, wanted);
    return new StoreScope(people, filter, new Set(wanted.map(({ key }) => sessionName(key))));
  }

  hasSession(key: SessionKey): boolean {
    return this.#sessions?.has(sessionName(key)) ?? true;
  }

  /** What the functions of the store take after the people. */
  values(sql: TransactionSql): Fragment {
    const { tool = null } = this.#filter;
    const [sessions, kinds, since, until] = [this.#sessionNames(), this.#kinds(), this.#since(), this.#until()];
    return sql`${sessions}::text[], ${kinds}::text[], ${tool}::text, ${since}::timestamptz, ${until}::timestamptz`;
  }

  /** The same for `documents d` with its `sessions s`. */
  condition(sql: TransactionSql): Fragment {
    const { tool = null } = this.#filter;
    const [sessions, kinds, since, until] = [this.#sessionNames(), this.#kinds(), this.#since(), this.#until()];
    return sql`(${sessions}::text[] IS NULL OR d.person || ' ' || d.session_id = ANY(${sessions}::text[]))
      AND (${kinds}::text[] IS NULL OR d.kind = ANY(${kinds}::text[]))
      AND (${tool}::text IS NULL OR lower(d.tool COLLATE "C") = lower(${tool}::text COLLATE "C"))
      AND (${since}::timestamptz IS NULL OR coalesce(d.said_at, s.ended_at) >= ${since}::timestamptz)
      AND (${until}::timestamptz IS NULL OR coalesce(d.said_at, s.ended_at) < ${until}::timestamptz)`;
  }

  #sessionNames(): string[] | null {
    return this.#sessions === undefined ? null : [...this.#sessions];
  }

  #kinds(): string[] | null {
    const { role, kinds } = this.#filter;
    const ofRole = role === undefined ? kinds : kindsOfRole[role];
    if (ofRole === undefined) return null;
    return ofRole.filter((kind) => kinds?.includes(kind) ?? true);
  }

  #since(): string | null {
    return isoTime(this.#filter.since);
  }

  #until(): string | null {
    return isoTime(this.#filter.until);
  }
}

function isoTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

function isNamed({ path, key }: StoredSession, start: string): boolean {
  const [name = ''] = path.split('/').slice(-1);
  return [name, key.sessionId].some((each) => each.toLowerCase().startsWith(start.toLowerCase()));
}

function refuseUnclear(start: string, found: readonly StoredSession[]): void {
  if (found.length === 0)
    throw new UserError(`the store has no session "${start}" with text`, 'clew ls --store lists the sessions');
  const ids = new Set(found.map(({ key }) => key.sessionId));
  if (ids.size > 1) throw new UserError(`"${start}" fits ${ids.size} sessions of the store`, 'give more of the id');
}

/** By its path, the end of its path, or a pattern with `*` and `?`, as in the local index. */
async function sessionsTouching(
  sql: TransactionSql,
  people: readonly number[],
  wanted: string,
): Promise<ReadonlySet<string>> {
  const file = wanted.replace(/^\.\//, '');
  const condition = /[*?]/.test(file)
    ? sql`touched ~ ${`^(.*/)?${globPattern(file)}$`}`
    : sql`(touched = ${file} OR right(touched, ${file.length + 1}) = ${`/${file}`})`;
  const rows = await sql<{ person: number; session_id: string }[]>`
    SELECT DISTINCT person, session_id FROM clew.call_paths
    WHERE person = ANY(${people as number[]}::integer[]) AND ${condition}`;
  return new Set(rows.map((row) => sessionName({ person: row.person, sessionId: row.session_id })));
}

function globPattern(text: string): string {
  return text
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
}
