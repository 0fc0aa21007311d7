// Pushes into PostgreSQL: one transaction per session, rows by COPY.
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { JsonObject } from '../../base/json/index.ts';
import type {
  Hello,
  LevelNumber,
  PushAnswer,
  PushTarget,
  RemoveAnswer,
  SessionRows,
  TombstoneReason,
} from '../contract/index.ts';
import type { Sql, TransactionSql } from './connect.ts';
import { copiesOf } from './copy-rows.ts';
import { storableJson } from './copy-text.ts';
import { StoreConnection, type Transaction } from './store-connection.ts';
import { wordSums } from './word-sums.ts';

/** Room for the lines of one write to the connection. */
const chunkBytes = 256 * 1024;

export interface DatabaseTargetOptions {
  /** A gateway acts for this person. */
  readonly person?: number;
  /** For the calls after one that lost its connection; without it they use the pool of `sql`. */
  readonly reconnect?: () => Promise<Sql>;
}

/** `close` ends the connection. */
export class DatabaseTarget implements PushTarget {
  readonly #connection: StoreConnection;
  readonly #person: number | undefined;

  constructor(sql: Sql, { person, reconnect }: DatabaseTargetOptions = {}) {
    this.#connection = new StoreConnection(sql, reconnect);
    this.#person = person;
  }

  /** In one round trip: a query without parameters needs no preparation, and is a transaction of its own. */
  async hello(machine: string): Promise<Hello> {
    const person = this.#person === undefined ? '' : `set_config('clew.person', '${this.#person}', true) AS person, `;
    const text = `SELECT ${person}(SELECT clew.hello(${textLiteral(machine)})) AS hello`;
    const rows = await this.#connection.query((sql) => sql.unsafe<{ hello: Hello }[]>(text));
    return (rows[0] as { hello: Hello }).hello; // one row
  }

  push(session: SessionRows): Promise<PushAnswer> {
    return this.#inTransaction(async ({ sql, refuseIfLost }) => {
      const head = storableJson({ ...session.head, words: wordSums(session) } as unknown as JsonObject);
      const [row] = await sql<{ answer: PushAnswer; tenant: number; person: number }[]>`
        SELECT clew.open_session(${head}::text::jsonb) AS answer, clew.my_tenant() AS tenant, clew.my_person() AS person`;
      const { answer, tenant, person } = row as { answer: PushAnswer; tenant: number; person: number }; // one row
      if (answer.state !== 'open') return answer;
      const copies = copiesOf(session, tenant, person);
      refuseIfLost();
      await sql.unsafe(copies.map(({ table }) => temporaryTable(table)).join(''));
      for (const { table, columns, lines } of copies) {
        const names = ['tenant', 'person', 'session_id', 'month', ...columns].join(', ');
        refuseIfLost();
        await copyInto(sql, `pg_temp.new_${table} (${names})`, lines);
      }
      refuseIfLost();
      // In one round trip. A policy checks every row.
      await sql.unsafe(
        copies.map(({ table }) => `INSERT INTO clew.${table} SELECT * FROM pg_temp.new_${table};`).join(''),
      );
      return answer;
    });
  }

  remove(sessionId: string, reason: TombstoneReason, machine: string, kept: LevelNumber = 0): Promise<RemoveAnswer> {
    return this.#inTransaction(async ({ sql }) => {
      const [row] = await sql<{ answer: RemoveAnswer }[]>`
        SELECT clew.remove_session(${sessionId}, ${reason}, ${machine}, ${kept}) AS answer`;
      return (row as { answer: RemoveAnswer }).answer; // one row
    });
  }

  async goodbye(machine: string, digest: string): Promise<void> {
    await this.#inTransaction(({ sql }) => sql`SELECT clew.goodbye(${machine}, ${digest})`);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#connection.transaction(async (transaction) => {
      const { sql, refuseIfLost } = transaction;
      if (this.#person !== undefined) await sql`SELECT set_config('clew.person', ${String(this.#person)}, true)`;
      refuseIfLost();
      return work(transaction);
    });
  }
}

/** Any text, without a character that could end the literal. */
function textLiteral(text: string): string {
  return `convert_from(decode('${Buffer.from(text.toWellFormed()).toString('hex')}', 'hex'), 'UTF8')`;
}

/** PostgreSQL refuses COPY into a table with policies for its rows, so the rows go through a table of this connection. */
function temporaryTable(table: string): string {
  return `CREATE TEMPORARY TABLE IF NOT EXISTS new_${table} (LIKE clew.${table}) ON COMMIT DELETE ROWS;`;
}

async function copyInto(sql: TransactionSql, target: string, lines: Iterable<string>): Promise<void> {
  const query = sql.unsafe(`COPY ${target} FROM STDIN`);
  const stream = await query.writable();
  // An error while nothing waits for the stream is reported by the next wait.
  stream.on('error', () => {});
  // After the last line the driver reports an error of the server to the query alone, whose promise is settled already.
  const failed = new Promise<never>((_, reject) => {
    (query as unknown as { reject: (error: unknown) => void }).reject = reject;
  });
  await Promise.race([writeLines(stream, lines), failed]);
}

/** The lines as UTF-8. They are written into the chunk itself: joined first, they would be copied once more. */
export function* chunksOf(lines: Iterable<string>): Generator<Buffer> {
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  for (const line of lines) {
    const room = mostBytesOfUnit * line.length;
    // The chunk of one long line does not wait for more.
    if (room > chunk.length - filled || filled >= chunkBytes) {
      if (filled > 0) yield chunk.subarray(0, filled);
      chunk = Buffer.allocUnsafe(Math.max(chunkBytes, room));
      filled = 0;
    }
    filled += chunk.write(line, filled);
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

/** In UTF-8, of a unit of UTF-16. */
const mostBytesOfUnit = 3;

async function writeLines(stream: Writable, lines: Iterable<string>): Promise<void> {
  for (const chunk of chunksOf(lines)) if (!stream.write(chunk)) await once(stream, 'drain');
  stream.end();
  await finished(stream);
}
