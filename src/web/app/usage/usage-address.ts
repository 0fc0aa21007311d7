// The usage page's address → days, project and measure.

import { formatTokens } from '../../../base/text/index.ts';
import type { UsageQuery, UsageSumView } from '../../wire/index.ts';
import { formatKnownMoney } from '../session/format/index.ts';

export const measures = ['cost', 'tokens'] as const;
export type Measure = (typeof measures)[number];
export const periods = ['daily', 'weekly', 'monthly'] as const;
export type Period = (typeof periods)[number];

export interface UsageAddress {
  /** `2026-02-28`, inclusive; `null`: no limit. */
  readonly since: string | null;
  readonly until: string | null;
  readonly project: string | null;
  readonly measure: Measure;
  /** `null`: chosen by the length of the range. */
  readonly period: Period | null;
}

export function readUsageAddress(search: string): UsageAddress {
  const query = new URLSearchParams(search);
  return {
    since: validDay(query.get('since')),
    until: validDay(query.get('until')),
    project: query.get('project'),
    measure: measures.find((each) => each === query.get('show')) ?? 'cost',
    period: periods.find((each) => each === query.get('by')) ?? null,
  };
}

/** Without the range: now is not in every range. */
export function projectQuery({ project }: UsageAddress): UsageQuery {
  return project === null ? {} : { project };
}

export function rangeQuery({ since, until, project }: UsageAddress): UsageQuery {
  return {
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
    ...(project === null ? {} : { project }),
  };
}

function validDay(text: string | null): string | null {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}

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
