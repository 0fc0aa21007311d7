// How long to wait before a request is retried, how often, and when another model takes over.

import { isPromptTooLong, type ModelFailure } from '../../api/client/index.ts';
import type { ModelSwitched } from '../contract/index.ts';

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

/** `CLEW_MAX_RETRIES`, or the client's name for it, if it is a whole number. */
export function maxRetriesOf(env: NodeJS.ProcessEnv): number {
  const text = (env.CLEW_MAX_RETRIES ?? env.CLAUDE_CODE_MAX_RETRIES)?.trim() ?? '';
  return /^\d{1,4}$/.test(text) ? Number(text) : defaultMaxRetries;
}

/** `CLEW_IDLE_TIMEOUT_MS`: how long the API may send nothing. */
export function idleTimeoutOf(env: NodeJS.ProcessEnv): number | undefined {
  const text = env.CLEW_IDLE_TIMEOUT_MS?.trim() ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

// As client 2.1.325 decides it: three times overloaded, any other error of the server, a model that does not exist, or a
// request that the API refuses for good. Limits, keys and the connection are the same for all models.

const overloadedAttempts = 3;

/** `attempt` counts the requests to this model. `undefined`: the model stays. */
export function switchReason(failure: ModelFailure, attempt: number): ModelSwitched['trigger'] | undefined {
  const { status, kind } = failure;
  if (status === 529 || kind === 'overloaded_error') return attempt >= overloadedAttempts ? 'overloaded' : undefined;
  if (status === undefined || isPromptTooLong(failure)) return undefined;
  if (status >= 500) return 'server_error';
  if (status === 404) return 'model_not_found';
  return status === 400 ? 'last_resort' : undefined;
}

export function switchText(trigger: ModelSwitched['trigger'], from: string, to: string): string {
  switch (trigger) {
    case 'overloaded':
      return `${from} is overloaded; this turn continues with ${to}`;
    case 'server_error':
      return `${from} returned a server error; this turn continues with ${to}`;
    case 'model_not_found':
      return `${from} is not available; this turn continues with ${to}`;
    case 'last_resort':
      return `${from} refused the request; this turn continues with ${to}`;
    default:
      return trigger satisfies never;
  }
}
