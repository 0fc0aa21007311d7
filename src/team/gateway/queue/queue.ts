// The tables of the gateway as functions: what one instance may do, each in one transaction. All state is in the store.
import { randomUUID } from 'node:crypto';
import { asString } from '../../../base/json/index.ts';
import type { Sql } from '../../database/index.ts';
import { hashKey } from './keys.ts';
import type { Sender } from './sender.ts';

/** A request to a trace server. */
export interface EncodedBatch {
  readonly destination: string;
  readonly spans: number;
  readonly contentType: string;
  /** Compressed with gzip. */
  readonly body: Buffer;
}

export interface ClaimedBatch {
  readonly batch: number;
  readonly spans: number;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface LaterReason {
  readonly message: string;
  readonly leastWaitMs: number;
  /** The server answered: other batches may succeed. */
  readonly isOfBatch: boolean;
  /** The server may have it. */
  readonly isUncertain: boolean;
}

export interface QueueOptions {
  /** How long a batch stays with an instance that does not renew its lease. */
  readonly leaseMs?: number;
  /** The first wait after a failure. */
  readonly retryBaseMs?: number;
}

export class GatewayQueue {
  readonly #sql: Sql;
  /** This instance. */
  readonly #owner = randomUUID();
  readonly #lease: string;
  readonly #firstWait: string;
  readonly leaseMs: number;

  constructor(sql: Sql, { leaseMs = 30_000, retryBaseMs = 1_000 }: QueueOptions = {}) {
    this.#sql = sql;
    this.leaseMs = leaseMs;
    this.#lease = interval(leaseMs);
    this.#firstWait = interval(retryBaseMs);
  }

  /** `undefined` if the store does not know the key, or no longer accepts it. */
  async senderOf(key: string): Promise<Sender | undefined> {
    const [row] = await this.#sql<Sender[]>`
      SELECT tenant, person, tenant_name AS "tenantName", person_name AS "personName", groups
      FROM clew.gateway_key(${hashKey(key)})`;
    return row;
  }

  /** Takes nothing if some spans are known; returns their indexes. */
  async take(
    { tenant, person }: Sender,
    keys: readonly Buffer[],
    batches: readonly EncodedBatch[],
  ): Promise<readonly number[]> {
    for (;;) {
      try {
        const [row] = await this.#sql<{ known: number[] }[]>`
          SELECT clew.gateway_take(${tenant}, ${person}, ${byteaArray(keys)}::text::bytea[],
            ${batches.map((each) => each.destination)}::text[], ${batches.map(({ spans }) => spans)}::integer[],
            ${batches.map(({ contentType }) => contentType)}::text[],
            ${byteaArray(batches.map(({ body }) => body))}::text::bytea[]) AS known`;
        return (row?.known ?? []).map((nth) => nth - 1);
      } catch (error) {
        // Another call has just taken one of the spans.
        if (asString((error as { readonly code?: unknown }).code) !== '23505') throw error;
      }
    }
  }

  async claim(destination: string, most: number): Promise<readonly ClaimedBatch[]> {
    return this.#sql<ClaimedBatch[]>`
      SELECT batch, spans, content_type AS "contentType", body
      FROM clew.gateway_claim(${destination}, ${this.#owner}, ${most}, ${this.#lease})`;
  }

  /** `false`: the batch is another instance's. */
  async markSending(batch: number): Promise<boolean> {
    const [row] = await this.#sql`SELECT clew.gateway_sending(${batch}, ${this.#owner}, ${this.#lease}) AS marked`;
    return row?.marked === true;
  }

  async renew(batches: readonly number[]): Promise<void> {
    if (batches.length > 0)
      await this
        .#sql`SELECT clew.gateway_renew(${this.#owner}, ${`{${batches.join(',')}}`}::text::bigint[], ${this.#lease})`;
  }

  async finish(batch: number, rejected: number, message: string | undefined): Promise<void> {
    await this.#sql`SELECT clew.gateway_done(${batch}, ${this.#owner}, ${rejected}, ${message ?? null})`;
  }

  async park(batch: number, reason: string): Promise<void> {
    await this.#sql`SELECT clew.gateway_park(${batch}, ${this.#owner}, ${reason})`;
  }

  /** Whether it was parked, because the server fails with it and accepts others. */
  async putBack(batch: number, { message, leastWaitMs, isOfBatch, isUncertain }: LaterReason): Promise<boolean> {
    const [row] = await this.#sql`SELECT clew.gateway_later(${batch}, ${this.#owner}, ${message},
      ${interval(leastWaitMs)}, ${isOfBatch}, ${isUncertain}, ${this.#firstWait}) AS stage`;
    return row?.stage === 'parked';
  }

  /** No server can have it. */
  async release(batch: number): Promise<void> {
    await this.#sql`SELECT clew.gateway_release(${this.#owner}, ${batch})`;
  }

  /** At the end of this instance. */
  async releaseAll(): Promise<void> {
    await this.#sql`SELECT clew.gateway_release(${this.#owner}, NULL)`;
  }

  async sweep(): Promise<void> {
    await this.#sql`SELECT clew.gateway_sweep()`;
  }

  async isReachable(): Promise<boolean> {
    await this.#sql`SELECT 1`;
    return true;
  }
}

/** The driver takes a list of buffers for one. */
function byteaArray(values: readonly Buffer[]): string {
  return `{${values.map((value) => `"\\\\x${value.toString('hex')}"`).join(',')}}`;
}

function interval(ms: number): string {
  return `${ms} milliseconds`;
}
