// Whether somebody waits for something → a promise that is kept once nobody does. What may be done later leaves the
// machine to a page that is being opened: on two cores a page takes half as long again beside an index that is made.
import { setTimeout } from 'node:timers/promises';

export interface CalmOptions {
  readonly signal: AbortSignal;
  /** For how long nobody may have waited. */
  readonly quietMs?: number;
  /** After this long it is done all the same. */
  readonly mostMs?: number;
  readonly lookMs?: number;
}

export async function untilCalm(
  isBusy: () => boolean,
  { signal, quietMs = 400, mostMs = 4_000, lookMs = 50 }: CalmOptions,
): Promise<void> {
  let quiet = 0;
  for (let waited = 0; waited < mostMs && quiet < quietMs && !signal.aborted; waited += lookMs) {
    await setTimeout(lookMs, undefined, { signal }).catch(() => {}); // ended: the signal says so
    quiet = isBusy() ? 0 : quiet + lookMs;
  }
}
