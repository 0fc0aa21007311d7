// Token counts → the few words that reports and exports print for them.
import { formatTokens } from '../../base/text/human.ts';
import type { UsageTotals } from '../usage/usage.ts';

/** `43.5k in, 574 out`; cached input counts as input, and a lower bound is marked. */
export function usageText(usage: UsageTotals): string {
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return `${formatTokens(read)} in, ${outputText(usage)}`;
}

export function outputText(usage: UsageTotals): string {
  return `${usage.outputIsLowerBound ? '≥ ' : ''}${formatTokens(usage.outputTokens)} out`;
}
