// The lake of a store, read by the real DuckDB through the views of docs/team.md: its totals are those of the store and of
// `clew usage` on the machines that pushed, after edits, removals, lowered levels and a purge, in a folder and in S3.
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/base/json/json.ts';
import { S3Storage } from '../../src/team/lake/storage/s3-storage.ts';
import { jsonOf } from '../support/clew.ts';
import { corpusFolder } from '../support/corpus.ts';
import { projectRoot } from '../support/paths.ts';
import { noPostgres } from '../support/postgres.ts';
import { noS3Server, startS3 } from '../support/s3-server.ts';
import { startTeamStore, type TeamStore } from '../support/team-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { type Machine, machineOf } from '../team/push-kit.ts';
import { importPackage } from './client.ts';

/** What is used of `@duckdb/node-api`. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(): Promise<{
      connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): JsonObject[] }> }>;
    }>;
  };
}

const tables = ['sessions', 'usage', 'calls', 'prompts', 'titles', 'call_paths', 'documents'] as const;
const sums = [
  'sum(messages)',
  'sum(input_tokens)',
  'sum(output_tokens)',
  'sum(cache_read_tokens)',
  'sum(cache_write_5m_tokens)',
  'sum(cache_write_1h_tokens)',
];

test(
  'DuckDB sees in the lake what the store has and what the machines count',
  { skip: noPostgres || noS3Server },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer', bob: 'developer', carol: 'auditor' });
    const machines = [
      machineWith(context, store, 'ada', path.join(corpusFolder, 'corpus/real')),
      machineWith(context, store, 'bob', path.join(corpusFolder, 'corpus/public')),
    ];
    const lake = path.join(temporaryFolder(context), 'lake');
    const server = await startS3(context);
    const exportTo = (place: string, ...flags: readonly string[]): JsonObject =>
      jsonOf(
        ['export', '--store', store.addressOf('carol'), '--format', 'parquet', '--to', place, '--json', ...flags],
        {
          env: server.directEnv,
        },
      ) as JsonObject;
    const agree = async (folder: string, name: string): Promise<void> => {
      const counts = tables.map((table) => `(SELECT count(*) FROM ${inStore(table)})`).join(', ');
      const inStoreSums = store.server.run(
        `SELECT ${counts}, ${sums.join(', ')}, round(sum(cost_micro_usd)) FROM clew.cells`,
      );
      const seen = await totalsOf(folder);
      assert.equal(`${seen.join('|')}\n`, inStoreSums, name);
      const local = machines.map(
        ({ env }) => (jsonOf(['usage', '--json'], { env }) as { readonly totals: JsonObject }).totals,
      );
      const sumOf = (field: string): number => local.reduce((total, each) => total + Number(each[field]), 0);
      assert.deepEqual(
        seen.slice(tables.length, tables.length + sums.length).map(Number),
        ['messages', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWrite5mTokens', 'cacheWrite1hTokens'].map(
          sumOf,
        ),
        name,
      );
      assert.ok(Number(seen[0]) > 100, `${seen[0]} sessions`);
    };

    for (const machine of machines) {
      machine.share({ level: 'text' });
      jsonOf(['push', '--json'], { env: machine.env });
    }
    exportTo(lake, '--level', 'text');
    exportTo('s3://lake/clew', '--level', 'text');
    await agree(lake, 'after the first export');
    change(machines);
    for (const { env } of machines) jsonOf(['push', '--json'], { env });
    const second = exportTo(lake).sessions as JsonObject;
    assert.ok(Number(second.written) > 0 && Number(second.removed) > 0 && Number(second.unchanged) > 0);
    await agree(lake, 'after changes');
    assert.ok(Number(exportTo(lake, '--purge').purgedFiles) > 0);
    await agree(lake, 'after a purge');
    exportTo('s3://lake/clew', '--purge');
    const copy = path.join(temporaryFolder(context), 'copy');
    await download(await S3Storage.open('s3://lake/clew', server.env), copy);
    await agree(copy, 'in S3');
  },
);

function inStore(table: (typeof tables)[number]): string {
  return table === 'usage' ? 'clew.cells' : `clew.${table}`;
}

function machineWith(context: TestContext, store: TeamStore, person: string, from: string): Machine {
  const machine = machineOf(context, store.addressOf(person), { name: person });
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    const folder = entry.parentPath;
    if (!entry.name.endsWith('.jsonl') || folder.includes('subagents')) continue;
    const to = path.join(machine.root, 'projects', path.relative(from, folder).replace(/[^A-Za-z0-9]/g, '-'));
    cpSync(folder, to, { recursive: true });
  }
  // `clew rm` refuses a session that was written a moment ago.
  const projects = path.join(machine.root, 'projects');
  for (const entry of readdirSync(projects, { withFileTypes: true, recursive: true }))
    utimesSync(path.join(entry.parentPath, entry.name), 1_780_000_000, 1_780_000_000);
  return machine;
}

/** An edit, removals and a lowered level. */
function change([ada, bob]: readonly Machine[]): void {
  if (ada === undefined || bob === undefined) throw new Error('two machines push');
  const sessions = jsonOf(['ls', '--json'], { env: ada.env }) as readonly {
    readonly sessionId: string;
    readonly path: string;
    readonly turns: number;
  }[];
  const [edited, ...removed] = sessions.filter(({ turns }) => turns > 0).slice(0, 4);
  const line = {
    type: 'assistant',
    uuid: '5f6d4a0e-0000-4000-8000-000000000001',
    parentUuid: null,
    sessionId: edited?.sessionId,
    timestamp: '2026-05-05T05:05:05.000Z',
    requestId: 'req_lake',
    message: {
      id: 'msg_lake',
      role: 'assistant',
      model: 'claude-sonnet-4-5-20250929',
      content: [{ type: 'text', text: 'added' }],
      usage: { input_tokens: 7, output_tokens: 11 },
    },
  };
  appendFileSync(edited?.path ?? '', `${JSON.stringify(line)}\n`);
  for (const { path: file } of removed) jsonOf(['rm', file, '--yes', '--json'], { env: ada.env });
  bob.share({ level: 'metrics' });
}

async function totalsOf(folder: string): Promise<readonly string[]> {
  const { DuckDBInstance } = (await importPackage('@duckdb/node-api', '1.5.6-r.1')) as DuckDb;
  const connection = await (await DuckDBInstance.create()).connect();
  const ask = async (sql: string): Promise<JsonObject[]> => {
    const here = sql.replaceAll(/'(\w+\/\*\/\*\.parquet)'/g, (_, files: string) => `'${path.join(folder, files)}'`);
    return (await connection.runAndReadAll(here)).getRowObjectsJson();
  };
  const page = readFileSync(path.join(projectRoot, 'docs/team.md'), 'utf8');
  const [versions = '', usage = '', question = ''] = [...page.matchAll(/```sql\n([\s\S]*?)```/g)]
    .map(([, sql]) => sql ?? '')
    .filter((sql) => /current_versions|FROM usage/.test(sql));
  await ask(versions);
  for (const table of tables) await ask(usage.replace('VIEW usage', `VIEW ${table}`).replace("'usage/", `'${table}/`));
  assert.ok((await ask(question)).length > 0);
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  const own = [...sums.map((sum, i) => `${sum}::BIGINT AS s${i}`), 'round(sum(cost_micro_usd))::BIGINT AS cost'];
  const [row] = await ask(`SELECT ${[...counts, ...own].join(', ')} FROM usage`);
  return Object.values(row ?? {}).map(String);
}

async function download(storage: S3Storage, folder: string): Promise<void> {
  for await (const name of storage.list()) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, (await storage.read(name)) ?? '');
  }
}
