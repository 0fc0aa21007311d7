// Sends the batches of the queue to one destination, several at a time, next to other instances that do the same. A batch is
// leased; it is marked in the store before its last byte is sent, and deleted when the server has accepted it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Destination } from '../../trace/config/index.ts';
import { failureText, type Outcome, postBatch } from '../../trace/outbox/index.ts';
import type { ClaimedBatch, GatewayQueue } from './queue/index.ts';

export interface ForwarderOptions {
  readonly queue: GatewayQueue;
  readonly destination: Destination;
  /** Requests at once. */
  readonly requests?: number;
  /** How often to look for batches that other instances took. */
  readonly pollMs?: number;
  /** One line, without content. */
  readonly log: (line: string) => void;
  /** Called before each step; a test ends the process here. */
  readonly onStep?: (step: string) => void;
}

type Later = Outcome & { readonly kind: 'later' };

/** The wait after the store failed. */
const storeWaitMs = 500;

export class Forwarder {
  readonly #options: Required<ForwarderOptions>;
  readonly #inFlight = new Map<number, Promise<void>>();
  readonly #stopped = new AbortController();
  /** Ends the wait for new batches. */
  #wake: () => void = () => {};
  #isKicked = false;
  /** No last byte is sent any more. */
  #isReleased = false;
  readonly #running: Promise<void>;
  #isFailing = false;

  constructor(options: ForwarderOptions) {
    this.#options = { requests: 4, pollMs: 500, onStep: () => {}, ...options };
    this.#running = this.#run();
  }

  /** There are new batches. */
  kick(): void {
    this.#isKicked = true;
    this.#wake();
  }

  /** Claims nothing more; resolves when all requests are answered. */
  async drain(): Promise<void> {
    this.#stopped.abort();
    this.#wake();
    await this.#running;
    await Promise.all(this.#inFlight.values());
  }

  /** What this instance has leased. */
  get batches(): readonly number[] {
    return [...this.#inFlight.keys()];
  }

  /** Requests that lack their last byte stay incomplete. */
  cut(): void {
    this.#isReleased = true;
  }

  async #run(): Promise<void> {
    const { queue, destination, requests } = this.#options;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      this.#isKicked = false;
      const room = requests - this.#inFlight.size;
      let claimed: readonly ClaimedBatch[] = [];
      if (room > 0) claimed = (await this.#tryStore('claim', () => queue.claim(destination.name, room))) ?? [];
      for (const batch of claimed) this.#start(batch);
      if (claimed.length === 0 || claimed.length === room) await this.#wait();
    }
  }

  /** Until a request ends, a batch comes, or it is time to look again. */
  async #wait(): Promise<void> {
    if (this.#isKicked && this.#inFlight.size < this.#options.requests) return;
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const timer = setTimeout(() => this.#wake(), this.#options.pollMs);
    await woken;
    clearTimeout(timer);
  }

  #start(batch: ClaimedBatch): void {
    const sending = this.#send(batch).finally(() => {
      this.#inFlight.delete(batch.batch);
      this.kick();
    });
    this.#inFlight.set(batch.batch, sending);
  }

  async #send({ batch, body, contentType }: ClaimedBatch): Promise<void> {
    const { queue, destination, onStep } = this.#options;
    let isOurs = true;
    onStep('before sending');
    const beforeLastByte = async (): Promise<void> => {
      onStep('all but one byte sent');
      isOurs = !this.#isReleased && (await queue.markSending(batch).catch(() => false)) && !this.#isReleased;
      if (!isOurs) throw new Error('the batch is no longer leased by this instance');
      onStep('before the last byte');
    };
    const posted = { info: { contentType, contentEncoding: 'gzip' }, body };
    const { timeoutMs } = destination;
    const outcome = await postBatch(destination, posted, { timeoutMs, nowMs: Date.now(), beforeLastByte });
    if (outcome.kind === 'taken') onStep('accepted');
    // Nobody has it; another instance may have the lease.
    if (!isOurs) await this.#insist('release', () => queue.release(batch));
    else await this.#settle(batch, outcome);
    onStep('batch done');
  }

  async #settle(batch: number, outcome: Outcome): Promise<void> {
    const { queue, destination, log } = this.#options;
    const { name } = destination;
    if (outcome.kind === 'taken') {
      const { rejectedSpans, message } = outcome;
      const isWhole = rejectedSpans === 0 && message === undefined;
      const note = `the server accepted a batch but rejected ${rejectedSpans} spans: ${message ?? 'without a reason'}`;
      if (!isWhole) log(`${name}: ${note}`);
      await this.#insist('finish', () => queue.finish(batch, rejectedSpans, isWhole ? undefined : note));
    } else if (outcome.kind === 'refused') {
      log(`${name}: parked batch ${batch}: ${outcome.message}`);
      await this.#insist('park', () => queue.park(batch, outcome.message));
    } else await this.#putBack(batch, outcome);
  }

  async #putBack(batch: number, { message, retryAfterMs = 0, isOfBatch, isUncertain }: Later): Promise<void> {
    const { queue, destination, log } = this.#options;
    const reason = { message, leastWaitMs: retryAfterMs, isOfBatch, isUncertain };
    if (isUncertain) log(`${destination.name}: batch ${batch} is sent again: ${message}`);
    const isParked = await this.#insist('put back', () => queue.putBack(batch, reason));
    if (isParked === true) log(`${destination.name}: parked batch ${batch}: ${message}`);
  }

  /** The answer of a server is known only here: repeated until the store has it. The lease is renewed meanwhile. */
  async #insist<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    while (!this.#isReleased) {
      const done = await this.#tryStore(what, async () => ({ value: await work() }));
      if (done !== undefined) return done.value;
    }
    return undefined;
  }

  async #tryStore<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await work();
      this.#isFailing = false;
      return value;
    } catch (error) {
      if (!this.#isFailing) this.#options.log(`${this.#options.destination.name}: ${what}: ${failureText(error)}`);
      this.#isFailing = true;
      await delay(storeWaitMs);
      return undefined;
    }
  }
}
