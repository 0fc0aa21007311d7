// What waits, what was sent, and what went wrong, for the administrator.
import type { Sql } from '../../database/index.ts';

export interface GatewayReport {
  readonly destination: string;
  readonly sentSpans: number;
  readonly sentBatches: number;
  readonly rejectedSpans: number;
  /** Sent again because nobody knows whether the server had them. */
  readonly uncertainBatches: number;
  readonly waitingBatches: number;
  readonly waitingSpans: number;
  /** Seconds since the oldest that waits was received. */
  readonly lagSeconds: number;
  readonly parkedBatches: number;
  readonly parkedSpans: number;
  /** Of the newest that was parked. */
  readonly parkedReason: string | null;
  readonly lastSentAt: Date | null;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
}

export async function reportGateway(sql: Sql): Promise<readonly GatewayReport[]> {
  return sql<GatewayReport[]>`
    SELECT destination, coalesce(d.sent_spans, 0) AS "sentSpans", coalesce(d.sent_batches, 0) AS "sentBatches",
      coalesce(d.rejected_spans, 0) AS "rejectedSpans", coalesce(d.uncertain_batches, 0) AS "uncertainBatches",
      coalesce(b.waiting, 0) AS "waitingBatches", coalesce(b.waiting_spans, 0) AS "waitingSpans",
      coalesce(b.lag, 0)::double precision AS "lagSeconds", coalesce(b.parked, 0) AS "parkedBatches",
      coalesce(b.parked_spans, 0) AS "parkedSpans", b.reason AS "parkedReason", d.last_sent_at AS "lastSentAt",
      d.last_error AS "lastError", d.last_error_at AS "lastErrorAt"
    FROM clew.gateway_destinations d FULL JOIN (
      SELECT destination, count(*) FILTER (WHERE stage <> 'parked') AS waiting,
        coalesce(sum(spans) FILTER (WHERE stage <> 'parked'), 0) AS waiting_spans,
        extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE stage <> 'parked')) AS lag,
        count(*) FILTER (WHERE stage = 'parked') AS parked,
        coalesce(sum(spans) FILTER (WHERE stage = 'parked'), 0) AS parked_spans,
        (array_agg(reason ORDER BY batch DESC) FILTER (WHERE stage = 'parked'))[1] AS reason
      FROM clew.gateway_batches GROUP BY destination) b USING (destination)
    ORDER BY destination`;
}

/** Parked batches wait again. Returns how many. */
export async function retryParked(sql: Sql): Promise<number> {
  const rows = await sql`UPDATE clew.gateway_batches SET stage = 'ready', tries = 0, failed_at = NULL,
    retry_at = clock_timestamp() WHERE stage = 'parked' RETURNING batch`;
  return rows.length;
}
