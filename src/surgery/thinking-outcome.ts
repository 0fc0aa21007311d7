// How many thinking blocks an operation left out → what it says about them, in the plan, in the report and in JSON.
import type { Plan } from './plan.ts';

/** What became of the thinking blocks that a resume sends. */
export interface ThinkingOutcome {
  /** How many blocks a resume of the results sends. */
  readonly kept: number;
  /** How many blocks were left out because the API would refuse them. */
  readonly removed: number;
  /** Why, in one sentence; `null` where none was left out. */
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
        ? `${what} made behind reminders that --portable leaves out; ${refused}`
        : `${what} made behind text this changes; ${refused}`;
  return { kept, removed, reason: `${why}. They are left out of ${whereLeftOut(plan)}` };
}

function whereLeftOut({ results, removals = [], sources, thinking }: Plan): string {
  const isReplaced = results.some(({ isInPlace }) => isInPlace) || sources.some(({ path }) => removals.includes(path));
  if (isReplaced) return 'the session; `clew undo` brings them back.';
  return `the new session; the ${thinking === 'all' ? 'source' : 'original'} keeps them.`;
}
