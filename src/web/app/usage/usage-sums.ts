// The measured number of a sum of usage, and its text.
import { formatTokens } from '../../../base/text/human.ts';
import type { UsageSumView } from '../../wire/usage.ts';
import { formatKnownMoney } from '../session/format/format.ts';
import type { Measure } from './usage-address.ts';

export function costText({ costMicroUsd, unpricedMessages }: UsageSumView): string {
  return costMicroUsd === null ? 'unknown' : formatKnownMoney(costMicroUsd, unpricedMessages > 0);
}

export function inputOf(sum: UsageSumView): number {
  return sum.inputTokens + sum.cacheReadTokens + sum.cacheWrite5mTokens + sum.cacheWrite1hTokens;
}

export function amountOf(sum: UsageSumView, measure: Measure): number {
  return measure === 'cost' ? (sum.costMicroUsd ?? 0) : inputOf(sum) + sum.outputTokens;
}

export function amountText(sum: UsageSumView, measure: Measure): string {
  return measure === 'cost' ? costText(sum) : formatTokens(amountOf(sum, 'tokens'));
}
