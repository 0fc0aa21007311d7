// The delivery of a destination: its status file, its outbox and its refused batches.
import path from 'node:path';
import { namesIn } from '../state/durable.ts';
import type { TracePlaces } from '../state/places.ts';
import { readStatus } from './delivery-status.ts';
import { createdMsOf, listBatches, listParked, type ParkedBatch, sizeOf } from './outbox.ts';

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
