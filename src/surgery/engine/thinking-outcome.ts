// Describes how many thinking blocks an operation removed, and why.
import type { Plan } from './plan.ts';

/** What happened to the thinking blocks that a resume sends. */
export interface ThinkingOutcome {
  /** The number of blocks that resuming the results sends. */
  readonly kept: number;
  /** The number of blocks that were removed because the API would refuse them. */
  readonly removed: number;
  /** Why, in one sentence; `null` if none was removed. */
  readonly reason: string | null;
}

export function thinkingOutcome(
  plan: Plan,
  { kept, removed }: Pick<ThinkingOutcome, 'kept' | 'removed'>,
  isPortable: boolean,
): ThinkingOutcome {
  if (removed === 0) return { kept, removed, reason: null };
  const all = kept + removed;
  const what = `${removed} of ${all} thinking ${all === 1 ? 'block' : 'blocks'} ${removed === 1 ? 'was' : 'were'}`;
  const refused = 'the API would refuse them (`bound to a different conversation`)';
  const why =
    plan.thinking === 'all'
      ? `${what} made with another account or system prompt`
      : isPortable
        ? `${what} made after reminders that --portable removes; ${refused}`
        : `${what} made after text that changes; ${refused}`;
  return { kept, removed, reason: `${why}. They are removed from ${whereRemoved(plan)}` };
}

function whereRemoved({ results, removals = [], sources, thinking }: Plan): string {
  const isReplaced = results.some(({ isInPlace }) => isInPlace) || sources.some(({ path }) => removals.includes(path));
  if (isReplaced) return 'the session; `clew undo` restores them.';
  return `the new session; the ${thinking === 'all' ? 'source' : 'original'} keeps them.`;
}
