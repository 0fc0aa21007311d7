// Sends the outbox. Each destination has its own lock and queue, so that one that is down does not block the others. A
// batch is deleted when its server accepted it, parked when it was refused, and kept otherwise for the next sender. It is
// marked as `sending` only before its last byte: if a sender is killed before that, no server has the batch.
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { isHeld, withLock } from '../../store/index.ts';
import type { Destination } from '../config/index.ts';
import { logFailure, sendLock, type TracePlaces } from '../state/index.ts';
import { readStatus, updateStatus } from './delivery-status.ts';
import { deleteBatch, listBatches, moveBatch, openBatch, parkBatch } from './outbox.ts';
import { type Outcome, postBatch } from './post.ts';

/** Options of `sendOutbox`. */
export interface SendOptions {
  readonly places: TracePlaces;
  readonly destinations: readonly Destination[];
  /** When to stop and leave the rest to the next sender. */
  readonly endMs?: number;
  /** How long to retry a server that accepts nothing. */
  readonly patienceMs?: number;
  /** How long to wait for another sender; 0 to leave the work to it. */
  readonly waitMs?: number;
  /** Called once for each destination that another sender is sending to. */
  readonly onWait?: (destination: string) => void;
  /** Ignore the servers' wish to wait. */
  readonly isUrgent?: boolean;
  /** Overrides the timeout of the destination. */
  readonly timeoutMs?: number;
  readonly retryBaseMs?: number;
  /** @internal */
  readonly random?: () => number;
  readonly signal?: AbortSignal;
  /** @internal Called before each step; a test ends the process here. */
  readonly onStep?: (step: string) => void;
}

/** What `sendOutbox` sent and what still waits. */
export interface SendReport {
  readonly sentSpans: number;
  readonly parkedBatches: number;
  readonly waitingBatches: number;
  /** Another process is sending to one of the destinations. */
  readonly isBusy: boolean;
}

/** Sends the batches that wait in the outbox. */
export async function sendOutbox(options: SendOptions): Promise<SendReport> {
  const total = { sentSpans: 0, parkedBatches: 0 };
  const runs = await Promise.allSettled(options.destinations.map((each) => sendTo(each, options, total)));
  for (const run of runs) if (run.status === 'rejected') throw run.reason;
  const isBusy = runs.some((run) => run.status === 'fulfilled' && !run.value);
  return { ...total, waitingBatches: waitingOf(options).length, isBusy };
}

export function isSending(places: TracePlaces, name: string): boolean {
  return isHeld(path.join(places.folder, sendLock(name)));
}

/** Whether batches wait that no process is sending. */
export function needsSender(places: TracePlaces, destinations: readonly Destination[]): boolean {
  return destinations.some(
    (each) => waitingOf({ places, destinations: [each] }).length > 0 && !isSending(places, each.name),
  );
}

function waitingOf({ places, destinations }: Pick<SendOptions, 'places' | 'destinations'>): readonly string[] {
  return destinations.flatMap(({ name }) =>
    (['ready', 'sending', 'acked'] as const).flatMap((stage) => listBatches(places, name, stage)),
  );
}

interface Total {
  sentSpans: number;
  parkedBatches: number;
}

/** `false` if another process is sending to it. */
async function sendTo(destination: Destination, options: SendOptions, total: Total): Promise<boolean> {
  const { places, endMs = Number.POSITIVE_INFINITY, waitMs = 0 } = options;
  const sender = new Sender(destination, options, total);
  const { name } = destination;
  const onWait = (): void => options.onWait?.(name);
  const lock = { name: sendLock(name), what: `sending traces to ${name}`, waitMs, onWait };
  for (;;) {
    const before = sender.moved;
    try {
      await withLock(places.folder, lock, () => sender.drain());
    } catch (error) {
      if (error instanceof UserError && error.exitCode === exitCodes.refused) return false;
      throw error;
    }
    // Runs that spooled batches meanwhile saw the lock and started no sender.
    const hasMore = waitingOf({ places, destinations: [destination] }).length > 0;
    if (!hasMore || sender.moved === before || Date.now() >= endMs) return true;
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

const defaultRetryBaseMs = 1_000;
const longestRetryMs = 300_000;

class Sender {
  readonly #destination: Destination;
  readonly #options: SendOptions;
  readonly #total: Total;
  /** How many batches were accepted or refused. */
  moved = 0;
  #movedMs = Date.now();

  constructor(destination: Destination, options: SendOptions, total: Total) {
    this.#destination = destination;
    this.#options = options;
    this.#total = total;
  }

  async drain(): Promise<void> {
    const { places } = this.#options;
    const { name } = this.#destination;
    this.#finishOthers();
    const queue = [...listBatches(places, name, 'ready')];
    for (let isFirst = true; queue.length > 0; isFirst = false) {
      if (!(await this.#wait(isFirst))) return;
      const batch = queue.shift() ?? '';
      const outcome = await this.#send(batch);
      // A batch that makes the server fail must not block the others.
      if (outcome?.kind === 'later') outcome.isOfBatch ? queue.push(batch) : queue.unshift(batch);
    }
  }

  /** Finishes what a killed sender left. */
  #finishOthers(): void {
    const { places } = this.#options;
    const { name } = this.#destination;
    for (const batch of listBatches(places, name, 'acked')) this.#finish(batch);
    for (const batch of listBatches(places, name, 'sending')) {
      // Counted before it is sent: if this process is killed in between, it is counted twice rather than never.
      updateStatus(places, name, { uncertainBatches: readStatus(places, name).uncertainBatches + 1 });
      logFailure(places.log, `send ${name}`, `batch ${batch} is sent again: a sender ended before it had the answer`);
      moveBatch(places, name, batch, 'sending', 'ready');
    }
  }

  /** Waits until the server may be tried again; `false` if that is too late for this run. */
  async #wait(isFirst: boolean): Promise<boolean> {
    const { places, signal, isUrgent, patienceMs = Number.POSITIVE_INFINITY } = this.#options;
    const endMs = Math.min(this.#options.endMs ?? Number.POSITIVE_INFINITY, this.#movedMs + patienceMs);
    const { retryAtMs } = readStatus(places, this.#destination.name);
    const waitMs = isUrgent === true && isFirst ? 0 : retryAtMs - Date.now();
    if (isAborted(signal) || Date.now() >= endMs || Date.now() + waitMs > endMs) return false;
    if (waitMs > 0)
      await delay(waitMs, undefined, { ...(signal === undefined ? {} : { signal }) }).catch(() => undefined);
    return !isAborted(signal);
  }

  async #send(batch: string): Promise<Outcome | undefined> {
    const { places, onStep = () => {}, timeoutMs = this.#destination.timeoutMs } = this.#options;
    const { name } = this.#destination;
    onStep('before sending');
    const content = openBatch(places, name, batch, 'ready');
    if (content === undefined) {
      if (moveBatch(places, name, batch, 'ready', 'sending')) this.#park(batch, 'the batch file cannot be read');
      return undefined;
    }
    const beforeLastByte = (): void => {
      onStep('all but one byte sent');
      if (!moveBatch(places, name, batch, 'ready', 'sending')) throw new Error(`batch ${batch} is gone`);
      onStep('before the last byte');
    };
    const outcome = await postBatch(this.#destination, content, { timeoutMs, nowMs: Date.now(), beforeLastByte });
    // Some servers respond before they have read everything.
    if (outcome.kind !== 'later') moveBatch(places, name, batch, 'ready', 'sending');
    if (outcome.kind === 'taken') {
      moveBatch(places, name, batch, 'sending', 'acked');
      onStep('acknowledged');
      this.#noteRejected(outcome);
      this.#finish(batch);
    } else if (outcome.kind === 'refused') this.#park(batch, outcome.message);
    else this.#putBack(batch, outcome);
    onStep('batch done');
    return outcome;
  }

  /** Counts, then deletes; `lastBatch` prevents counting twice if the process is killed in between. */
  #finish(batch: string): void {
    const { places, onStep = () => {} } = this.#options;
    const { name } = this.#destination;
    const status = readStatus(places, name);
    const spans = openBatch(places, name, batch, 'acked')?.info.spanIds.length ?? 0;
    if (status.lastBatch !== batch) {
      updateStatus(places, name, {
        sentSpans: status.sentSpans + spans,
        sentBatches: status.sentBatches + 1,
        lastBatch: batch,
        lastSentMs: Date.now(),
        failures: 0,
        retryAtMs: 0,
      });
    }
    onStep('before deletion');
    deleteBatch(places, name, batch, 'acked');
    this.#total.sentSpans += spans;
    this.#noteMove();
  }

  #noteMove(): void {
    this.moved++;
    this.#movedMs = Date.now();
  }

  #noteRejected({ rejectedSpans, message }: Outcome & { kind: 'taken' }): void {
    if (rejectedSpans === 0 && message === undefined) return;
    const { places } = this.#options;
    const { name } = this.#destination;
    const lastError = `the server accepted a batch but rejected ${rejectedSpans} spans: ${message ?? 'without a reason'}`;
    const rejected = readStatus(places, name).rejectedSpans + rejectedSpans;
    updateStatus(places, name, { rejectedSpans: rejected, lastError, lastErrorMs: Date.now() });
    logFailure(places.log, `send ${name}`, lastError);
  }

  #park(batch: string, reason: string): void {
    const { places } = this.#options;
    const { name } = this.#destination;
    parkBatch(places, name, batch, reason);
    updateStatus(places, name, { lastError: reason, lastErrorMs: Date.now(), failures: 0, retryAtMs: 0 });
    logFailure(places.log, `send ${name}`, `parked ${batch}: ${reason}`);
    this.#total.parkedBatches++;
    this.#noteMove();
  }

  #putBack(batch: string, { message, retryAfterMs, isUncertain }: Outcome & { kind: 'later' }): void {
    const { places, retryBaseMs = defaultRetryBaseMs, random = Math.random } = this.#options;
    const { name } = this.#destination;
    const { failures: before, uncertainBatches } = readStatus(places, name);
    const failures = before + 1;
    const steps = Math.min(longestRetryMs, retryBaseMs * 2 ** Math.min(20, failures - 1));
    // Jitter, so that many machines do not retry at the same moment.
    const waitMs = Math.max(retryAfterMs ?? 0, steps * (0.5 + random() / 2));
    const lastErrorMs = Date.now();
    updateStatus(places, name, {
      failures,
      uncertainBatches: uncertainBatches + (isUncertain ? 1 : 0),
      lastError: message,
      lastErrorMs,
      retryAtMs: lastErrorMs + waitMs,
    });
    moveBatch(places, name, batch, 'sending', 'ready');
    if (failures === 1) logFailure(places.log, `send ${name}`, message);
  }
}
