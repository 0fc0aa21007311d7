// Counted messages → the rows of a report: by day, week, month, session, project, model or 5-hour block, with totals.
import { noUsage } from '../format/usage.ts';
import type { UsageLine } from '../session/usage.ts';
import type { PricedMessage, UsageSession } from './library-usage.ts';
import { type Calendar, monthOf, weekOf } from './local-days.ts';
import { blocksOf } from './usage-blocks.ts';

export const reportKinds = ['daily', 'weekly', 'monthly', 'session', 'project', 'model', 'blocks'] as const;
export type ReportKind = (typeof reportKinds)[number];

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
  readonly outputIsLowerBound: boolean;
}

export interface UsageRow extends UsageSum {
  /** Empty where the messages do not say (no time, no model). */
  readonly key: string;
  readonly messagesOf: readonly PricedMessage[];
  /** Only of blocks. */
  readonly block?: { readonly endsAt: number; readonly isActive: boolean };
}

export interface UsageReport {
  readonly rows: readonly UsageRow[];
  readonly totals: UsageSum;
  /** Names of models without a price, as the transcripts have them. */
  readonly unpricedModels: readonly string[];
}

export interface ReportOptions {
  readonly kind: ReportKind;
  readonly calendar: Calendar;
  readonly nowMs: number;
}

export function makeReport(messages: readonly PricedMessage[], options: ReportOptions): UsageReport {
  return { rows: rowsOf(messages, options), totals: sumUp(messages), unpricedModels: unpriced(messages) };
}

export interface UsageFilter {
  /** First and last day, both included. A message without a time is on no day. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly calendar: Calendar;
  readonly isWanted?: ((session: UsageSession) => boolean) | undefined;
}

/** What was counted elsewhere stays there: messages are filtered when it is known which session had them first. */
export function filterMessages(messages: readonly PricedMessage[], filter: UsageFilter): readonly PricedMessage[] {
  return messages.filter(({ line, session }) => passes(filter, line, session));
}

export function passes(filter: UsageFilter, { time }: UsageLine, session: UsageSession): boolean {
  const { since, until, calendar, isWanted } = filter;
  if (isWanted !== undefined && !isWanted(session)) return false;
  if (since === undefined && until === undefined) return true;
  const day = calendar.dayOf(time);
  return day !== '' && (since === undefined || day >= since) && (until === undefined || day <= until);
}

/** A row per model, largest cost first. */
export function byModel(messages: readonly PricedMessage[]): readonly UsageRow[] {
  return bySize(groupBy(messages, modelOf));
}

function rowsOf(messages: readonly PricedMessage[], { kind, calendar, nowMs }: ReportOptions): readonly UsageRow[] {
  if (kind === 'blocks') {
    return blocksOf(messages, nowMs).map(({ key, messages: own, endsAt, isActive }) => ({
      ...rowOf(key, own),
      block: { endsAt, isActive },
    }));
  }
  const keyOf = rowKey(kind, calendar);
  const rows = groupBy(messages, ({ line, session }) => keyOf(line, session));
  if (kind === 'session') return byAge(rows);
  return kind === 'project' || kind === 'model' ? bySize(rows) : byKey(rows);
}

/** The row that a line belongs to. */
export function rowKey(
  kind: Exclude<ReportKind, 'blocks'>,
  calendar: Calendar,
): (line: UsageLine, session: UsageSession) => string {
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

export function modelOf({ line }: PricedMessage): string {
  return line.model ?? '';
}

function groupBy(messages: readonly PricedMessage[], keyOf: (message: PricedMessage) => string): UsageRow[] {
  const groups = new Map<string, PricedMessage[]>();
  for (const message of messages) {
    const key = keyOf(message);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [message]);
    else group.push(message);
  }
  return [...groups].map(([key, group]) => rowOf(key, group));
}

function rowOf(key: string, messages: readonly PricedMessage[]): UsageRow {
  return { key, ...sumUp(messages), messagesOf: messages };
}

export function sumUp(messages: readonly PricedMessage[]): UsageSum {
  let { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = noUsage;
  let cost = 0;
  let unpricedMessages = 0;
  let outputIsLowerBound = false;
  for (const { usage, costMicroUsd, isLowerBound } of messages) {
    inputTokens += usage.inputTokens;
    outputTokens += usage.outputTokens;
    cacheReadTokens += usage.cacheReadTokens;
    cacheWrite5mTokens += usage.cacheWrite5mTokens;
    cacheWrite1hTokens += usage.cacheWrite1hTokens;
    if (costMicroUsd === undefined) unpricedMessages++;
    else cost += costMicroUsd;
    outputIsLowerBound ||= isLowerBound;
  }
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWrite5mTokens,
    cacheWrite1hTokens,
    costMicroUsd: unpricedMessages > 0 && unpricedMessages === messages.length ? undefined : cost,
    messages: messages.length,
    unpricedMessages,
    outputIsLowerBound,
  };
}

function unpriced(messages: readonly PricedMessage[]): readonly string[] {
  const names = new Set<string>();
  for (const message of messages) {
    if (message.costMicroUsd === undefined) names.add(modelOf(message) + (message.usage.fast ? ' (fast)' : ''));
  }
  return [...names].sort();
}

function byKey(rows: readonly UsageRow[]): readonly UsageRow[] {
  return [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** By the last message, oldest first, as days are: the newest stands above the prompt. */
function byAge(rows: readonly UsageRow[]): readonly UsageRow[] {
  const ends = new Map(rows.map((row) => [row, lastTime(row.messagesOf)]));
  return [...rows].sort((a, b) => (ends.get(a) ?? 0) - (ends.get(b) ?? 0) || (a.key < b.key ? -1 : 1));
}

function bySize(rows: readonly UsageRow[]): readonly UsageRow[] {
  return [...rows].sort(
    (a, b) =>
      (b.costMicroUsd ?? -1) - (a.costMicroUsd ?? -1) || b.outputTokens - a.outputTokens || (a.key < b.key ? -1 : 1),
  );
}

export function lastTime(messages: readonly PricedMessage[]): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { line } of messages) if (line.time > last) last = line.time;
  return last;
}
