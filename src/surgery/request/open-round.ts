// Models with a thinking budget require the last answer of an open round of tool calls to start with thinking, so no
// operation removes it there.
import { hasThinkingBudget } from '../../api/request/thinking-binding.ts';
import { exitCodes, UserError } from '../../base/errors/errors.ts';
import type { Session } from '../../session/load/session.ts';
import { resumeLines } from '../../session/resume/request/request.ts';
import type { Node } from '../../session/transcript/node.ts';
import type { Transcript } from '../../session/transcript/transcript.ts';

/** The id of the last answer, if it has tool calls and its model has a thinking budget. */
export function openRoundOf(lines: readonly Node[]): string | undefined {
  const last = lines.findLast((node) => node.type === 'assistant' && !node.isApiError);
  if (last === undefined || !hasThinkingBudget(last.message?.model)) return undefined;
  const hasCall = answerLines(lines, last.message?.id).some((node) => node.message?.blockTypes.includes('tool_use'));
  return hasCall ? last.message?.id : undefined;
}

export function refuseOpenRound(result: Session, source: Session | undefined): void {
  const before = source === undefined ? [] : resumedLines(source);
  const id = openRoundOf(before);
  if (source === undefined || id === undefined) return;
  const after = resumedLines(result);
  if (answerLines(after, id).length === 0 || thoughtsIn(after, id) === thoughtsIn(before, id)) return;
  throw new UserError(
    `the last answer of ${source.id} waits for tool results, and its model cannot continue without its thinking`,
    'finish the turn first, or leave out --in-place',
    exitCodes.refused,
  );
}

/** The lines that a resume loads; none if Claude Code refuses the file. */
export function resumedLines({
  transcript,
}: {
  readonly transcript: Pick<Transcript, 'nodes' | 'read'>;
}): readonly Node[] {
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
