// A failure and how often it happened → how long to wait before the next try, or that there is none.

import type { ModelFailure } from '../api/client/model.ts';
export const defaultMaxRetries = 10;
const firstDelayMs = 500;
const longestDelayMs = 32_000;
/** A limit may ask for an hour; whoever waits that long is better told, and can interrupt. */
const longestAskedDelayMs = 300_000;
const jitter = 0.25;

/** `attempt` is the retry to come, from 1; `random` is from 0 to 1. */
export function retryDelayMs(attempt: number, failure: ModelFailure, random: number): number {
  if (failure.retryAfterMs !== undefined) return Math.min(Math.ceil(failure.retryAfterMs), longestAskedDelayMs);
  const doubled = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
  return Math.round(doubled * (1 - jitter * random));
}

/** `CLEW_MAX_RETRIES`, where it is a whole number. */
export function maxRetriesOf(env: NodeJS.ProcessEnv): number {
  const text = env.CLEW_MAX_RETRIES?.trim() ?? '';
  return /^\d{1,4}$/.test(text) ? Number(text) : defaultMaxRetries;
}

/** How long the API may say nothing at all, where the person set another time than ours. */
export function idleTimeoutOf(env: NodeJS.ProcessEnv): number | undefined {
  const text = env.CLEW_IDLE_TIMEOUT_MS?.trim() ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
