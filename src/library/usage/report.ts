// Cells of usage → the rows of a report: by day, week, month, session, project, model or 5-hour block, with totals.
import { billedTokens, sumOfTokens } from '../../format/entry/index.ts';
import { type Calendar, monthOf, weekOf } from './calendar.ts';
import type { PricedMessage, UsageCell, UsageSession } from './cells.ts';

/** The ways in which a usage report can be grouped. */
export const reportKinds = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks'] as const;
/** How a usage report is grouped. */
export type ReportKind = (typeof reportKinds)[number];

/** Tokens and cost, summed up. */
export interface UsageSum {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  /** Of what has a price; `undefined` where nothing has. */
  readonly costMicroUsd: number | undefined;
  readonly messages: number;
  readonly unpricedMessages: number;
  /** Of all kinds, in no cost. */
  readonly unpricedTokens: number;
  readonly outputIsLowerBound: boolean;
}

/** One row of a usage report. */
export interface UsageRow extends UsageSum {
  /** Empty where the messages do not say (no time, no model). */
  readonly key: string;
  /** @internal */
  readonly cells: readonly UsageCell[];
  /** Only of blocks. */
  readonly block?: { readonly endsAt: number; readonly isActive: boolean; readonly pace?: BlockPace };
}

/** How fast the active block is used, and what it comes to at its end at the same pace. */
export interface BlockPace {
  /** Of what has a price; `undefined` where nothing has. */
  readonly costMicroUsdPerHour: number | undefined;
  /** Of all kinds. */
  readonly tokensPerHour: number;
  readonly projectedCostMicroUsd: number | undefined;
  readonly projectedTokens: number;
  readonly remainingMs: number;
}

export interface UsageReport {
  readonly rows: readonly UsageRow[];
  readonly totals: UsageSum;
  /** Names of models without a price, as the transcripts have them. */
  readonly unpricedModels: readonly string[];
  /** How much of each of them is in no cost. */
  readonly unpriced: readonly UnpricedModel[];
}

/** Messages of a model that are in no cost. */
export interface UnpricedModel {
  /** As the transcripts have it, with ` (fast)` after it for fast mode; empty where they name none. */
  readonly model: string;
  readonly messages: number;
  readonly tokens: number;
}

export interface ReportOptions {
  readonly kind: ReportKind;
  readonly calendar: Calendar;
  readonly nowMs: number;
  /** By default days, blocks and sessions ascend in time, projects and models descend in cost. */
  readonly order?: RowOrder | undefined;
}

/** The orders of the rows: of time, or of cost for projects and models. */
export const rowOrders = ['asc', 'desc'] as const;
export type RowOrder = (typeof rowOrders)[number];

export function makeReport(cells: readonly UsageCell[], options: ReportOptions): UsageReport {
  const unpriced = unpricedOf(cells);
  const unpricedModels = unpriced.map(({ model }) => model);
  const rows = rowsOf(cells, options);
  const usual = options.kind === 'project' || options.kind === 'model' ? 'desc' : 'asc';
  const ordered = (options.order ?? usual) === usual ? rows : rows.toReversed();
  return { rows: ordered, totals: sumUp(cells), unpricedModels, unpriced };
}

export interface UsageFilter {
  /** First and last day, both included. A message without a time is on no day. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Moments instead of days; cells are too coarse for them. The end is not included. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly calendar: Calendar;
  readonly isWanted?: ((session: UsageSession) => boolean) | undefined;
}

/** A message or a cell of messages, as far as filters and rows look at it. */
export interface Placed {
  readonly time: number;
  readonly model: string | undefined;
}

/** Messages are filtered after it is known which session had them first, so that copies never count. */
export function passes(filter: UsageFilter, { time }: Placed, session: UsageSession): boolean {
  const { since, until, sinceMs, untilMs, calendar, isWanted } = filter;
  if (isWanted !== undefined && !isWanted(session)) return false;
  if (sinceMs !== undefined && !(time >= sinceMs)) return false;
  if (untilMs !== undefined && !(time < untilMs)) return false;
  if (since === undefined && until === undefined) return true;
  const day = calendar.dayOf(time);
  return day !== '' && (since === undefined || day >= since) && (until === undefined || day <= until);
}

/** A row per model, largest cost first. */
export function byModel(cells: readonly UsageCell[]): readonly UsageRow[] {
  return bySize(groupBy(cells, modelOf));
}

function rowsOf(cells: readonly UsageCell[], { kind, calendar, nowMs }: ReportOptions): readonly UsageRow[] {
  if (kind === 'blocks') {
    return blocksOf(cells, nowMs).map(({ key, cells: own, endsAt, isActive }) => ({
      ...rowOf(key, own),
      block: { endsAt, isActive, ...(isActive ? { pace: paceOf(own, endsAt, nowMs) } : {}) },
    }));
  }
  const keyOf = rowKey(kind, calendar);
  const rows = groupBy(cells, (cell) => keyOf(cell, cell.session));
  if (kind === 'session') return byAge(rows);
  return kind === 'project' || kind === 'model' ? bySize(rows) : byKey(rows);
}

/** The row that a message or a cell belongs to. */
export function rowKey(
  kind: Exclude<ReportKind, 'blocks'>,
  calendar: Calendar,
): (placed: Placed, session: UsageSession) => string {
  switch (kind) {
    case 'daily':
      return ({ time }) => calendar.dayOf(time);
    case 'weekly':
      return ({ time }) => weekOf(calendar.dayOf(time));
    case 'monthly':
      return ({ time }) => monthOf(calendar.dayOf(time));
    case 'session':
      return (_, { sessionId }) => sessionId;
    case 'project':
      return (_, { cwd, slug }) => cwd ?? slug;
    case 'model':
      return ({ model }) => model ?? '';
    default:
      kind satisfies never;
      return () => '';
  }
}

function modelOf({ model }: UsageCell): string {
  return model ?? '';
}

function groupBy(cells: readonly UsageCell[], keyOf: (cell: UsageCell) => string): UsageRow[] {
  const groups = new Map<string, UsageCell[]>();
  for (const cell of cells) {
    const key = keyOf(cell);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [cell]);
    else group.push(cell);
  }
  return [...groups].map(([key, group]) => rowOf(key, group));
}

function rowOf(key: string, cells: readonly UsageCell[]): UsageRow {
  return { key, ...sumUp(cells), cells };
}

type Summand = Omit<UsageCell, 'session' | 'model' | 'isFast' | 'time'>;

export function sumUp(cells: readonly Summand[]): UsageSum {
  const sum = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };
  let cost = 0;
  let messages = 0;
  let unpricedMessages = 0;
  let unpricedTokens = 0;
  let outputIsLowerBound = false;
  for (const cell of cells) {
    sum.inputTokens += cell.inputTokens;
    sum.outputTokens += cell.outputTokens;
    sum.cacheReadTokens += cell.cacheReadTokens;
    sum.cacheWrite5mTokens += cell.cacheWrite5mTokens;
    sum.cacheWrite1hTokens += cell.cacheWrite1hTokens;
    messages += cell.messages;
    if (cell.costMicroUsd !== undefined) cost += cell.costMicroUsd;
    else {
      unpricedMessages += cell.messages;
      unpricedTokens += sumOfTokens(cell);
    }
    outputIsLowerBound ||= cell.outputIsLowerBound;
  }
  const costMicroUsd = unpricedMessages > 0 && unpricedMessages === messages ? undefined : cost;
  return { ...sum, costMicroUsd, messages, unpricedMessages, unpricedTokens, outputIsLowerBound };
}

export function sumMessages(messages: readonly PricedMessage[]): UsageSum {
  return sumUp(
    messages.map(({ usage, costMicroUsd, isLowerBound }) => ({
      ...billedTokens(usage),
      messages: 1,
      costMicroUsd,
      outputIsLowerBound: isLowerBound,
    })),
  );
}

/** By name. */
function unpricedOf(cells: readonly UsageCell[]): readonly UnpricedModel[] {
  const models = new Map<string, UnpricedModel>();
  for (const cell of cells) {
    if (cell.costMicroUsd !== undefined) continue;
    const model = modelOf(cell) + (cell.isFast ? ' (fast)' : '');
    const { messages = 0, tokens = 0 } = models.get(model) ?? {};
    models.set(model, { model, messages: messages + cell.messages, tokens: tokens + sumOfTokens(cell) });
  }
  return [...models.values()].sort((x, y) => (x.model < y.model ? -1 : 1));
}

function byKey(rows: readonly UsageRow[]): readonly UsageRow[] {
  return [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** By the last message, oldest first, like days: the newest is right above the shell prompt. */
function byAge(rows: readonly UsageRow[]): readonly UsageRow[] {
  const ends = new Map(rows.map((row) => [row, lastTime(row.cells)]));
  return [...rows].sort((a, b) => (ends.get(a) ?? 0) - (ends.get(b) ?? 0) || (a.key < b.key ? -1 : 1));
}

function bySize(rows: readonly UsageRow[]): readonly UsageRow[] {
  return [...rows].sort(
    (a, b) =>
      (b.costMicroUsd ?? -1) - (a.costMicroUsd ?? -1) || b.outputTokens - a.outputTokens || (a.key < b.key ? -1 : 1),
  );
}

function lastTime(cells: readonly UsageCell[]): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { time } of cells) if (time > last) last = time;
  return last;
}

export interface UsageBlock {
  /** When it begins, as ISO 8601; empty for the messages without a time. */
  readonly key: string;
  readonly endsAt: number;
  /** Messages of now still go into it. */
  readonly isActive: boolean;
  readonly cells: readonly UsageCell[];
}

/** The time since the quarter of an hour of its first message counts, at least a quarter. */
function paceOf(cells: readonly UsageCell[], endsAt: number, nowMs: number): BlockPace {
  const first = cells.reduce((earliest, { time }) => Math.min(earliest, time), Number.POSITIVE_INFINITY);
  const hours = Math.max(0.25, (nowMs - first) / hourMs);
  const remainingMs = Math.max(0, endsAt - nowMs);
  const { costMicroUsd: cost, ...sum } = sumUp(cells);
  const tokens = sumOfTokens(sum);
  const atEnd = (used: number): number => Math.round(used + (used / hours) * (remainingMs / hourMs));
  return {
    costMicroUsdPerHour: cost === undefined ? undefined : Math.round(cost / hours),
    tokensPerHour: Math.round(tokens / hours),
    projectedCostMicroUsd: cost === undefined ? undefined : atEnd(cost),
    projectedTokens: atEnd(tokens),
    remainingMs,
  };
}

const hourMs = 60 * 60 * 1000;
const blockMs = 5 * hourMs;

/** Cells are quarters of an hour and blocks begin at full hours, so that no cell is in two. */
export function blocksOf(cells: readonly UsageCell[], nowMs: number): readonly UsageBlock[] {
  const timed = cells.filter(({ time }) => !Number.isNaN(time)).sort((a, b) => a.time - b.time);
  const groups: { start: number; cells: UsageCell[] }[] = [];
  for (const cell of timed) {
    const current = groups.at(-1);
    // A pause of five hours always ends a block: a block is no longer than that itself.
    if (current !== undefined && cell.time < current.start + blockMs) current.cells.push(cell);
    else groups.push({ start: Math.floor(cell.time / hourMs) * hourMs, cells: [cell] });
  }
  const blocks = groups.map(({ start, cells: own }) => ({
    key: new Date(start).toISOString(),
    endsAt: start + blockMs,
    isActive: start <= nowMs && nowMs < start + blockMs,
    cells: own,
  }));
  const untimed = cells.filter(({ time }) => Number.isNaN(time));
  return untimed.length === 0 ? blocks : [{ key: '', endsAt: Number.NaN, isActive: false, cells: untimed }, ...blocks];
}
