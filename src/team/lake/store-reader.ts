// Reads for a lake what the connected role may see: the sessions of a month, and their rows, person by person. Nothing is
// held open between two calls, so the store can vacuum; readings of other people's text are announced first.
import { UserError } from '../../base/errors/index.ts';
import type { LevelNumber, Month } from '../contract/index.ts';
import type { Sql, TransactionSql } from '../database/index.ts';
import { type LakeTableName, lakeTables, type StoreRow } from './lake-tables.ts';

export interface Reader {
  readonly tenantId: number;
  readonly tenant: string;
  /** The database role. */
  readonly role: string;
  /** Whether the text of others is seen, once it is announced. */
  readonly seesOthers: boolean;
}

export interface StoreHead {
  readonly personId: number;
  readonly person: string;
  readonly sessionId: string;
  readonly contentKey: string;
  readonly level: LevelNumber;
}

/** Heads that one query reads. */
const headsPerPage = 5_000;
const rowsPerFetch = 500;
/** An announcement for everyone counts for a minute. */
const announcementMs = 20_000;

export class StoreReader {
  readonly reader: Reader;
  readonly #sql: Sql;
  readonly #purpose: string;
  #announcedAt = Number.NEGATIVE_INFINITY;

  private constructor(sql: Sql, reader: Reader, purpose: string) {
    this.#sql = sql;
    this.reader = reader;
    this.#purpose = purpose;
  }

  /** `purpose` is written to the log of readings. */
  static async open(sql: Sql, purpose: string): Promise<StoreReader> {
    const [reader] = await sql<Reader[]>`
      SELECT tenant AS "tenantId", name AS tenant, session_user::text AS role, clew.sees_others() AS "seesOthers"
      FROM clew.tenants WHERE tenant = clew.my_tenant()`;
    if (reader === undefined)
      throw new UserError('the store does not know your role', 'ask the administrator: `clew team grant`');
    return new StoreReader(sql, reader, purpose);
  }

  /** The months that may have sessions: those of the partitions. */
  async months(): Promise<readonly Month[]> {
    const rows = await this.#sql<{ month: string | null }[]>`
      SELECT substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM [(]''([0-9]{4}-[0-9]{2}-01)''') AS month
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'clew.sessions'::regclass`;
    return rows.flatMap(({ month }) => (month === null ? [] : [month])).sort();
  }

  /** By person, then by session. */
  async *heads(month: Month): AsyncGenerator<StoreHead> {
    let after: readonly [person: number, session: string] = [-1, ''];
    for (;;) {
      const page = await this.#sql<StoreHead[]>`
        SELECT s.person AS "personId", p.name AS person, s.session_id AS "sessionId", s.content_key AS "contentKey", s.level
        FROM clew.sessions s JOIN clew.people p USING (tenant, person)
        WHERE s.tenant = ${this.reader.tenantId} AND s.month = ${month}::date
          AND (s.person, s.session_id) > (${after[0]}, ${after[1]})
        ORDER BY s.person, s.session_id LIMIT ${headsPerPage}`;
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < headsPerPage) return;
      after = [last.personId, last.sessionId];
    }
  }

  /**
   * Sessions of one person, all of one month, as they are now: first the heads of those that are still there, then their
   * rows. They are of one moment, so a push in between changes neither.
   */
  async readSessions(
    {
      personId,
      month,
      sessionIds,
    }: { readonly personId: number; readonly month: Month; readonly sessionIds: readonly string[] },
    tables: readonly LakeTableName[],
    take: SessionTaker,
  ): Promise<void> {
    if (tables.some((table) => lakeTables[table].level >= 3)) await this.#announce();
    await this.#sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (sql) => {
      const key = { tenantId: this.reader.tenantId, personId, month, sessionIds };
      const heads = await headsOf(sql, key);
      take.heads(heads.map(({ months: _, ...head }) => head));
      const months = [...new Set(heads.flatMap((head) => head.months))];
      for (const table of tables)
        for await (const rows of rowsOf(sql, table, { ...key, months })) await take.rows(table, rows);
    });
  }

  /** In a transaction of its own: what is read next sees it as committed. */
  async #announce(): Promise<void> {
    if (!this.reader.seesOthers || performance.now() - this.#announcedAt < announcementMs) return;
    await this.#sql`SELECT clew.announce_reading('export', NULL, NULL, ${this.#purpose})`;
    this.#announcedAt = performance.now();
  }
}

export interface SessionTaker {
  heads(heads: readonly StoreHead[]): void;
  /** With `session_id` and `month`, and the columns of the table. */
  rows(table: LakeTableName, rows: readonly StoreRow[]): Promise<void>;
}

interface SessionsKey {
  readonly tenantId: number;
  readonly personId: number;
  readonly month: Month;
  readonly sessionIds: readonly string[];
}

function headsOf(
  sql: TransactionSql,
  { tenantId, personId, month, sessionIds }: SessionsKey,
): PromiseLike<readonly (StoreHead & { readonly months: readonly string[] })[]> {
  return sql<(StoreHead & { readonly months: readonly string[] })[]>`
    SELECT s.person AS "personId", p.name AS person, s.session_id AS "sessionId", s.content_key AS "contentKey", s.level,
      s.months::text[] AS months
    FROM clew.sessions s JOIN clew.people p USING (tenant, person)
    WHERE s.tenant = ${tenantId} AND s.person = ${personId} AND s.month = ${month}::date
      AND s.session_id = ANY(${[...sessionIds]}::text[])`;
}

/** A session's row in `sessions` is in its own month, the other rows in those of `months`. */
function rowsOf(
  sql: TransactionSql,
  table: LakeTableName,
  { tenantId, personId, month, months, sessionIds }: SessionsKey & { readonly months: readonly string[] },
): AsyncIterable<readonly StoreRow[]> {
  const { source, select } = lakeTables[table];
  return sql
    .unsafe<StoreRow[]>(
      `SELECT session_id, month::text AS month, ${select} FROM clew.${source}
        WHERE tenant = $1 AND person = $2 AND month = ANY($3::date[]) AND session_id = ANY($4::text[])`,
      [tenantId, personId, [...new Set([month, ...months])], [...sessionIds]],
    )
    .cursor(rowsPerFetch);
}
