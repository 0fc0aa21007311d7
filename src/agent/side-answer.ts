// One request whose answer nobody watches (a summary, a page to read) → its blocks, or what went wrong. It is tried
// again like any other, and its usage counts.

import { isThinkingRefused } from '../api/client/failure.ts';
import type { JsonObject } from '../base/json.ts';
import type { Clock } from './clock.ts';
import type { CostMeter } from './cost-meter.ts';
import type { ModelFailure } from './event.ts';
import { hasThinking, withoutThinking } from './fit-thinking.ts';
import type { ModelRequest, StreamModel } from './parts.ts';
import { retryDelayMs } from './retry.ts';

export interface SideParts {
  readonly streamModel: StreamModel;
  readonly clock: Clock;
  readonly meter: CostMeter;
  readonly maxRetries: number;
}

export type CollectedAnswer =
  | { readonly kind: 'answered'; readonly blocks: readonly JsonObject[]; readonly stopReason: string | null }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'interrupted' };

/** A person waits for the call or the compaction it is part of. */
const mostRetries = 4;

export async function collectAnswer(
  request: ModelRequest,
  parts: SideParts,
  signal: AbortSignal,
): Promise<CollectedAnswer> {
  const { clock } = parts;
  let sent = request;
  for (let attempt = 1; ; attempt++) {
    const collected = await collectOnce(sent, parts, signal);
    if (signal.aborted) return { kind: 'interrupted' };
    if (collected.kind !== 'failed') return collected;
    const { failure } = collected;
    if (isThinkingRefused(failure) && hasThinking(sent)) {
      sent = withoutThinking(sent);
      continue;
    }
    if (!failure.isRetryable || attempt > Math.min(parts.maxRetries, mostRetries)) return collected;
    await clock.sleep(retryDelayMs(attempt, failure, clock.random()), signal);
    if (signal.aborted) return { kind: 'interrupted' };
  }
}

async function collectOnce(
  request: ModelRequest,
  { streamModel, meter }: SideParts,
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
