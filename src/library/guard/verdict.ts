// Cells of usage and limits → what was spent in the period, whether a limit is reached, and when it will be at the present
// pace. The sums are those of `clew usage`: the day of `usage daily`, the active block of `usage blocks`, or the session with
// its sub-agents of `usage session`.
import { blocksOf, type Calendar, sumUp, type UsageBlock, type UsageCell, type UsageSum } from '../usage/index.ts';
import type { GuardLimits } from './limits.ts';

export interface GuardState {
  /** Reaching a limit exactly counts. */
  readonly level: 'below' | 'soft' | 'hard';
  /** Of what has a price; at least that much if `isLowerBound`. */
  readonly spentMicroUsd: number;
  readonly isLowerBound: boolean;
  /** In no cost. */
  readonly unpricedTokens: number;
  /** Names of their models, as the transcripts have them. */
  readonly unpricedModels: readonly string[];
  /** The day, the start of the block, or the session; empty for a block that has not begun. */
  readonly periodKey: string;
  /** When the period ends, and its sum with it; `undefined` for a session or a block that has not begun. */
  readonly endsAt: number | undefined;
  /** How many notices this much is worth: 0 below the soft limit, then one more at each quarter of the way to the hard one. */
  readonly step: number;
  readonly forecast: GuardForecast;
}

export interface GuardForecast {
  /** Of the period in the active block, as in `clew usage blocks`; `undefined` if nothing is being spent. */
  readonly costMicroUsdPerHour: number | undefined;
  /** When a limit is reached at this pace; `undefined` if it is already, or not before the period ends. */
  readonly softAt: number | undefined;
  readonly hardAt: number | undefined;
  /** What the period comes to at its end. */
  readonly projectedMicroUsd: number | undefined;
}

export interface JudgeOptions {
  readonly limits: GuardLimits;
  /** `undefined` if no session is asked about. */
  readonly sessionId: string | undefined;
  readonly calendar: Calendar;
  readonly nowMs: number;
}

const hourMs = 60 * 60 * 1000;
const quarterMs = hourMs / 4;

export function judge(cells: readonly UsageCell[], options: JudgeOptions): GuardState {
  const { limits, nowMs } = options;
  const active = blocksOf(cells, nowMs).find(({ isActive }) => isActive);
  const { own, periodKey, endsAt } = periodOf(cells, active, options);
  const sum = sumUp(own);
  const spent = sum.costMicroUsd ?? 0;
  const isReached = (limit: number | undefined): boolean => limit !== undefined && spent >= limit;
  return {
    level: isReached(limits.hard) ? 'hard' : isReached(limits.soft) ? 'soft' : 'below',
    spentMicroUsd: spent,
    isLowerBound: sum.outputIsLowerBound,
    unpricedTokens: sum.unpricedTokens,
    unpricedModels: unpricedModels(own, sum),
    periodKey,
    endsAt,
    step: stepOf(spent, limits),
    forecast: forecastOf(own, active, spent, endsAt, options),
  };
}

interface Period {
  readonly own: readonly UsageCell[];
  readonly periodKey: string;
  readonly endsAt: number | undefined;
}

function periodOf(
  cells: readonly UsageCell[],
  active: UsageBlock | undefined,
  { limits, sessionId, calendar, nowMs }: JudgeOptions,
): Period {
  if (limits.per === 'block') return { own: active?.cells ?? [], periodKey: active?.key ?? '', endsAt: active?.endsAt };
  if (limits.per === 'session')
    return {
      own: cells.filter(({ session }) => session.sessionId === sessionId),
      periodKey: sessionId ?? '',
      endsAt: undefined,
    };
  const today = calendar.dayOf(nowMs);
  // Asking the zone for every cell of a year takes longer than everything else.
  const isNear = ({ time }: UsageCell): boolean => Math.abs(time - nowMs) < 2 * 24 * hourMs;
  const own = cells.filter((cell) => isNear(cell) && calendar.dayOf(cell.time) === today);
  return { own, periodKey: today, endsAt: endOfDay(calendar, today, nowMs) };
}

/** Days begin at a quarter of an hour in every zone. */
function endOfDay(calendar: Calendar, today: string, nowMs: number): number {
  let end = (Math.floor(nowMs / quarterMs) + 1) * quarterMs;
  while (calendar.dayOf(end) === today) end += quarterMs;
  return end;
}

function unpricedModels(cells: readonly UsageCell[], sum: UsageSum): readonly string[] {
  if (sum.unpricedTokens === 0) return [];
  const unpriced = cells.filter(({ costMicroUsd }) => costMicroUsd === undefined);
  return [...new Set(unpriced.map(({ model }) => model ?? ''))].sort();
}

function stepOf(spent: number, { soft, hard }: GuardLimits): number {
  if (soft === undefined || spent < soft) return 0;
  // Without a hard limit: at each multiple of the soft one.
  const width = hard === undefined ? soft : (hard - soft) / 4;
  return 1 + (width > 0 ? Math.floor((spent - soft) / width) : 0);
}

function forecastOf(
  own: readonly UsageCell[],
  active: UsageBlock | undefined,
  spent: number,
  endsAt: number | undefined,
  { limits, nowMs }: JudgeOptions,
): GuardForecast {
  const inBlock = new Set(active?.cells);
  const recent = own.filter((cell) => inBlock.has(cell));
  const used = sumUp(recent).costMicroUsd ?? 0;
  if (used === 0)
    return { costMicroUsdPerHour: undefined, softAt: undefined, hardAt: undefined, projectedMicroUsd: undefined };
  const first = recent.reduce((earliest, { time }) => Math.min(earliest, time), Number.POSITIVE_INFINITY);
  const perHour = used / Math.max(0.25, (nowMs - first) / hourMs);
  const reachedAt = (limit: number | undefined): number | undefined => {
    if (limit === undefined || spent >= limit) return undefined;
    const time = nowMs + Math.ceil(((limit - spent) / perHour) * hourMs);
    return endsAt === undefined || time < endsAt ? time : undefined;
  };
  return {
    costMicroUsdPerHour: Math.round(perHour),
    softAt: reachedAt(limits.soft),
    hardAt: reachedAt(limits.hard),
    projectedMicroUsd:
      endsAt === undefined ? undefined : Math.round(spent + perHour * (Math.max(0, endsAt - nowMs) / hourMs)),
  };
}
