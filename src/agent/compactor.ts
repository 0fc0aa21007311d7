// Asks the model for a summary of the conversation and puts it in the place of the history. Where no summary can be had,
// nothing changes: the history is worth more than its length.
import { randomUUID } from 'node:crypto';
import { isPromptTooLong } from '../api/client/failure.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { readSummary, summaryRequest, summaryText } from './compaction.ts';
import type { EmitEvent } from './event.ts';
import type { ModelRequest } from './parts.ts';
import { collectAnswer, type SideParts } from './side-answer.ts';

export interface CompactionParts extends SideParts {
  readonly hooks: AgentHooks;
  /** What the next request would be, without a new prompt. */
  readonly request: () => Promise<ModelRequest>;
  /** What the person typed, by the origin of the lines: not what files, hooks or summaries say. */
  readonly typedPrompts: () => Promise<readonly string[]>;
  readonly usedTokens: () => number;
  readonly windowTokens: () => number;
}

export interface CompactionWish {
  readonly trigger: 'auto' | 'manual';
  readonly focus?: string;
  /** In the middle of a turn: the summary says to go on. */
  readonly isTurnOpen: boolean;
}

/** Of the window, where the history is too long as it is: estimates are low, so more than one try. */
const shares = [undefined, 0.6, 0.3] as const;

/** Whether the conversation is a summary now. */
export async function compactConversation(
  wish: CompactionWish,
  parts: CompactionParts,
  emit: EmitEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const { trigger } = wish;
  const preTokens = parts.usedTokens();
  await emit({ type: 'compacting', trigger, preTokens });
  const base = await parts.request();
  const found = await findSummary(base, wish, parts, signal);
  if ('problem' in found) {
    await emit({ type: 'compacted', trigger, preTokens, result: found });
    return false;
  }
  const summary = summaryText(await parts.typedPrompts(), found.summary, wish.isTurnOpen);
  const result = { boundaryUuid: randomUUID(), summaryUuid: randomUUID(), summary };
  await emit({ type: 'compacted', trigger, preTokens, result });
  return true;
}

async function findSummary(
  base: ModelRequest,
  { trigger, focus }: CompactionWish,
  parts: CompactionParts,
  signal: AbortSignal,
): Promise<{ readonly summary: string } | { readonly problem: string }> {
  if (base.messages.length === 0) return { problem: 'there is nothing to summarise yet' };
  const verdict = await parts.hooks.run('PreCompact', trigger, { trigger, custom_instructions: focus ?? '' }, signal);
  const blocked = verdict.blocked ?? verdict.stop;
  if (blocked !== undefined) return { problem: `a hook does not want it: ${blocked}` };
  for (const share of shares) {
    const budget = share === undefined ? undefined : parts.windowTokens() * share;
    const answer = await collectAnswer(summaryRequest(base, focus, budget), parts, signal);
    if (answer.kind === 'answered') return readSummary(answer.blocks, answer.stopReason);
    if (answer.kind === 'interrupted') return { problem: 'it was interrupted' };
    if (!isPromptTooLong(answer.failure)) return { problem: answer.failure.message };
  }
  return { problem: 'the history is too long even for its summary' };
}
