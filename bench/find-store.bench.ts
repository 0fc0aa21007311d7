// `clew find --store` over a store with gigabytes of text: how long a search takes, and the processor time of the server and of
// the client, by kind of query, over one's own sessions and over everyone's. CLEW_BENCH_PEOPLE (12) people have
// CLEW_BENCH_MB (85) of text each; 60 of them are 5 GB and take a quarter of an hour to fill.
import { readFileSync } from 'node:fs';
import { connect, type Sql } from '../src/team/database/index.ts';
import { searchStore } from '../src/team/search/index.ts';
import { startTeamStore } from '../test/support/team-store.ts';
import { fillLargeStore, randomNumbers } from './support/large-store.ts';

const count = Number(process.env.CLEW_BENCH_PEOPLE ?? 12);
const megabytes = Number(process.env.CLEW_BENCH_MB ?? 85);
const queriesOfKind = 20;
const ends: (() => unknown)[] = [];

try {
  const people = Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i + 1}`, 'developer' as const]));
  const settings = [
    'shared_buffers = 4GB',
    'maintenance_work_mem = 2GB',
    'default_toast_compression = lz4',
    'max_wal_size = 8GB',
    'fsync = off',
  ];
  const store = await startTeamStore({ after: (end: () => unknown) => ends.push(end) }, people, { settings });
  const owner = await connect(store.server.address());
  ends.push(() => owner.end());
  const start = performance.now();
  await fillLargeStore(owner, { people: count, megabytes, months: 15 });
  await owner`VACUUM ANALYZE`;
  const [size] = await owner<{ documents: number; text: number; bytes: number }[]>`
    SELECT count(*) AS documents, sum(octet_length(text))::bigint AS text, pg_database_size('clew') AS bytes FROM clew.documents`;
  console.log(
    `${size?.documents} documents, ${gigabytes(size?.text)} of text, ${gigabytes(size?.bytes)} on disk, filled in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  const queries = await makeQueries(owner);
  const sql = await connect(store.addressOf('p1'));
  ends.push(() => sql.end());
  for (const whose of ['me', 'everyone'] as const)
    for (const [kind, list] of Object.entries(queries)) await measure(sql, whose, kind, list);
} finally {
  for (const end of ends.reverse()) await end();
}

function gigabytes(bytes = 0): string {
  return `${(bytes / 1e9).toFixed(2)} GB`;
}

/** Words at random places of what the first person has said, so that frequent words are asked for more often. */
async function makeQueries(owner: Sql): Promise<Readonly<Record<string, readonly string[]>>> {
  const rows = await owner<{ text: string }[]>`SELECT text FROM clew.documents WHERE person = 1 AND kind <> 'tool-input'
    AND nth % 7 = 3 ORDER BY session_id, nth LIMIT 8000`;
  const random = randomNumbers(42);
  const pick = (pattern: RegExp): readonly string[] => {
    const found = new Set<string>();
    for (let i = 0; found.size < queriesOfKind && i < 100_000; i++) {
      const text = rows[random(rows.length)]?.text.slice(0, 20_000) ?? '';
      const all = text.match(pattern) ?? [];
      const one = all[random(all.length)];
      if (one !== undefined && (/\\w/.test(pattern.source) || !/[sp]1n/.test(one))) found.add(one);
    }
    return [...found];
  };
  return {
    'rare identifier': pick(/\b\w+s1n\d+\b/g),
    identifier: pick(/\b\w+p1n\d\b/g),
    word: pick(/\b[A-Za-z]{3,}\b/g),
    'phrase of two words': pick(/\b[A-Za-z]{2,} [A-Za-z]{2,}\b/g).map((text) => `"${text}"`),
    'two words': pick(/\b[A-Za-z]{3,} [A-Za-z]{3,}\b/g),
    'two CJK characters': pick(/[\u3040-\u30ff\u4e00-\u9fff]{2}/g),
    'five words': pick(/\b[A-Za-z]{2,}( [A-Za-z]{2,}){4}\b/g),
  };
}

async function measure(sql: Sql, whose: 'me' | 'everyone', kind: string, list: readonly string[]): Promise<void> {
  const [backend] = await sql<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  // Without the workers that help to count.
  const serverMs = (): number => Number(readFileSync(`/proc/${backend?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  const taken = { wall: [] as number[], server: [] as number[], client: [] as number[], totals: [] as number[] };
  for (const [i, text] of [...list.slice(0, 2), ...list].entries()) {
    const before = { wall: performance.now(), server: serverMs(), client: process.cpuUsage() };
    const query = { text, mode: 'words', limit: 20, perSession: 3, people: { kind: whose } } as const;
    const { total } = await searchStore(sql, query);
    const { user, system } = process.cpuUsage(before.client);
    if (i < 2) continue; // the first ones load what later ones know
    taken.wall.push(performance.now() - before.wall);
    taken.server.push(serverMs() - before.server);
    taken.client.push((user + system) / 1000);
    taken.totals.push(total);
  }
  const of = (values: number[], share: number): string => {
    values.sort((a, b) => a - b);
    return (values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? Number.NaN).toFixed(0);
  };
  const both = (values: number[]): string => `${of(values, 0.5)} / ${of(values, 0.95)}`;
  console.log(
    `${whose.padEnd(8)} ${kind.padEnd(20)} p50 / p95 ${both(taken.wall).padStart(12)} ms, CPU of the connection's process ${both(taken.server).padStart(12)} ms, of the client ${both(taken.client).padStart(9)} ms; ${of(taken.totals, 0.5)} matches, at most ${of(taken.totals, 1)}`,
  );
}
