// The Parquet tables, read back by another program: nothing is missing, nothing counts twice, nothing hostile breaks them.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { JsonObject } from '../../src/base/json/json.ts';
import { Dataset } from '../../src/export/parquet/dataset.ts';
import { sessionRows } from '../../src/export/parquet/session-rows.ts';
import { type TableName, tableNames, tables } from '../../src/export/parquet/tables.ts';
import { jsonOf, runClew } from '../support/clew.ts';
import { corpusFolder } from '../support/corpus.ts';
import { projectRoot } from '../support/paths.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sourceFrom } from './kit.ts';

type ReadRow = Record<string, unknown>;

test('the tables of the demo hold what clew usage, stats and show count', async (context) => {
  const folder = path.join(temporaryFolder(context), 'tables');
  const written = jsonOf(['export', '--all', '--demo', '--format', 'parquet', '-o', folder, '--json']) as JsonObject;
  assert.deepEqual([written.path, written.sessions], [folder, 5]);
  const { totals } = jsonOf(['usage', '--demo', '--json']) as { readonly totals: JsonObject };
  const { outputIsLowerBound, unpricedTokens, costUsd, totalTokens, ...sums } = totals;
  assert.deepEqual(sumUsage(await readTable(folder, 'usage')), sums);
  const calls = await readTable(folder, 'tool_calls');
  const tools = (jsonOf(['stats', '--demo', '--json']) as { readonly tools: readonly JsonObject[] }).tools;
  for (const { name, calls: count } of tools)
    assert.equal(calls.filter((row) => row.name === name).length, count, String(name));
  for (const session of await readTable(folder, 'sessions')) {
    const shown = jsonOf(['show', '--demo', '--json', String(session.session_id)]) as JsonObject;
    assert.deepEqual([session.title, Number(session.turns)], [shown.title, (shown.turns as readonly unknown[]).length]);
  }
});

test('a fork is in the tables as it is, and its tokens count once', async (context) => {
  const root = temporaryFolder(context);
  const lines = [user('go', { uuid: 'a' }), assistant('done', { uuid: 'b', message: { id: 'msg_1' } })];
  writeTree(root, { 'projects/-w/one.jsonl': sessionText(lines), 'projects/-w/two.jsonl': sessionText(lines) });
  const folder = path.join(root, 'tables');
  jsonOf(['export', '--all', '--root', root, '--format', 'parquet', '-o', folder, '--json']);
  const counts = await Promise.all(tableNames.map(async (name) => [name, (await readTable(folder, name)).length]));
  assert.deepEqual(Object.fromEntries(counts), {
    sessions: 2,
    turns: 2,
    messages: 4,
    tool_calls: 0,
    usage: 1,
    edges: 4,
  });
});

test('rows are in the month of their own time, those without one apart', async (context) => {
  const folder = temporaryFolder(context);
  const dataset = new Dataset(path.join(folder, 't'));
  for (const timestamp of [Date.parse('2026-02-28T23:59:59Z'), Date.parse('2026-03-01T00:00:00Z'), Number.NaN, 1e18])
    dataset.add('edges', { uuid: 'x', timestamp });
  dataset.finish();
  assert.deepEqual(readdirSync(path.join(folder, 't/edges')).sort(), [
    'month=2026-02',
    'month=2026-03',
    'month=unknown',
  ]);
  assert.equal((await readTable(path.join(folder, 't'), 'sessions')).length, 0);
});

test('rows are written as soon as enough of them wait', async (context) => {
  const folder = path.join(temporaryFolder(context), 't');
  const dataset = new Dataset(folder, { rowsPerGroup: 10, waitingChars: 2_000 });
  for (let i = 0; i < 25; i++) dataset.add('edges', { uuid: `u${i}`, timestamp: 0 });
  for (let i = 0; i < 5; i++) dataset.add('messages', { text: 'x'.repeat(1_500), timestamp: 0 });
  dataset.finish();
  assert.deepEqual(await groupsOf(folder, 'edges'), [10, 10, 5]);
  assert.deepEqual(await groupsOf(folder, 'messages'), [2, 2, 1]);
});

test('whatever is in a transcript, the rows are written and read', async (context) => {
  const key = ['sk', 'ant', 'api03', 'q7Zr2Lx9Wb4'.repeat(9).slice(0, 93)].join('-').concat('AA');
  const text = sessionText([
    user(`half \ud83d a pair, ${key}`, { timestamp: 'not a time' as never }),
    assistant([toolUse('t1', 'Bash', { command: 'ls', deep: 'DEEP' })]),
    user([toolResult('t1', '\u0000\u001b[31m')]),
    assistant('x'.repeat(200_000)),
  ]).replace('"DEEP"', `${'['.repeat(5_000)}${']'.repeat(5_000)}`);
  const folder = path.join(temporaryFolder(context), 't');
  const dataset = new Dataset(folder);
  for await (const { table, row } of sessionRows(await sourceFrom(context, text))) dataset.add(table, row);
  dataset.finish();
  const [call] = await readTable(folder, 'tool_calls');
  assert.deepEqual([call?.name, call?.result], ['Bash', '\u0000\u001b[31m']);
  const everything = JSON.stringify(await readTable(folder, 'messages'), (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
  assert.doesNotMatch(everything, new RegExp(key));
  assert.match(everything, /half \ufffd a pair, \[redacted:/);
});

test('a folder with other things is never replaced, one with tables only by force', (context) => {
  const root = temporaryFolder(context);
  const args = ['export', '--all', '--demo', '--format', 'parquet', '-o'];
  const own = path.join(root, 'own');
  mkdirSync(own);
  writeFileSync(path.join(own, 'thesis.txt'), 'mine');
  assert.match(runClew([...args, own, '--force']).stderr, /contains other files; choose a new folder\n$/);
  assert.equal(readFileSync(path.join(own, 'thesis.txt'), 'utf8'), 'mine');
  const tablesFolder = path.join(root, 'tables');
  assert.equal(runClew([...args, tablesFolder]).status, 0);
  assert.match(runClew([...args, tablesFolder]).stderr, /is not empty; choose another folder, or add --force\n$/);
  assert.equal(runClew([...args, tablesFolder, '--force']).status, 0);
  assert.deepEqual(readdirSync(root).sort(), ['own', 'tables']);
  assert.match(runClew(args.slice(0, -1)).stderr, /add --output DIR\n$/);
  assert.match(runClew(['export', '--all', '--demo', '-o', 'x']).stderr, /--all needs --format parquet/);
});

test('the page lists the columns that are written, in their order', () => {
  const page = readFileSync(path.join(projectRoot, 'docs/parquet.md'), 'utf8');
  for (const name of tableNames) {
    const section = page.split(`### \`${name}\`\n`)[1]?.split('\n#')[0] ?? '';
    const listed = [...section.matchAll(/`(\w+)`/g)].map((match) => match[1]);
    assert.deepEqual(
      listed,
      tables[name].map((column) => column.name),
      name,
    );
  }
});

test('the corpora become tables whose tokens are those of clew usage', async (context) => {
  const root = path.join(corpusFolder, 'corpus/real/2.1.325');
  const folder = path.join(temporaryFolder(context), 'tables');
  for (const name of readdirSync(root).slice(0, process.env.CLEW_LONG === '1' ? undefined : 3)) {
    const from = ['--root', path.join(root, name)];
    jsonOf(['export', '--all', ...from, '--format', 'parquet', '-o', folder, '--force', '--json']);
    const { totals } = jsonOf(['usage', ...from, '--json']) as { readonly totals: JsonObject };
    const { outputIsLowerBound, unpricedTokens, costUsd, totalTokens, ...sums } = totals;
    assert.deepEqual({ name, ...sumUsage(await readTable(folder, 'usage')) }, { name, ...sums });
  }
});

async function readTable(folder: string, table: TableName): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  for (const file of filesOf(folder, table)) {
    for (const row of await parquetReadObjects({ file: await asyncBufferFromFile(file) })) rows.push(row as ReadRow);
  }
  return rows;
}

async function groupsOf(folder: string, table: TableName): Promise<number[]> {
  const [file = ''] = filesOf(folder, table);
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(file));
  return row_groups.map((group) => Number(group.num_rows));
}

function filesOf(folder: string, table: TableName): string[] {
  const months = path.join(folder, table);
  assert.ok(existsSync(months), `${table} has no folder`);
  return readdirSync(months).map((month) => path.join(months, month, 'part-0.parquet'));
}

function sumUsage(rows: readonly ReadRow[]): object {
  const sum = (name: string): number => rows.reduce((total, row) => total + Number(row[name] ?? 0), 0);
  return {
    inputTokens: sum('input_tokens'),
    outputTokens: sum('output_tokens'),
    cacheReadTokens: sum('cache_read_tokens'),
    cacheWrite5mTokens: sum('cache_write_5m_tokens'),
    cacheWrite1hTokens: sum('cache_write_1h_tokens'),
    costMicroUsd: sum('cost_micro_usd'),
    messages: rows.length,
    unpricedMessages: rows.filter((row) => row.cost_micro_usd === null).length,
  };
}
