// Waits until the server is idle. Background work then does not slow down a page that is opening: on two cores, a page
// takes half as long again while the index is built.
import { setTimeout } from 'node:timers/promises';

export interface IdleOptions {
  readonly signal: AbortSignal;
  /** How long it must have been idle. */
  readonly quietMs?: number;
  /** Stops waiting after this time. */
  readonly maxMs?: number;
  readonly pollMs?: number;
}

export async function untilIdle(
  isBusy: () => boolean,
  { signal, quietMs = 400, maxMs = 4_000, pollMs = 50 }: IdleOptions,
): Promise<void> {
  let quiet = 0;
  for (let waited = 0; waited < maxMs && quiet < quietMs && !signal.aborted; waited += pollMs) {
    await setTimeout(pollMs, undefined, { signal }).catch(() => {}); // aborted: the loop checks the signal
    quiet = isBusy() ? 0 : quiet + pollMs;
  }
}
