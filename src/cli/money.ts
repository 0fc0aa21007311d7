// Whole micro-dollars → what a person reads: cents, and below a cent as many places as it takes.
import type { UsageSum } from '../library/usage-report.ts';

/** `unpriced`, or the money, marked where it is at least that much. */
export function costText(sum: UsageSum): string {
  if (sum.costMicroUsd === undefined) return 'unpriced';
  return `${sum.outputIsLowerBound || sum.unpricedMessages > 0 ? '≥ ' : ''}${formatCost(sum.costMicroUsd)}`;
}

export function formatCost(microUsd: number): string {
  const isTiny = microUsd > 0 && microUsd < 10_000;
  const text = (microUsd / 1_000_000).toFixed(isTiny ? (microUsd < 100 ? 6 : 4) : 2);
  return `$${text.replace(/\B(?=(?:\d{3})+\.)/g, ',')}`;
}
