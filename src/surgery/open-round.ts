// Models with a thinking budget want the last answer of an open round of tool calls to begin with thinking, so no operation
// takes it from there.
import { hasThinkingBudget } from '../api/thinking-binding.ts';
import { exitCodes, UserError } from '../base/errors.ts';
import type { Node } from '../session/node.ts';
import { resumeLines } from '../session/resume/request.ts';
import type { Session } from '../session/session.ts';

/** The id of the last answer that a resume takes up, where it has tool calls and a model with a thinking budget. */
export function openRoundOf(lines: readonly Node[]): string | undefined {
  const last = lines.findLast((node) => node.type === 'assistant' && !node.isApiError);
  if (last === undefined || !hasThinkingBudget(last.message?.model)) return undefined;
  const hasCall = answerLines(lines, last.message?.id).some((node) => node.message?.blockTypes.includes('tool_use'));
  return hasCall ? last.message?.id : undefined;
}

/** Refuses to take the thinking of an open round out of the session that a client goes on with. */
export function refuseOpenRound(result: Session, source: Session | undefined): void {
  const before = source === undefined ? [] : chainOf(source);
  const id = openRoundOf(before);
  if (source === undefined || id === undefined) return;
  const after = chainOf(result);
  if (answerLines(after, id).length === 0 || thoughtsIn(after, id) === thoughtsIn(before, id)) return;
  throw new UserError(
    `the last answer of ${source.id} waits for tool results, and its model does not go on without its thinking`,
    'finish the turn first, or leave out --in-place',
    exitCodes.refused,
  );
}

function chainOf({ transcript }: Session): readonly Node[] {
  const resumed = resumeLines(transcript);
  return 'refused' in resumed ? [] : resumed.lines;
}

function answerLines(lines: readonly Node[], id: string | undefined): readonly Node[] {
  return lines.filter((node) => node.type === 'assistant' && node.message?.id === id);
}

function thoughtsIn(lines: readonly Node[], id: string): number {
  const types = answerLines(lines, id).flatMap((node) => node.message?.blockTypes ?? []);
  return types.filter((type) => type.endsWith('thinking')).length;
}
