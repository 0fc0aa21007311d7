// Asks the model for a summary of the conversation, which replaces the history. If that fails, the history stays as it
// is.

import { randomUUID } from 'node:crypto';
import { isPromptTooLong } from '../../api/client/failure.ts';
import type { ModelRequest } from '../../api/client/model.ts';
import { typedPrompts } from '../session/rewind.ts';
import { readSummary, summaryRequest, summaryText } from './compaction.ts';
import type { AgentContext } from './context.ts';
import { makeRequest } from './request.ts';
import { collectAnswer } from './side-answer.ts';

export interface CompactionWish {
  readonly trigger: 'auto' | 'manual';
  readonly focus?: string;
  /** In the middle of a turn; the summary then asks the model to continue. */
  readonly isTurnOpen: boolean;
}

/** Shares of the context window that the history is cut to; several, because estimates are too low. */
const shares = [undefined, 0.6, 0.3] as const;

/** Resolves to whether the conversation was compacted. */
export async function compactConversation(
  wish: CompactionWish,
  context: AgentContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { emit } = context;
  const { trigger } = wish;
  const preTokens = context.meter.contextTokens();
  await emit({ type: 'compacting', trigger, preTokens });
  const base = await makeRequest(context);
  const found = await findSummary(base, wish, context, signal);
  if ('problem' in found) {
    await emit({ type: 'compacted', trigger, preTokens, result: found });
    return false;
  }
  const summary = summaryText(await typedPrompts(context.session()), found.summary, wish.isTurnOpen);
  const result = { boundaryUuid: randomUUID(), summaryUuid: randomUUID(), summary };
  await emit({ type: 'compacted', trigger, preTokens, result });
  return true;
}

async function findSummary(
  base: ModelRequest,
  { trigger, focus }: CompactionWish,
  context: AgentContext,
  signal: AbortSignal,
): Promise<{ readonly summary: string } | { readonly problem: string }> {
  if (base.messages.length === 0) return { problem: 'there is nothing to summarise yet' };
  const verdict = await context.hooks.run('PreCompact', trigger, { trigger, custom_instructions: focus ?? '' }, signal);
  const blocked = verdict.blocked ?? verdict.stop;
  if (blocked !== undefined) return { problem: `a hook blocked it: ${blocked}` };
  for (const share of shares) {
    const budget = share === undefined ? undefined : context.meter.windowOf(context.model()) * share;
    const answer = await collectAnswer(summaryRequest(base, focus, budget), context, signal);
    if (answer.kind === 'answered') return readSummary(answer.blocks, answer.stopReason);
    if (answer.kind === 'interrupted') return { problem: 'it was interrupted' };
    if (!isPromptTooLong(answer.failure)) return { problem: answer.failure.message };
  }
  return { problem: 'the history is too long to be summarised; start a new session' };
}
