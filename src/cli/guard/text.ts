// The state of the guard → the sentences of its notices and blocks.
import { counted, oneLine } from '../../base/text/index.ts';
import { amountText, type GuardLimits, type GuardPeriod, type GuardState } from '../../library/guard/index.ts';
import { formatCost, localTime } from '../render/index.ts';

export const periodNames: Readonly<Record<GuardPeriod, string>> = {
  day: 'today',
  session: 'in this session',
  block: 'in this 5-hour block',
};

/** `$4.20 spent today`. */
function spentText(state: GuardState, { per }: GuardLimits): string {
  return `${sumText(state)} spent ${periodNames[per]}`;
}

export function sumText({ spentMicroUsd, isLowerBound }: GuardState): string {
  return `${isLowerBound ? 'at least ' : ''}${formatCost(spentMicroUsd)}`;
}

export function hardText(
  state: GuardState,
  limits: GuardLimits,
  { isInLine, nowMs }: { readonly isInLine: boolean; readonly nowMs: number },
): string {
  const hard = limits.hard ?? 0;
  const raised = Math.ceil((Math.max(state.spentMicroUsd, hard) * 1.5) / 1e6);
  const how = isInLine
    ? 'raise --hard in the hook of settings.json'
    : `run clew guard set --hard ${raised} in a terminal`;
  return `${spentText(state, limits)}, the hard limit is ${amountText(hard)}; ${freesText(state, limits, nowMs)}; to continue now, the user can ${how}`;
}

export function softText(state: GuardState, limits: GuardLimits, nowMs: number): string {
  const hard = limits.hard === undefined ? '' : `, calls are blocked at ${amountText(limits.hard)}`;
  return `${spentText(state, limits)}, the soft limit is ${amountText(limits.soft ?? 0)}${hard}; ${freesText(state, limits, nowMs)}`;
}

function freesText({ endsAt }: GuardState, { per }: GuardLimits, nowMs: number): string {
  if (per === 'session') return 'a new session starts at $0';
  return endsAt === undefined ? 'the count starts again' : `the count starts again at ${momentText(endsAt, nowMs)}`;
}

/** Only the time if it is within a day. */
export function momentText(timeMs: number, nowMs: number): string {
  const text = localTime(timeMs);
  return timeMs - nowMs < 24 * 60 * 60 * 1000 ? text.slice(-5) : text;
}

/** When a limit is reached at the present pace; empty without one. */
export function forecastText({ forecast }: GuardState, limits: GuardLimits, nowMs: number): readonly string[] {
  const { costMicroUsdPerHour: pace, softAt, hardAt, projectedMicroUsd } = forecast;
  if (pace === undefined) return [];
  const reached = [
    ...(softAt === undefined ? [] : [`the soft limit at ${momentText(softAt, nowMs)}`]),
    ...(hardAt === undefined ? [] : [`the hard limit at ${momentText(hardAt, nowMs)}`]),
  ];
  const end =
    projectedMicroUsd === undefined || limits.per === 'session'
      ? []
      : [`${formatCost(projectedMicroUsd)} at the end of the ${limits.per}`];
  const what = reached.length > 0 ? reached : end;
  return what.length === 0 ? [] : [`at ${formatCost(pace)} per hour: ${what.join(', ')}`];
}

export function unpricedText({ unpricedTokens, unpricedModels }: GuardState): string {
  const models = unpricedModels.map((model) => oneLine(model, 60) || '(no model)').join(', ');
  return `${counted(unpricedTokens, 'token')} of ${models} have no price and are not part of the sum; clew prices update FILE adds prices`;
}
