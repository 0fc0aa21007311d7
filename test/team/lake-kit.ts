// Sessions for a store, as their people push them, and a lake as its readers see it: the rows of the version that
// `versions/` names last for each session. This is the rule of docs/team.md, written apart from the code that exports.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import type { LevelNumber, SessionRows } from '../../src/team/contract/index.ts';
import type { Endable } from '../support/after-test.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

export interface SessionPlan {
  readonly id: string;
  readonly level: LevelNumber;
  /** Changes the content. */
  readonly revision?: number;
  /** Times of its rows, ISO; the first one is the start. */
  readonly times?: readonly string[];
  /** How many cells, calls and documents there are for each time. */
  readonly rows?: number;
}

/** Text that must not stay anywhere once its person takes it back. */
export function canary(person: string, id: string): string {
  return `canary ${person} ${id}`;
}

export function planned(
  person: string,
  { id, level, revision = 1, times = ['2026-03-04T05:06:07Z'], rows = 1 }: SessionPlan,
): SessionRows {
  const at = times.flatMap((time) => Array.from({ length: rows }, (_, i) => Date.parse(time) + i * 60_000));
  const months = [...new Set(at.map((time) => `${new Date(time).toISOString().slice(0, 7)}-01`))];
  return {
    head: {
      sessionId: id,
      baseId: id,
      machine: 'laptop',
      level,
      contentKey: `${id} ${revision} ${level} ${times.join()} ${rows}`,
      month: months[0] ?? '1970-01-01',
      months,
      mainBytes: 100,
      mainSha256: 'abc',
      rules: level >= 3 ? 'rules 1' : null,
      startedAt: new Date(at[0] ?? 0).toISOString(),
      endedAt: new Date(at.at(-1) ?? 0).toISOString(),
      projectHash: 'p',
      facts: { turns: revision },
    },
    cells: at.map((time, i) => ({
      quarter: Math.floor(time / 900_000),
      model: i % 2 === 0 ? 'claude-a' : null,
      isFast: false,
      isLowerBound: i % 3 === 0,
      messages: 1 + i,
      inputTokens: 10 * revision + i,
      outputTokens: 3_000_000_000 + i,
      cacheReadTokens: i,
      cacheWrite5mTokens: 5,
      cacheWrite1hTokens: 6,
      costMicroUsd: i % 2 === 0 ? 0.125 * (i + 1) : null,
    })),
    calls: at.map((time, i) => ({ callKey: `${id} ${i}`, name: 'Read', calledAt: time, isError: i % 2 === 0 })),
    prompts: at.map((time, i) => ({ promptKey: `${id} ${i}`, typedAt: time, isCopy: false })),
    titles: level >= 2 ? [{ title: canary(person, id), cwd: '/x', path: '/x/y', facts: { tag: 'a' } }] : [],
    callPaths:
      level >= 2 ? at.map((time, i) => ({ nth: i, calledAt: time, touched: `src/${canary(person, id)}.ts` })) : [],
    documents:
      level >= 3
        ? at.map((time, i) => ({
            agent: i % 2 === 0 ? '' : 'agent-1',
            line: i + 1,
            kind: 'prompt',
            part: 0,
            saidAt: time,
            tool: null,
            uuid: null,
            text: `${canary(person, id)}: ünïcödé 猫 ${i}`,
            words: `'canary':1`,
            tokens: 1,
            facts: null,
          }))
        : [],
    exchanges: [],
    packs: [],
  };
}

export type LakeRow = Readonly<Record<string, unknown>>;

/** A folder that a lake is written to. */
export function lakeFolder(context: Endable): string {
  return path.join(temporaryFolder(context), 'lake');
}

export function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

export async function readLake(folder: string): Promise<ReadonlyMap<string, readonly LakeRow[]>> {
  const files = filesOf(folder).filter((name) => /\/month=[^/]*\/[^./][^/]*\.parquet$/.test(name));
  const rows = new Map<string, LakeRow[]>();
  for (const name of files) {
    const [table = '', month = ''] = name.split('/');
    const own = rows.get(table) ?? [];
    rows.set(table, own);
    const read = await parquetReadObjects({ file: await asyncBufferFromFile(path.join(folder, name)) });
    for (const row of read) own.push({ ...row, month: month.replace('month=', '') });
  }
  const latest = new Map<string, LakeRow>();
  for (const row of rows.get('versions') ?? []) {
    const key = `${row.person_id} ${row.session_id} ${row.month}`;
    if (Number(row.export) > Number(latest.get(key)?.export ?? -1)) latest.set(key, row);
  }
  const current = new Set([...latest.values()].filter((row) => row.is_removed !== true).map(versionKey));
  return new Map(
    [...rows].map(([table, own]) => [
      table,
      table === 'versions' ? own : own.filter((row) => current.has(versionKey(row))),
    ]),
  );
}

function versionKey(row: LakeRow): string {
  return `${row.person_id} ${row.session_id} ${row.version}`;
}

/** As psql prints it: the sums that must agree with those of the store. */
export function sumsOf(lake: ReadonlyMap<string, readonly LakeRow[]>): string {
  const usage = lake.get('usage') ?? [];
  const sum = (name: string): number => usage.reduce((total, row) => total + Number(row[name] ?? 0), 0);
  return [
    ...['sessions', 'usage', 'calls', 'prompts', 'titles', 'call_paths', 'documents'].map(
      (table) => (lake.get(table) ?? []).length,
    ),
    ...['messages', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_5m_tokens'].map(sum),
    ...['cache_write_1h_tokens', 'cost_micro_usd'].map(sum),
  ].join('|');
}

/** For the store; `level` is that of the lake. */
export function sumsSql(level: number): string {
  const count = (table: string, of: number): string => (level >= of ? `(SELECT count(*) FROM clew.${table})` : '0');
  return `SELECT ${count('sessions', 1)}, ${count('cells', 1)}, ${count('calls', 1)}, ${count('prompts', 1)},
    ${count('titles', 2)}, ${count('call_paths', 2)}, ${count('documents', 3)}, coalesce(sum(messages), 0), coalesce(sum(input_tokens), 0),
    coalesce(sum(output_tokens), 0), coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_write_5m_tokens), 0),
    coalesce(sum(cache_write_1h_tokens), 0), coalesce(sum(cost_micro_usd), 0) FROM clew.cells`;
}
