// The delivery status of a destination: how much was sent, the last error, and when to retry. Only the sender writes it,
// under the send lock.
import { asObject, asString, parseJson } from '../../base/json/json.ts';
import { readText, writeDurably } from '../state/durable.ts';
import { statusOf, type TracePlaces } from '../state/places.ts';

export interface DeliveryStatus {
  readonly sentSpans: number;
  readonly sentBatches: number;
  /** Spans that the server rejected out of batches that it accepted. */
  readonly rejectedSpans: number;
  /** Batches that were sent twice, because the response was lost or the sender was killed. */
  readonly uncertainBatches: number;
  /** The batch that was counted last. */
  readonly lastBatch: string | undefined;
  readonly lastSentMs: number | undefined;
  readonly lastError: string | undefined;
  readonly lastErrorMs: number | undefined;
  readonly failures: number;
  readonly retryAtMs: number;
}

export function readStatus(places: TracePlaces, destination: string): DeliveryStatus {
  const found = asObject(parseJson(readText(statusOf(places, destination)) ?? '')) ?? {};
  const count = (key: string): number => (typeof found[key] === 'number' ? Math.max(0, found[key]) : 0);
  const moment = (key: string): number | undefined => (typeof found[key] === 'number' ? found[key] : undefined);
  return {
    sentSpans: count('sentSpans'),
    sentBatches: count('sentBatches'),
    rejectedSpans: count('rejectedSpans'),
    uncertainBatches: count('uncertainBatches'),
    lastBatch: asString(found.lastBatch),
    lastSentMs: moment('lastSentMs'),
    lastError: asString(found.lastError),
    lastErrorMs: moment('lastErrorMs'),
    failures: count('failures'),
    retryAtMs: count('retryAtMs'),
  };
}

export function updateStatus(places: TracePlaces, destination: string, change: Partial<DeliveryStatus>): void {
  const next = { ...readStatus(places, destination), ...change };
  writeDurably(statusOf(places, destination), `${JSON.stringify(next)}\n`);
}
