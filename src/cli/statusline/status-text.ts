// The status of a session → the line, and the JSON of `--json`.
import { formatTokens } from '../../base/text/index.ts';
import type { UsageSum } from '../../library/usage/index.ts';
import { guardJson, statusPart } from '../guard/index.ts';
import { costText, usdOf } from '../render/index.ts';
import type { Status } from './status.ts';

export function statusText(status: Status | undefined): string {
  if (status === undefined) return '';
  const { contextTokens, contextSize } = status;
  const share = percentOf(status);
  const context =
    contextTokens === undefined
      ? []
      : [`${formatTokens(contextTokens)} context${contextSize === undefined ? '' : ` (${share} %)`}`];
  const costs = [`${knownCost(status.session)} session`, `${knownCost(status.today)} today`];
  const { guard, limits } = status;
  const guarded = guard === undefined || limits === undefined ? [] : [statusPart(guard, limits, Date.now())];
  return [...costs, ...context, ...guarded, ...(status.isTraceMuted ? ['trace muted'] : [])].join(' · ');
}

function knownCost(sum: UsageSum | undefined): string {
  if (sum === undefined) return '…';
  const isPart = sum.unpricedTokens > 0 && sum.costMicroUsd !== undefined;
  return isPart ? `${costText(sum)} + ${formatTokens(sum.unpricedTokens)} tokens unpriced` : costText(sum);
}

function percentOf({ contextTokens, contextSize }: Pick<Status, 'contextTokens' | 'contextSize'>): number | undefined {
  if (contextTokens === undefined || contextSize === undefined) return undefined;
  return Math.round((contextTokens / contextSize) * 100);
}

export function statusJson(status: Status | undefined): object {
  return {
    sessionCostMicroUsd: status?.session?.costMicroUsd ?? null,
    sessionCostUsd: usdOf(status?.session?.costMicroUsd),
    sessionUnpricedTokens: status?.session?.unpricedTokens ?? null,
    todayCostMicroUsd: status?.today?.costMicroUsd ?? null,
    todayCostUsd: usdOf(status?.today?.costMicroUsd),
    todayUnpricedTokens: status?.today?.unpricedTokens ?? null,
    contextTokens: status?.contextTokens ?? null,
    contextSizeTokens: status?.contextSize ?? null,
    contextPercent: status === undefined ? null : (percentOf(status) ?? null),
    traceMuted: status?.isTraceMuted ?? null,
    guard: status?.limits === undefined ? null : guardJson(status.limits, status.guard),
  };
}
