// How a prompt ends that never became a turn: taken back, or refused by a hook. A front end gets the same shape.
import type { TurnEnded } from './event.ts';

/** `why`: a hook's reason. */
export function endedWithout(outcome: TurnEnded['outcome'], why?: string): TurnEnded {
  const nothing = { durationMs: 0, apiDurationMs: 0, rounds: 0, text: '', denials: [] };
  if (why === undefined) return { type: 'turn-end', outcome, ...nothing };
  const error = {
    status: undefined,
    kind: 'hook_blocked',
    message: why,
    requestId: undefined,
    retryAfterMs: undefined,
    isRetryable: false,
  };
  return { type: 'turn-end', outcome, ...nothing, error };
}
