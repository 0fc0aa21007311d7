// Counted messages → what the prompt cache saved: the difference to the cost of the same messages with all their input at
// the price of uncached input. Writes to the cache cost more than input, so that it may be a loss.
import type { Usage } from '../../format/entry/index.ts';
import type { PriceList } from '../../models/index.ts';
import type { PricedMessage } from '../usage/index.ts';

export interface CacheSavings {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Of messages with a price; negative if the cache cost more than it saved. */
  readonly savedMicroUsd: number;
  /** What they would have cost without a cache. */
  readonly uncachedMicroUsd: number;
  readonly unpricedMessages: number;
}

export function cacheSavings(messages: readonly PricedMessage[], prices: PriceList): CacheSavings {
  const sum = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  let saved = 0;
  let uncached = 0;
  let unpricedMessages = 0;
  for (const { line, usage, costMicroUsd } of messages) {
    sum.inputTokens += usage.inputTokens;
    sum.cacheReadTokens += usage.cacheReadTokens;
    sum.cacheWriteTokens += usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
    const without = costMicroUsd === undefined ? undefined : prices.costOf(line.model, withoutCache(usage), line.time);
    if (costMicroUsd === undefined || without === undefined) unpricedMessages++;
    else {
      saved += without - costMicroUsd;
      uncached += without;
    }
  }
  return { ...sum, savedMicroUsd: saved, uncachedMicroUsd: uncached, unpricedMessages };
}

function withoutCache(usage: Usage): Usage {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
  return {
    ...usage,
    inputTokens: inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
  };
}
