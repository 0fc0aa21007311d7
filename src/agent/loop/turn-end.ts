// The end of a prompt that never became a turn: the user took it back, or a hook refused it.
import type { TurnEnded } from '../contract/event.ts';
import { permanentFailure } from './retry.ts';

/** `why`: the reason of a hook. */
export function endedWithout(outcome: TurnEnded['outcome'], why?: string): TurnEnded {
  const nothing = { durationMs: 0, apiDurationMs: 0, rounds: 0, text: '', denials: [] };
  if (why === undefined) return { type: 'turn-end', outcome, ...nothing };
  return { type: 'turn-end', outcome, ...nothing, error: permanentFailure('hook_blocked', why) };
}
