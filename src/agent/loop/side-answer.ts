// A request whose answer is not part of the conversation (a summary, a web page to read) → its blocks or a failure. It
// is retried like any other request, and its usage counts.

import { isThinkingRefused } from '../../api/client/failure.ts';
import type { ModelFailure, ModelRequest } from '../../api/client/model.ts';
import type { JsonObject } from '../../base/json/json.ts';
import { hasThinking, withoutThinking } from '../session/thinking.ts';
import type { AgentContext } from './context.ts';
import { retryDelayMs } from './retry.ts';

type SideContext = Pick<AgentContext, 'streamModel' | 'clock' | 'meter' | 'maxRetries'>;

export type CollectedAnswer =
  | { readonly kind: 'answered'; readonly blocks: readonly JsonObject[]; readonly stopReason: string | null }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'interrupted' };

/** The user waits for the call or the compaction. */
const mostRetries = 4;

export async function collectAnswer(
  request: ModelRequest,
  context: SideContext,
  signal: AbortSignal,
): Promise<CollectedAnswer> {
  const { clock } = context;
  let sent = request;
  for (let attempt = 1; ; attempt++) {
    const collected = await collectOnce(sent, context, signal);
    if (signal.aborted) return { kind: 'interrupted' };
    if (collected.kind !== 'failed') return collected;
    const { failure } = collected;
    if (isThinkingRefused(failure) && hasThinking(sent)) {
      sent = withoutThinking(sent);
      continue;
    }
    if (!failure.isRetryable || attempt > Math.min(context.maxRetries, mostRetries)) return collected;
    await clock.sleep(retryDelayMs(attempt, failure, clock.random()), signal);
    if (signal.aborted) return { kind: 'interrupted' };
  }
}

async function collectOnce(
  request: ModelRequest,
  { streamModel, meter }: SideContext,
  signal: AbortSignal,
): Promise<CollectedAnswer> {
  const blocks: JsonObject[] = [];
  let model = request.model;
  for await (const event of streamModel(request, signal)) {
    if (event.type === 'start') model = event.model;
    if (event.type === 'block') blocks.push(event.block);
    if (event.type === 'failed') return { kind: 'failed', failure: event.failure };
    if (event.type === 'end') {
      meter.addSide(model, event.usage);
      return { kind: 'answered', blocks, stopReason: event.stopReason };
    }
  }
  return { kind: 'interrupted' };
}
