// How long to wait before a request is retried, and how often.

import type { ModelFailure } from '../../api/client/index.ts';

export const defaultMaxRetries = 10;
const firstDelayMs = 500;
const longestDelayMs = 32_000;
/** A rate limit may ask for an hour; an error is better than such a wait. */
const longestAskedDelayMs = 300_000;
const jitter = 0.25;

/** `attempt` counts from 1; `random` is between 0 and 1. */
export function retryDelayMs(attempt: number, failure: ModelFailure, random: number): number {
  if (failure.retryAfterMs !== undefined) return Math.min(Math.ceil(failure.retryAfterMs), longestAskedDelayMs);
  const doubled = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
  return Math.round(doubled * (1 - jitter * random));
}

/** A failure that Clew itself found; it is not retried. */
export function permanentFailure(kind: string, message: string): ModelFailure {
  return { status: undefined, kind, message, requestId: undefined, retryAfterMs: undefined, isRetryable: false };
}

/** `CLEW_MAX_RETRIES`, if it is a whole number. */
export function maxRetriesOf(env: NodeJS.ProcessEnv): number {
  const text = env.CLEW_MAX_RETRIES?.trim() ?? '';
  return /^\d{1,4}$/.test(text) ? Number(text) : defaultMaxRetries;
}

/** `CLEW_IDLE_TIMEOUT_MS`: how long the API may send nothing. */
export function idleTimeoutOf(env: NodeJS.ProcessEnv): number | undefined {
  const text = env.CLEW_IDLE_TIMEOUT_MS?.trim() ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
