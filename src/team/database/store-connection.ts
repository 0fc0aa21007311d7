// A connection to the store whose loss is an error of the call, and of nothing else. When a server ends, the driver (postgres
// 3.4.9) rejects the transaction, lets its work continue on the closed connection, and then fails outside of every promise; or
// it connects again with half of a message in its buffer. So work stops at the loss, and the next call has a new connection.
import { setImmediate } from 'node:timers/promises';
import { asString } from '../../base/json/index.ts';
import type { Sql, TransactionSql } from './connect.ts';

export interface Transaction {
  readonly sql: TransactionSql;
  /** To be called before each query but the first. */
  readonly refuseIfLost: () => void;
}

export class StoreConnection {
  #sql: Sql;
  readonly #reconnect: (() => Promise<Sql>) | undefined;
  #isLost = false;

  constructor(sql: Sql, reconnect?: () => Promise<Sql>) {
    this.#sql = sql;
    this.#reconnect = reconnect;
  }

  /** One statement, without a transaction of its own. */
  async query<T>(run: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await run(await this.#current());
    } catch (error) {
      this.#isLost ||= isLoss(error);
      throw error;
    }
  }

  async transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const sql = await this.#current();
    let isClosed = false;
    const refuseIfLost = (): void => {
      if (isClosed) throw new ConnectionLost();
    };
    const never = new Promise<never>(() => {});
    try {
      const result = sql.begin(async (transaction) => {
        try {
          return await work({ sql: transaction, refuseIfLost });
        } catch (error) {
          // A stream may report the loss under another name before the connection does.
          await setImmediate();
          // Else the driver would send ROLLBACK over a connection that is gone. It rejects the transaction itself.
          return isLoss(error) || isClosed ? await never : Promise.reject(error);
        }
      });
      result.catch(() => {
        isClosed = true;
      });
      return (await result) as T;
    } catch (error) {
      this.#isLost ||= isLoss(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#isLost) void this.#sql.end({ timeout: 0 }).catch(() => {});
    else await this.#sql.end({ timeout: 5 });
  }

  async #current(): Promise<Sql> {
    if (!this.#isLost || this.#reconnect === undefined) return this.#sql;
    void this.#sql.end({ timeout: 0 }).catch(() => {});
    this.#sql = await this.#reconnect();
    this.#isLost = false;
    return this.#sql;
  }
}

class ConnectionLost extends Error {
  readonly code = 'CONNECTION_CLOSED';
}

/** The server has ended the connection, or is about to. */
function isLoss(error: unknown): boolean {
  const code = asString((error as { readonly code?: unknown } | undefined)?.code) ?? '';
  return /^(CONNECT|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|57P0|08)/.test(code);
}
