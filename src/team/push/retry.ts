// A call to the store → its answer, after errors that pass: the connection was lost, the server starts again, or two
// transactions got in each other's way. Every call of a target may be repeated.
import { setTimeout as delay } from 'node:timers/promises';
import { isPassing } from '../database/index.ts';

export interface RetryOptions {
  /** How long to try a store that does not answer. */
  readonly patienceMs: number;
  readonly baseMs?: number;
  readonly signal?: AbortSignal;
  /** Called before each wait. */
  readonly onWait?: (error: unknown, waitMs: number) => void;
}

const defaultBaseMs = 250;
const longestMs = 10_000;

export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { patienceMs, baseMs = defaultBaseMs, signal, onWait } = options;
  const endMs = Date.now() + patienceMs;
  for (let waitMs = baseMs; ; waitMs = Math.min(longestMs, 2 * waitMs)) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error) || signal?.aborted === true || Date.now() + waitMs > endMs) throw error;
      onWait?.(error, waitMs);
      // Machines that lost the same server do not come back at once.
      await delay(waitMs * (0.5 + Math.random()), undefined, signal === undefined ? {} : { signal }).catch(() => {});
    }
  }
}
