// The delivery status of a destination: how much was sent, the last error, and when to retry. Only the sender writes it,
// under the send lock.

import path from 'node:path';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { namesIn, readText, writeDurably } from '../../store/index.ts';
import { statusOf, type TracePlaces } from '../state/index.ts';
import { createdMsOf, listBatches, listParked, type ParkedBatch, sizeOf } from './outbox.ts';

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

/** What was sent to a destination, what waits and what went wrong. */
export interface DestinationReport {
  readonly name: string;
  readonly sentSpans: number;
  readonly rejectedSpans: number;
  readonly uncertainBatches: number;
  readonly waitingBatches: number;
  readonly waitingBytes: number;
  readonly parked: readonly ParkedBatch[];
  readonly lastSentMs: number | undefined;
  readonly lastError: string | undefined;
  readonly lastErrorMs: number | undefined;
  readonly retryAtMs: number | undefined;
  /** The age of the oldest waiting batch. */
  readonly lagMs: number;
}

/** Reports what was sent to a destination, what waits and what went wrong. */
export function reportDestination(places: TracePlaces, name: string, nowMs: number): DestinationReport {
  const status = readStatus(places, name);
  const waiting = (['ready', 'sending'] as const).flatMap((stage) =>
    listBatches(places, name, stage).map((batch) => ({ batch, stage })),
  );
  const oldestMs = Math.min(...waiting.map(({ batch }) => createdMsOf(batch)));
  return {
    name,
    sentSpans: status.sentSpans,
    rejectedSpans: status.rejectedSpans,
    uncertainBatches: status.uncertainBatches,
    waitingBatches: waiting.length,
    waitingBytes: waiting.reduce((sum, { batch, stage }) => sum + sizeOf(places, name, batch, stage), 0),
    parked: listParked(places, name),
    lastSentMs: status.lastSentMs,
    lastError: status.lastError,
    lastErrorMs: status.lastErrorMs,
    retryAtMs: status.retryAtMs > nowMs ? status.retryAtMs : undefined,
    lagMs: Number.isFinite(oldestMs) ? Math.max(0, nowMs - oldestMs) : 0,
  };
}

/** Including destinations that are no longer set up, for which batches may wait. */
export function knownDestinations(places: TracePlaces): readonly string[] {
  const folders = ['outbox', 'dead'].flatMap((name) => namesIn(path.join(places.folder, name)));
  return [
    ...new Set([
      ...folders,
      ...namesIn(path.join(places.folder, 'status')).map((file) => path.basename(file, '.json')),
    ]),
  ];
}
