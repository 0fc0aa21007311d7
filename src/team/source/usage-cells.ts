// A question about usage → sums of the cells in the store, as coarse as the report allows: by day from `usage_days`, or for
// everyone `usage_totals`, where the days of the report are those of UTC, otherwise from the cells. The report itself is made by the code for the local index.
//
// Costs are those that the pushing machine has computed: a cell no longer says which of its messages were batches, ran in the US
// only or searched the web, so it cannot be priced again. They are whole numbers, so that sums do not depend on an order.
import type { UsageQuestion } from '../../library/source/index.ts';
import type { UsageCell, UsageFilter, UsageSession } from '../../library/usage/index.ts';
import type { Sql } from '../database/index.ts';
import { areUtcDays, dayBounds, firstQuarterOfDay, quarterMs, quartersPerDay } from './day-bounds.ts';
import type { Scope } from './people.ts';

/** How the cells of a report are added up. */
interface Grouping {
  /** Each session has cells of its own. */
  readonly bySession: boolean;
  /** `last`: the latest quarter of the cells. */
  readonly time: 'day' | 'quarter' | 'last' | 'none';
}

export interface CellSession extends UsageSession {
  readonly title: string | undefined;
}

export type SessionOf = (person: number, sessionId: string) => CellSession | undefined;

export interface CellReader {
  readonly sql: Sql;
  readonly scope: Scope;
  /** Called if the report needs to know the sessions. */
  readonly sessions: () => Promise<SessionOf>;
}

/** Filters of moments count whole quarters of an hour: cells are as coarse as that. */
export async function readCells(reader: CellReader, { kind, filter }: UsageQuestion): Promise<readonly UsageCell[]> {
  const bySession = kind === 'session' || kind === 'project' || filter.isWanted !== undefined;
  const time = kind === 'blocks' ? 'quarter' : kind === 'session' ? 'last' : isByDay[kind] ? 'day' : 'none';
  const range = rangeOf(filter);
  const bounds = dayBounds(filter.calendar, firstQuarter, Math.floor(Date.now() / quarterMs) + 32 * quartersPerDay);
  const isOfMoments = filter.sinceMs !== undefined || filter.untilMs !== undefined;
  if (!bySession && time !== 'quarter' && !isOfMoments && areUtcDays(bounds)) return readDays(reader, time, range);
  return readQuarters(reader, { bySession, time }, range, { bounds, filter });
}

const isByDay: Readonly<Record<UsageQuestion['kind'], boolean>> = {
  daily: true,
  weekly: true,
  monthly: true,
  session: false,
  project: false,
  model: false,
  blocks: false,
};

/** The store has no months before 2020. */
const firstQuarter: number = Date.UTC(2020, 0, 1) / quarterMs;

interface Range {
  /** Quarters; the second one is not included. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

function rangeOf({ since, until, sinceMs, untilMs, calendar }: UsageFilter): Range {
  const from = since === undefined ? undefined : firstQuarterOfDay(calendar, since);
  // No day has a later name.
  const to =
    until === undefined ? undefined : firstQuarterOfDay(calendar, `${until}~`, firstQuarterOfDay(calendar, until));
  return {
    from: sinceMs === undefined ? from : Math.floor(sinceMs / quarterMs),
    to: untilMs === undefined ? to : Math.ceil(untilMs / quarterMs),
  };
}

interface SumRow {
  readonly at: number | null;
  readonly model: string | null;
  readonly is_fast: boolean;
  readonly is_priced: boolean;
  readonly is_lower_bound: boolean;
  readonly messages: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_5m_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly cost: number;
  readonly person?: number;
  readonly session_id?: string;
}

const sums = `sum(messages)::bigint AS messages, sum(input_tokens)::bigint AS input_tokens,
  sum(output_tokens)::bigint AS output_tokens, sum(cache_read_tokens)::bigint AS cache_read_tokens,
  sum(cache_write_5m_tokens)::bigint AS cache_write_5m_tokens,
  sum(cache_write_1h_tokens)::bigint AS cache_write_1h_tokens, coalesce(sum(cost_micro_usd), 0) AS cost`;

async function readDays(
  { sql, scope }: CellReader,
  time: Grouping['time'],
  { from, to }: Range,
): Promise<readonly UsageCell[]> {
  const day = time === 'day' ? "CASE WHEN isfinite(day) THEN (day - '1970-01-01'::date) * 96 END" : 'NULL::integer';
  const inDays = [
    ...(from === undefined ? [] : [`day >= '1970-01-01'::date + ${from / quartersPerDay}`]),
    ...(to === undefined ? [] : [`day < '1970-01-01'::date + ${to / quartersPerDay}`]),
    ...(from === undefined && to === undefined ? [] : ['isfinite(day)']),
  ];
  const rows = await sql.unsafe<SumRow[]>(`SELECT ${day} AS at, nullif(model, '') AS model, is_fast, is_priced,
    sum(lower_bounds) > 0 AS is_lower_bound, ${sums} FROM clew.${scope.isWhole ? 'usage_totals' : 'usage_days'} d
    ${where([...inDays, ofPeople(scope)])} GROUP BY 1, d.model, is_fast, is_priced`);
  const session = { id: 0, sessionId: '', path: '', slug: '', ...onlyPerson(scope) };
  return rows.map((row) => cellOf(row, session));
}

async function readQuarters(
  { sql, scope, sessions }: CellReader,
  { bySession, time }: Grouping,
  { from, to }: Range,
  { bounds, filter }: { readonly bounds: readonly number[]; readonly filter: UsageFilter },
): Promise<readonly UsageCell[]> {
  const [first, last] = [bounds[0], bounds.at(-1)];
  // The quarter at which the day begins; that of the cell itself where the days are not known.
  const days = `'{${bounds.join(',')}}'::integer[]`;
  const dayStart = `CASE WHEN quarter >= ${first} AND quarter < ${last}
    THEN (${days})[width_bucket(quarter, ${days})] ELSE quarter END`;
  const at = { day: dayStart, quarter: 'quarter', last: 'max(quarter)', none: 'NULL::integer' }[time];
  const keys = [
    ...(bySession ? ['person', 'session_id'] : []),
    ...(time === 'day' || time === 'quarter' ? ['1'] : []),
    'model',
    'is_fast',
    'cost_micro_usd IS NOT NULL',
  ];
  const inRange = [
    ...(from === undefined ? [] : [`quarter >= ${from}`]),
    ...(to === undefined ? [] : [`quarter < ${to}`]),
    ...monthsIn({ from, to }, last),
  ];
  const rows = await sql.unsafe<SumRow[]>(
    `SELECT ${at} AS at, ${bySession ? 'person, session_id,' : ''} model, is_fast, cost_micro_usd IS NOT NULL AS is_priced,
      bool_or(is_lower_bound) AS is_lower_bound, ${sums} FROM clew.cells
      ${where([...inRange, ofPeople(scope)])} GROUP BY ${keys.join(', ')}`,
  );
  if (!bySession) {
    const session = { id: 0, sessionId: '', path: '', slug: '', ...onlyPerson(scope) };
    return rows.map((row) => cellOf(row, session));
  }
  const sessionOf = await sessions();
  return rows.flatMap((row) => {
    const session = sessionOf(row.person ?? 0, row.session_id ?? '');
    if (session === undefined || filter.isWanted?.(session) === false) return [];
    return [cellOf(row, session)];
  });
}

/** Which partitions are read. Rows with a time that no partition is for are in that of 1970. */
function monthsIn({ from, to }: Range, last = 0): readonly string[] {
  return [
    ...(from === undefined || from < firstQuarter || from > last
      ? []
      : [`(month >= '${monthStart(from)}' OR month = '1970-01-01')`]),
    ...(to === undefined || to < firstQuarter || to > last ? [] : [`month <= '${monthStart(to)}'`]),
  ];
}

/** `YYYY-MM-01` of a quarter, in UTC. */
function monthStart(quarter: number): string {
  return `${new Date(quarter * quarterMs).toISOString().slice(0, 7)}-01`;
}

/** Numbers only: they are part of the text of a query. */
export function ofPeople({ people }: Scope): string {
  return people === undefined ? 'true' : `person = ANY('{${people.map(Number).join(',')}}'::integer[])`;
}

function where(conditions: readonly string[]): string {
  return `WHERE ${conditions.join(' AND ')}`;
}

function onlyPerson({ people, nameOf, namesPeople }: Scope): { readonly person?: string } {
  const [only, ...others] = people ?? [];
  return namesPeople && only !== undefined && others.length === 0 ? { person: nameOf(only) } : {};
}

function cellOf(row: SumRow, session: UsageSession): UsageCell {
  return {
    session,
    model: row.model ?? undefined,
    isFast: row.is_fast,
    time: row.at === null ? Number.NaN : row.at * quarterMs,
    messages: row.messages,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWrite5mTokens: row.cache_write_5m_tokens,
    cacheWrite1hTokens: row.cache_write_1h_tokens,
    costMicroUsd: row.is_priced ? row.cost : undefined,
    outputIsLowerBound: row.is_lower_bound,
  };
}
