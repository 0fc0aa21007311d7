// A scope and a first day → what each person and group did since then: sessions, prompts, tokens and cost, and when their machines
// last pushed. Numbers only, so that whoever sees the metrics of someone sees them here.
import type { Calendar } from '../../library/usage/index.ts';
import type { Sql } from '../database/index.ts';
import { firstQuarterOfDay, quarterMs, quartersPerDay } from './day-bounds.ts';
import type { Scope } from './people.ts';
import type { StoredSession } from './sessions.ts';
import { ofPeople } from './usage-cells.ts';

export interface PersonSums {
  readonly sessions: number;
  readonly prompts: number;
  /** Of all kinds. */
  readonly tokens: number;
  /** `undefined` if no message has a price. */
  readonly costMicroUsd: number | undefined;
  /** Messages without a price are not in the cost. */
  readonly costIsPart: boolean;
}

export interface PersonReport extends PersonSums {
  readonly name: string;
  readonly groups: readonly string[];
  /** Of all time; the machine that pushed last is first. */
  readonly machines: readonly { readonly name: string; readonly pushedAt: number }[];
}

export interface GroupReport extends PersonSums {
  readonly name: string;
  readonly people: number;
  readonly leads: readonly string[];
}

export interface PeopleReport {
  readonly people: readonly PersonReport[];
  readonly groups: readonly GroupReport[];
}

export interface PeopleQuestion {
  /** The first day, `2026-03-01`; `undefined`: all time. */
  readonly since: string | undefined;
  readonly calendar: Calendar;
}

interface Member {
  readonly group_name: string;
  readonly person: number;
  readonly is_lead: boolean;
}

/** People of whom the role sees nothing are left out: zeros would say that they did nothing. `stored`: the sessions of the scope. */
export async function readPeople(
  sql: Sql,
  scope: Scope,
  stored: readonly StoredSession[],
  { since, calendar }: PeopleQuestion,
): Promise<PeopleReport> {
  const quarter = since === undefined ? undefined : firstQuarterOfDay(calendar, since);
  const [known, members, machines, prompts, usage] = await Promise.all([
    readKnown(sql, scope),
    sql<Member[]>`SELECT group_name, person, is_lead FROM clew.members ORDER BY group_name, person`,
    readMachines(sql, scope),
    readPrompts(sql, scope, quarter),
    readUsage(sql, scope, quarter),
  ]);
  const sessions = countSessions(stored, quarter === undefined ? undefined : quarter * quarterMs);
  const none = { tokens: 0, costMicroUsd: undefined, costIsPart: false };
  const sums = new Map(
    known.map(({ person }) => [
      person,
      { sessions: sessions.get(person) ?? 0, prompts: prompts.get(person) ?? 0, ...(usage.get(person) ?? none) },
    ]),
  );
  const people = known.map(({ person, name }) => ({
    name,
    groups: members.filter((each) => each.person === person).map((each) => each.group_name),
    machines: machines.get(person) ?? [],
    ...(sums.get(person) as PersonSums), // of every known person
  }));
  return { people, groups: groupsOf(members, new Map(known.map(({ person, name }) => [person, name])), sums) };
}

/** Whose metrics the policies of the store show to this role. */
function readKnown(sql: Sql, scope: Scope): Promise<readonly { readonly person: number; readonly name: string }[]> {
  return sql.unsafe(`SELECT person, name FROM clew.people WHERE ${ofPeople(scope)}
    AND (person = (SELECT clew.reader_person()) OR (SELECT clew.sees_others())
      OR person = ANY((SELECT clew.led_people())::integer[]))
    AND name <> 'forgotten ' || person ORDER BY name`);
}

async function readMachines(sql: Sql, scope: Scope): Promise<ReadonlyMap<number, PersonReport['machines']>> {
  const rows = await sql.unsafe<{ person: number; machine: string; pushed_at: Date }[]>(`
    SELECT person, machine, max(pushed_at) AS pushed_at FROM clew.sessions
    WHERE ${ofPeople(scope)} GROUP BY person, machine ORDER BY max(pushed_at) DESC`);
  const machines = new Map<number, PersonReport['machines']>();
  for (const { person, machine: name, pushed_at: at } of rows)
    machines.set(person, [...(machines.get(person) ?? []), { name, pushedAt: at.getTime() }]);
  return machines;
}

/** As in the statistics: copies of a prompt count once, also those that a fork gave another key but left at their time. */
async function readPrompts(sql: Sql, scope: Scope, quarter: number | undefined): Promise<ReadonlyMap<number, number>> {
  const inRange = quarter === undefined ? 'true' : `at >= to_timestamp(${quarter * (quarterMs / 1000)})`;
  const rows = await sql.unsafe<{ person: number; prompts: number }[]>(`
    WITH once AS (
      SELECT DISTINCT ON (person, prompt_key) person, coalesce(typed_at, '-infinity') AS at, is_copy FROM clew.prompts
      WHERE ${ofPeople(scope)} ORDER BY person, prompt_key, is_copy, typed_at NULLS FIRST),
    counted AS (
      SELECT person, at FROM once WHERE NOT is_copy
      UNION ALL
      SELECT DISTINCT person, at FROM once c WHERE is_copy AND NOT EXISTS (
        SELECT FROM once g WHERE NOT g.is_copy AND g.person = c.person AND g.at = c.at))
    SELECT person, count(*) AS prompts FROM counted WHERE ${inRange} GROUP BY person`);
  return new Map(rows.map(({ person, prompts }) => [person, prompts]));
}

interface UsageRow {
  readonly person: number;
  readonly tokens: number;
  readonly cost: number | null;
  readonly is_part: boolean;
}

type Usage = Pick<PersonSums, 'tokens' | 'costMicroUsd' | 'costIsPart'>;

/** The sums of whole days in UTC, and cells only of the hours between the first midnight here and the next one in UTC. */
async function readUsage(sql: Sql, scope: Scope, quarter: number | undefined): Promise<ReadonlyMap<number, Usage>> {
  const day = quarter === undefined ? undefined : Math.ceil(quarter / quartersPerDay);
  const days = `SELECT person, ${tokens}, cost_micro_usd AS cost, is_priced FROM clew.usage_days
    WHERE ${ofPeople(scope)} ${day === undefined ? '' : `AND isfinite(day) AND day >= '1970-01-01'::date + ${day}`}`;
  const rest =
    quarter === undefined || day === undefined || quarter === day * quartersPerDay
      ? ''
      : `UNION ALL SELECT person, ${tokens}, cost_micro_usd, cost_micro_usd IS NOT NULL FROM clew.cells
        WHERE ${ofPeople(scope)} AND quarter >= ${quarter} AND quarter < ${day * quartersPerDay}`;
  const rows = await sql.unsafe<UsageRow[]>(`
    SELECT person, sum(tokens)::bigint AS tokens, sum(cost) FILTER (WHERE is_priced) AS cost,
      bool_or(NOT is_priced) AS is_part
    FROM (${days} ${rest}) AS parts GROUP BY person`);
  return new Map(
    rows.map((row) => [
      row.person,
      { tokens: row.tokens, costMicroUsd: row.cost ?? undefined, costIsPart: row.is_part },
    ]),
  );
}

const tokens = `input_tokens + output_tokens + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens AS tokens`;

/** Those that were used since then. */
function countSessions(stored: readonly StoredSession[], sinceMs: number | undefined): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { person, isListed, session } of stored) {
    const isWanted = isListed && (sinceMs === undefined || session.endedAt >= sinceMs);
    if (isWanted) counts.set(person, (counts.get(person) ?? 0) + 1);
  }
  return counts;
}

/** Of the people who are seen. Someone in two groups counts in both. */
function groupsOf(
  members: readonly Member[],
  names: ReadonlyMap<number, string>,
  sums: ReadonlyMap<number, PersonSums>,
): readonly GroupReport[] {
  const seen = members.filter(({ person }) => names.has(person));
  return [...new Set(seen.map((each) => each.group_name))].map((name) => {
    const within = seen.filter((each) => each.group_name === name);
    const parts = within.flatMap(({ person }) => sums.get(person) ?? []);
    return {
      name,
      people: within.length,
      leads: within.filter((each) => each.is_lead).map(({ person }) => names.get(person) ?? ''),
      ...addUp(parts),
    };
  });
}

function addUp(parts: readonly PersonSums[]): PersonSums {
  const sumOf = (pick: (part: PersonSums) => number): number => parts.reduce((sum, part) => sum + pick(part), 0);
  const priced = parts.filter(({ costMicroUsd }) => costMicroUsd !== undefined);
  return {
    sessions: sumOf((part) => part.sessions),
    prompts: sumOf((part) => part.prompts),
    tokens: sumOf((part) => part.tokens),
    costMicroUsd: priced.length === 0 ? undefined : priced.reduce((sum, part) => sum + (part.costMicroUsd ?? 0), 0),
    costIsPart: parts.some((part) => part.costIsPart),
  };
}
