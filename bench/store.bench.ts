// What a team's store needs per megabyte of transcripts, at each level: rows, bytes of tables, TOAST and indexes, WAL, the time
// of a first push; then the lake of it, sessions per second of one connection, and what planning costs with many months.
// docs/scale.md calculates with these. CLEW_BENCH_ROOT names another library than the recordings and published transcripts.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, DatabaseTarget } from '../src/team/database/index.ts';
import { corpusFolder } from '../test/support/corpus.ts';
import { startTeamStore, type TeamStore } from '../test/support/team-store.ts';
import { planned } from '../test/team/lake-kit.ts';

// Without the maps of free and visible pages: 32 kB for each partition, however large it is.
const sizesSql = `SELECT p.relname, count(c.oid), sum(pg_relation_size(c.oid)),
    sum(coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)), sum(pg_indexes_size(c.oid))
  FROM pg_class p JOIN pg_inherits i ON i.inhparent = p.oid JOIN pg_class c ON c.oid = i.inhrelid
  WHERE p.relkind = 'p' AND p.relnamespace = 'clew'::regnamespace GROUP BY 1 ORDER BY 1`;
const emptyMonthSql = `SELECT clew.ensure_months('{2020-02-01}');
  SELECT sum(pg_total_relation_size(c.oid)), count(*), (SELECT count(*) FROM pg_index x JOIN pg_class n ON n.oid = x.indrelid
    WHERE n.relname LIKE '%2020_02') FROM pg_class c WHERE c.relname LIKE '%2020_02' AND c.relkind = 'r'`;
const clew = fileURLToPath(new URL('../../dist/clew.js', import.meta.url));
const ends: (() => unknown)[] = [];
const context = { after: (end: () => unknown) => ends.push(end) };
const work = mkdtempSync(path.join(tmpdir(), 'clew-bench-store-'));
ends.push(() => rmSync(work, { recursive: true, force: true }));
const root = process.env.CLEW_BENCH_ROOT ?? recordings();
const megabytes = sizeOf(path.join(root, 'projects')) / 1e6;
const [wanted] = process.argv.slice(2);

try {
  for (const level of ['metrics', 'titles', 'text', 'files'] as const) {
    if (wanted !== undefined && wanted !== level) continue;
    const store = await startTeamStore(
      context,
      { ada: 'developer', carol: 'auditor' },
      {
        settings: ['max_wal_size = 4GB', 'full_page_writes = on'],
      },
    );
    measurePush(store, level);
    if (level === 'text') measureGin(store);
    if (level === 'files') {
      measureLake(store);
      measurePlans(store);
    }
    store.server.stop('immediate');
  }
  if (wanted === undefined || wanted === 'pushes') await measureTransactions();
} finally {
  for (const end of ends.reverse()) await end();
}

function measurePush(store: TeamStore, level: string): void {
  const { server } = store;
  const home = path.join(work, level);
  mkdirSync(home);
  writeFileSync(path.join(home, 'team.json'), JSON.stringify({ level }));
  const env = { CLEW_HOME: home, CLEW_ROOTS: root, CLEW_MACHINE: 'bench', CLEW_STORE: store.addressOf('ada') };
  run(['index'], env);
  const before = server.run('SELECT pg_current_wal_insert_lsn()').trim();
  const first = run(['push', '--json'], env);
  const wal = Number(server.run(`SELECT pg_current_wal_insert_lsn() - '${before}'::pg_lsn`));
  const again = run(['push', '--json'], env);
  server.run('VACUUM ANALYZE', 'clew');
  const sessions = Number(server.run('SELECT count(*) FROM clew.sessions'));
  console.log(`\nlevel ${level}: ${sessions} sessions, ${megabytes.toFixed(1)} MB of transcripts`);
  console.log(
    `  first push ${first.toFixed(1)} s (${(sessions / first).toFixed(1)} sessions/s, ${(megabytes / first).toFixed(1)} MB/s), nothing changed ${again.toFixed(2)} s, WAL ${perMb(wal)} per MB`,
  );
  const rows = server
    .run(sizesSql)
    .trim()
    .split('\n')
    .map((line) => line.split('|'));
  let total = 0;
  for (const [table = '', count, heap, toast, indexes] of rows) {
    const own = server.run(`SELECT count(*) FROM clew.${table}`).trim();
    if (own === '0') continue;
    const all = Number(heap) + Number(toast) + Number(indexes);
    total += all;
    console.log(
      `  ${table.padEnd(12)} ${own.padStart(8)} rows ${(Number(own) / megabytes).toFixed(0).padStart(6)} per MB  ${perMb(all)} per MB: heap ${perMb(Number(heap))}, toast ${perMb(Number(toast))}, indexes ${perMb(Number(indexes))} (${count} partitions)`,
    );
  }
  console.log(
    `  all          ${perMb(total)} per MB of transcripts, ${(total / sessions / 1024).toFixed(1)} kB per session`,
  );
  const [bytes, tables, indexes] = (server.run(emptyMonthSql).trim().split('\n').at(-1) ?? '').split('|');
  console.log(`  an empty month: ${Number(bytes) / 1024} kB in ${tables} tables and ${indexes} indexes`);
  const gin = Number(
    server.run(
      `SELECT coalesce(sum(pg_relation_size(c.oid)), 0) FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'gin'`,
    ),
  );
  if (gin > 0) console.log(`  of these, GIN indexes ${perMb(gin)} per MB`);
}

/** What one push of a small session costs the server: processor time of its backend (100 ticks a second), and WAL. */
async function measureTransactions(): Promise<void> {
  const store = await startTeamStore(context, { ada: 'developer' });
  const sql = await connect(store.addressOf('ada'));
  const [backend] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  const target = new DatabaseTarget(sql);
  const cpuMs = (): number => {
    const fields = readFileSync(`/proc/${backend?.pid}/stat`, 'utf8').split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  };
  const wal = (): number => Number(store.server.run(`SELECT pg_current_wal_insert_lsn() - '0/0'`));
  for (const level of [1, 3] as const) {
    const [cpuBefore, walBefore, pushes] = [cpuMs(), wal(), 100];
    for (let i = 0; i < pushes; i++) await target.push(planned('ada', { id: `${level}-${i}`, level, rows: 15 }));
    console.log(
      `a push of 15 rows in each table of level ${level}: ${((cpuMs() - cpuBefore) / pushes).toFixed(1)} ms of the server, ${((wal() - walBefore) / pushes / 1024).toFixed(1)} kB of WAL`,
    );
  }
  await target.close();
}

/** The WAL of the words alone, in transactions of 52 documents, with each way to keep a GIN index. */
function measureGin({ server }: TeamStore): void {
  server.run(`CREATE TABLE public.source AS SELECT row_number() OVER (ORDER BY session_id, nth) AS n, words FROM clew.documents;
    CREATE PROCEDURE public.fill(target text) LANGUAGE plpgsql AS $$ BEGIN
      FOR i IN 0..(SELECT max(n) / 52 FROM public.source) LOOP
        EXECUTE format('INSERT INTO public.%I SELECT * FROM public.source WHERE n BETWEEN %s AND %s', target, i * 52, i * 52 + 51);
        COMMIT;
      END LOOP;
    END $$`);
  for (const fastupdate of ['off', 'on']) {
    const table = `words_${fastupdate}`;
    server.run(`CREATE TABLE public.${table} (n bigint, words tsvector);
      CREATE INDEX ON public.${table} USING gin (words) WITH (fastupdate = ${fastupdate}); CHECKPOINT`);
    const before = server.run('SELECT pg_current_wal_insert_lsn()').trim();
    server.run(`CALL public.fill('${table}')`);
    const wal = Number(server.run(`SELECT pg_current_wal_insert_lsn() - '${before}'::pg_lsn`));
    console.log(`  words with fastupdate = ${fastupdate}: WAL ${perMb(wal)} per MB`);
  }
}

function measureLake(store: TeamStore): void {
  for (const level of ['metrics', 'text']) {
    const lake = path.join(work, `lake-${level}`);
    const flags = [
      '--store',
      store.addressOf('carol'),
      '--format',
      'parquet',
      '--to',
      lake,
      '--level',
      level,
      '--json',
    ];
    const seconds = run(['export', ...flags], {});
    const again = run(['export', ...flags], {});
    console.log(
      `\nlake at the level ${level}: ${perMb(sizeOf(lake))} per MB, ${seconds.toFixed(1)} s, nothing changed ${again.toFixed(1)} s`,
    );
  }
}

/** Three years of empty months, so that a query meets as many partitions as in an old store. */
function measurePlans({ server }: TeamStore): void {
  const explain = (sql: string): string =>
    server
      .run(`SET ROLE NONE; SET SESSION AUTHORIZATION ada; EXPLAIN (ANALYZE, SUMMARY) ${sql}`)
      .replace(/[\s\S]*?(Planning Time)/, '$1');
  const queries = {
    'one month of usage': `SELECT sum(messages) FROM clew.usage_days WHERE month = '2026-03-01'`,
    'all months of usage': 'SELECT sum(messages) FROM clew.usage_days',
    'one session by id': `SELECT * FROM clew.sessions WHERE session_id = 'x'`,
  };
  for (const years of [0, 3, 6]) {
    if (years > 0)
      server.run(
        `SELECT clew.ensure_months(array_agg(month::date)) FROM generate_series('2020-01-01'::date, '2020-01-01'::date + interval '${years * 12 - 1} months', interval '1 month') month`,
      );
    const partitions = server
      .run(`SELECT count(*) FROM pg_inherits WHERE inhparent = 'clew.usage_days'::regclass`)
      .trim();
    for (const [name, sql] of Object.entries(queries)) {
      explain(sql); // catalog cache
      const times = [...explain(sql).matchAll(/(\w+) Time: ([\d.]+) ms/g)].map(
        ([, what, ms]) => `${what?.toLowerCase()} ${ms} ms`,
      );
      console.log(`  ${partitions} partitions, ${name}: ${times.join(', ')}`);
    }
  }
}

function run(args: readonly string[], env: Readonly<Record<string, string>>): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [clew, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env: { PATH: process.env.PATH ?? '', HOME: work, CLEW_HOME: path.join(work, 'state'), ...env },
  });
  if (status !== 0) throw new Error(`clew ${args[0]} ended with ${status}: ${stderr}`);
  return (performance.now() - start) / 1000;
}

function perMb(bytes: number): string {
  return `${(bytes / megabytes / 1024).toFixed(1)} kB`;
}

/** The recordings of the client and the published transcripts, in one library. */
function recordings(): string {
  const library = path.join(work, 'root');
  for (const part of ['corpus/real', 'corpus/public']) {
    const from = path.join(corpusFolder, part);
    for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
      const folder = entry.parentPath;
      if (!entry.name.endsWith('.jsonl') || folder.includes('subagents')) continue;
      const to = path.join(library, 'projects', path.relative(corpusFolder, folder).replace(/[^A-Za-z0-9]/g, '-'));
      if (!existsSync(to)) cpSync(folder, to, { recursive: true });
    }
  }
  return library;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}
