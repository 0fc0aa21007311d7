// The state of the guard → the lines and the JSON of `clew guard status`, and its part of the status line.
import { isoDate } from '../../base/json/index.ts';
import { amountText, type GuardLimits, type GuardState } from '../../library/guard/index.ts';
import { formatCost, usdOf } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';
import { forecastText, momentText, periodNames, sumText, unpricedText } from './text.ts';

export function stateLines(
  state: GuardState | undefined,
  limits: GuardLimits,
  { nowMs, style }: { readonly nowMs: number; readonly style: Style },
): readonly string[] {
  const { soft, hard, per } = limits;
  if (soft === undefined && hard === undefined)
    return ['no limits; clew guard set --soft 5 --hard 15 --per day sets them'];
  const amounts = [
    ...(soft === undefined ? [] : [`soft ${amountText(soft)}`]),
    ...(hard === undefined ? [] : [`hard ${amountText(hard)}`]),
  ];
  const zone = limits.timeZone === undefined ? '' : ` (${limits.timeZone})`;
  const head = `limits      ${amounts.join(', ')} per ${per === 'block' ? '5-hour block' : per}${zone}`;
  if (state === undefined) return [head, 'spent       known in a session only; name one with --session'];
  const paint = { below: style.green, soft: style.yellow, hard: style.red }[state.level];
  const level = {
    below: 'below the limits',
    soft: 'soft limit reached',
    hard: 'hard limit reached: calls are blocked',
  };
  const ends =
    state.endsAt === undefined ? [] : [`ends        ${momentText(state.endsAt, nowMs)}, then the count starts again`];
  return [
    head,
    `spent       ${sumText(state)} ${periodNames[per]}`,
    `state       ${paint(level[state.level])}`,
    ...ends,
    ...forecastText(state, limits, nowMs).map((text) => `forecast    ${text}`),
    ...(state.unpricedTokens > 0 ? [`not counted ${unpricedText(state)}`] : []),
  ];
}

/** `guard $4.20 of $15/day`, with the state once a limit is reached. */
export function statusPart(state: GuardState, limits: GuardLimits, nowMs: number): string {
  const { level, forecast, endsAt, isLowerBound, unpricedTokens } = state;
  const limit = limits.hard ?? limits.soft ?? 0;
  const atLeast = isLowerBound || unpricedTokens > 0 ? '≥ ' : '';
  const base = `guard ${atLeast}${formatCost(state.spentMicroUsd)} of ${amountText(limit)}/${limits.per}`;
  if (level === 'hard') return `${base}, blocked${endsAt === undefined ? '' : ` until ${momentText(endsAt, nowMs)}`}`;
  const reached = forecast.hardAt ?? forecast.softAt;
  const when =
    reached === undefined
      ? ''
      : `, ${forecast.hardAt === undefined ? 'soft' : 'hard'} at ${momentText(reached, nowMs)}`;
  return `${base}${level === 'soft' ? ', over soft limit' : ''}${when}`;
}

/** Of `clew guard status` and of the status line. */
export function guardJson(limits: GuardLimits, state: GuardState | undefined): object {
  const forecast = state?.forecast;
  return {
    softUsd: usdOf(limits.soft),
    hardUsd: usdOf(limits.hard),
    per: limits.per,
    timezone: limits.timeZone ?? null,
    level: state?.level ?? null,
    spentMicroUsd: state?.spentMicroUsd ?? null,
    spentUsd: usdOf(state?.spentMicroUsd),
    isLowerBound: state?.isLowerBound ?? null,
    unpricedTokens: state?.unpricedTokens ?? null,
    unpricedModels: state?.unpricedModels ?? [],
    period: state === undefined || state.periodKey === '' ? null : state.periodKey,
    endsAt: isoDate(state?.endsAt ?? Number.NaN),
    costUsdPerHour: usdOf(forecast?.costMicroUsdPerHour),
    softAt: isoDate(forecast?.softAt ?? Number.NaN),
    hardAt: isoDate(forecast?.hardAt ?? Number.NaN),
    projectedUsd: usdOf(forecast?.projectedMicroUsd),
  };
}
