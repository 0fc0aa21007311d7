// The store of a team as a source of sessions: the same answers as the local index, of what people pushed and of what the
// policies of the store show to whoever is connected.
import type {
  CostPlace,
  LibrarySource,
  SourceList,
  SourceUsage,
  SourceWork,
  UsageQuestion,
  WorkQuestion,
} from '../../library/source/index.ts';
import type { UsageCell } from '../../library/usage/index.ts';
import { type ConnectOptions, connect, hidePassword, type Sql } from '../database/index.ts';
import { findStored } from './find-session.ts';
import { type PackedSession, readPacked } from './packed-session.ts';
import { type PeopleChoice, readScope, type Scope, type StoreChoice } from './people.ts';
import { announceReading } from './readings.ts';
import { expiringOf, listOf, readSessions, type StoredSession } from './sessions.ts';
import { type CellSession, ofPeople, readCells, type SessionOf } from './usage-cells.ts';
import { readWork } from './work.ts';

/** Throws a `UserError` if the store does not know the role, or nobody is called like that. */
export async function openStore(
  address: string,
  choice: PeopleChoice,
  options: ConnectOptions = { readsArrays: false },
): Promise<StoreSource> {
  const sql = await connect(address, options);
  try {
    return new StoreSource(sql, await readScope(sql, choice), `in the store ${hidePassword(address)}`);
  } catch (error) {
    await sql.end({ timeout: 5 });
    throw error;
  }
}

/** Over the same connection, with the people, groups and sessions as they are now. */
export async function renewStore({ sql, place }: StoreSource, { people }: StoreChoice): Promise<StoreSource> {
  return new StoreSource(sql, await readScope(sql, people), place);
}

/** `close` ends the connection. */
export class StoreSource implements LibrarySource {
  readonly place: string;
  readonly sql: Sql;
  readonly scope: Scope;
  #sessions: Promise<readonly StoredSession[]> | undefined;

  constructor(sql: Sql, scope: Scope, place: string) {
    this.sql = sql;
    this.scope = scope;
    this.place = place;
  }

  get namesPeople(): boolean {
    return this.scope.namesPeople;
  }

  close(): Promise<void> {
    return this.sql.end({ timeout: 5 });
  }

  /** As the store has them, also those that are not listed. */
  stored(): Promise<readonly StoredSession[]> {
    return this.#stored();
  }

  async list(): Promise<SourceList> {
    return listOf(await this.#stored(), this.scope);
  }

  /** `word`: an id, the beginning of one, `last`, or words of a title. */
  async find(word: string): Promise<StoredSession> {
    return findStored(word, await this.#stored(), this.place);
  }

  /**
   * The files of a session. The reading of another person's text is announced and committed before: the store does not show
   * it otherwise, and its person can see that it was read.
   */
  async packed(stored: StoredSession, action: string): Promise<PackedSession> {
    if (stored.person !== this.scope.me) await announceReading(this.sql, action, stored);
    return readPacked(this.sql, stored);
  }

  async costs(): Promise<(session: CostPlace) => number | undefined> {
    const rows = await this.sql.unsafe<{ person: number; session_id: string; cost: number }[]>(
      `SELECT person, session_id, sum(cost_micro_usd) AS cost FROM clew.cells
        WHERE ${ofPeople(this.scope)} AND cost_micro_usd IS NOT NULL GROUP BY person, session_id`,
    );
    const costs = new Map(rows.map(({ person, session_id: id, cost }) => [`${person} ${id}`, cost]));
    const stored = await this.#stored();
    const byPlace = new Map(
      stored.map(({ person, storeId, session }) => [this.#placeOf(person, session), costs.get(`${person} ${storeId}`)]),
    );
    return (session) => byPlace.get(placeKey(session.person ?? '', session));
  }

  async usage({ kind, filter }: UsageQuestion): Promise<SourceUsage> {
    const [cells, pricesVersion] = await Promise.all([this.#cells({ kind, filter }), this.#pricesVersion()]);
    return { cells, pricesVersion };
  }

  async titles(): Promise<ReadonlyMap<string, string>> {
    const listed = (await this.#stored()).filter(({ isListed }) => isListed);
    return new Map(
      listed.flatMap(({ session: { sessionId, title } }) => (title === undefined ? [] : [[sessionId, title]])),
    );
  }

  async work({ isWanted, filter }: WorkQuestion): Promise<SourceWork> {
    const all = await readSessions(this.sql, this.scope, 's.facts');
    const wanted = all.filter(({ session: { cwd, project } }) => isWanted({ cwd, project }));
    const listed = wanted.filter(({ isListed }) => isListed);
    return {
      sessions: listed.map(({ session }) => session),
      work: await readWork(this.sql, this.scope, wanted),
      cells: await this.#cells({ kind: 'model', filter }),
      deleted: undefined,
      expiring: expiringOf(listed).size,
      hasFiles: wanted.length === 0 || wanted.some(({ named }) => named !== undefined),
    };
  }

  #cells(question: UsageQuestion): Promise<readonly UsageCell[]> {
    return readCells({ sql: this.sql, scope: this.scope, sessions: () => this.#sessionOf() }, question);
  }

  async #sessionOf(): Promise<SessionOf> {
    const stored = await this.#stored();
    const sessions = new Map(
      stored.map((each, id) => [`${each.person} ${each.storeId}`, this.#cellSession(each, id)] as const),
    );
    return (person, storeId) => sessions.get(`${person} ${storeId}`);
  }

  /** Below the level of titles, the hash of its folder is the name of a project. */
  #cellSession({ session, person, named, projectHash, countedCwd: cwd }: StoredSession, id: number): CellSession {
    const { sessionId, path, project, title } = session;
    const slug = named === undefined ? `hash:${projectHash}` : project;
    const place = { id, sessionId, path, slug, title, ...(cwd === undefined ? {} : { cwd }) };
    return this.namesPeople ? { ...place, person: this.scope.nameOf(person) } : place;
  }

  #placeOf(person: number, session: { readonly path: string; readonly sessionId: string }): string {
    return placeKey(this.namesPeople ? this.scope.nameOf(person) : '', session);
  }

  #stored(): Promise<readonly StoredSession[]> {
    this.#sessions ??= readSessions(this.sql, this.scope);
    return this.#sessions;
  }

  /** Machines may have pushed with different prices. */
  async #pricesVersion(): Promise<string> {
    const rows = await this.sql<{ version: string }[]>`SELECT version FROM clew.price_versions ORDER BY version`;
    const [first, last] = [rows[0]?.version ?? '', rows.at(-1)?.version ?? ''];
    return first === last ? first : `${first} to ${last}`;
  }
}

function placeKey(person: string, { path, sessionId }: { readonly path: string; readonly sessionId: string }): string {
  return [person, path, sessionId].join('\n');
}
