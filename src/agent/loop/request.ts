// The conversation as it is now → the next request, without the thinking that the API would refuse.
import { isThinkingRefused, type ModelFailure, type ModelRequest } from '../../api/client/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { fitThinking, hasThinking, withEffortHistory, withoutThinking } from '../session/index.ts';
import type { AgentContext } from './context.ts';
import { wishedFields } from './request-wish.ts';
import { retryDelayMs } from './retry.ts';

type RequestContext = Pick<
  AgentContext,
  'prompt' | 'model' | 'messages' | 'marks' | 'wish' | 'thinkingNotices' | 'emit'
>;

/** Emits a notice if the request leaves out more thinking than the last one. */
export async function makeRequest(context: RequestContext, model: string = context.model()): Promise<ModelRequest> {
  const { thinkingNotices } = context;
  const marks = context.marks();
  const { system, tools } = await context.prompt().current();
  const request: ModelRequest = {
    model,
    system,
    messages: context.messages(model),
    tools,
    ...wishedFields(model, context.wish()),
  };
  const { messages, leftOut } = fitThinking(request, marks);
  const answers = leftOut?.answers ?? 0;
  if (answers > thinkingNotices.leftOut) {
    const which = answers === 1 ? '1 answer' : `${answers} answers`;
    const text = `the reasoning of ${which} is no longer sent: ${leftOut?.why ?? ''}`;
    await context.emit({ type: 'notice', level: 'warn', text });
  }
  thinkingNotices.leftOut = answers;
  return withEffortHistory({ ...request, messages }, marks);
}

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
