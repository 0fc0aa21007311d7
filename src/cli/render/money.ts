// Micro-dollars → text: cents, or more decimals below a cent.

import { counted } from '../../base/text/human.ts';
import type { UsageSum } from '../../library/usage/report.ts';

/** `unpriced`, or the cost, marked if it is a lower bound. */
export function costText(sum: UsageSum): string {
  if (sum.costMicroUsd === undefined) return 'unpriced';
  return `${sum.outputIsLowerBound || sum.unpricedMessages > 0 ? '≥ ' : ''}${formatCost(sum.costMicroUsd)}`;
}

/** `+ 1,234 tokens without a price`; empty if every token has one. */
export function unpricedText({ unpricedTokens, costMicroUsd }: UsageSum): string {
  if (unpricedTokens === 0 || costMicroUsd === undefined) return '';
  return `+ ${counted(unpricedTokens, 'token')} without a price`;
}

export function formatCost(microUsd: number): string {
  const isTiny = microUsd > 0 && microUsd < 10_000;
  const text = (microUsd / 1_000_000).toFixed(isTiny ? (microUsd < 100 ? 6 : 4) : 2);
  return `$${text.replace(/\B(?=(?:\d{3})+\.)/g, ',')}`;
}
