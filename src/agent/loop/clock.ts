// Time and random numbers as a value, so that a test decides how long a wait takes.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  now(): Date;
  /** Resolves early, without an error, when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch(() => undefined); // an abort is the only reason
  },
  random: Math.random,
};
