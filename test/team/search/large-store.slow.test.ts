// A search of a word that is everywhere: the total counts all documents, the words of few are read, and what is asked and read
// does not grow with what is not needed. Expected numbers come from the texts that the test makes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect, type Sql } from '../../../src/team/database/index.ts';
import { type StoreQuery, type StoreResult, searchStore } from '../../../src/team/search/index.ts';
import { documentWords } from '../../../src/team/words/index.ts';
import { noPostgres } from '../../support/postgres.ts';
import { startTeamStore, type TeamStore } from '../../support/team-store.ts';

const months = ['2026-01-01', '2026-02-01', '2026-03-01'];
const documentsOfMonth = 4000;
const documentsOfSession = 100;
const all = months.length * documentsOfMonth;

/** All have "common", "next" and "door"; in some, which are longer and so less about any word, "next door" is a phrase. */
function textOf(n: number): string {
  const door = hasPhrase(n) ? 'next door far far far far far' : 'door then next';
  return `common number${n} ${door} ${n % 2 === 0 ? 'even' : 'odd'} ${`padding${n % 50} `.repeat(40)}${'x'.repeat(n % 3)}`;
}

/** The newest documents have the greatest numbers. */
function hasPhrase(n: number): boolean {
  return n % 100 === 99;
}

async function fillStore({ server }: TeamStore): Promise<void> {
  const sql = await connect(server.address());
  await sql`SELECT clew.ensure_months(${months}::date[])`;
  for (let first = 0; first < all; first += documentsOfSession) {
    const month = months[Math.floor(first / documentsOfMonth)] ?? '';
    const id = `session-${first}`;
    const said = (n: number): string => new Date(Date.parse(month) + (n % documentsOfMonth) * 1000).toISOString();
    const own = Array.from({ length: documentsOfSession }, (_, i) => ({
      n: first + i,
      ...documentWords(textOf(first + i)),
    }));
    const tokens = own.reduce((sum, each) => sum + each.tokens, 0);
    await sql`INSERT INTO clew.sessions (tenant, person, month, session_id, level, machine, content_key, main_bytes, main_sha256,
        ended_at, project_hash, facts, months, words)
      VALUES (1, 1, ${month}, ${id}, 3, 'm', ${id}, 1, '', ${said(first + documentsOfSession)}, '', '{}', ${[month]}::date[],
        ${[documentsOfSession, tokens, 1, 0, 0]}::bigint[])`;
    await sql`INSERT INTO clew.titles VALUES (1, 1, ${month}, ${id}, ${id}, '/', ${`/p/${id}.jsonl`}, '{}')`;
    await sql`INSERT INTO clew.documents (tenant, person, month, session_id, nth, agent, line, kind, part, said_at, text, words, tokens)
      SELECT 1, 1, ${month}, ${id}, n, '', n, 'answer', 0, said, text, ('''@1'' ' || words)::tsvector, tokens
      FROM unnest(${own.map(({ n }) => n)}::integer[], ${own.map(({ n }) => said(n))}::timestamptz[], ${own.map(({ n }) => textOf(n))}::text[],
        ${own.map(({ words }) => words)}::text[], ${own.map((each) => each.tokens)}::integer[]) d (n, said, text, words, tokens)`;
  }
  await sql`VACUUM ANALYZE clew.documents`;
  await sql.end();
}

interface Ready {
  readonly store: TeamStore;
  readonly sql: Sql;
  search(text: string, more?: Partial<StoreQuery>): Promise<StoreResult>;
  /** Blocks that a statement of Ada's reads. */
  blocksOf(statement: string): Promise<number>;
}

async function readyStore(context: TestContext): Promise<Ready> {
  const store = await startTeamStore(context, { ada: 'developer' }, { settings: ['log_statement = all'] });
  await fillStore(store);
  const sql = await connect(store.addressOf('ada'));
  context.after(() => sql.end());
  return {
    store,
    sql,
    search: (text, more = {}) => searchStore(sql, { text, mode: 'words', limit: 20, people: { kind: 'me' }, ...more }),
    blocksOf: async (statement) => {
      await sql.unsafe(statement); // what the connection does not know of the tables yet
      const [row] = await sql.unsafe<{ 'QUERY PLAN': readonly { readonly Plan: Record<string, number> }[] }[]>(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${statement}`,
      );
      const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
      return (plan['Shared Hit Blocks'] ?? Number.NaN) + (plan['Shared Read Blocks'] ?? Number.NaN);
    },
  };
}

test('a word that is everywhere', { skip: noPostgres }, async (context) => {
  const { store, sql, search, blocksOf } = await readyStore(context);

  await context.test('the total is that of all, also by time', async () => {
    assert.equal((await search('common')).total, all);
    assert.equal((await search('even')).total, all / 2);
    assert.equal((await search('common -even')).total, all / 2);
    assert.equal((await search('common number77')).total, 1);
    const since = Date.parse('2026-03-01T00:00:00Z');
    assert.equal((await search('common', { since })).total, documentsOfMonth);
    assert.equal((await search('common', { until: since })).total, all - documentsOfMonth);
    // The last hour and the first hour of two months.
    assert.equal((await search('common', { since: since + 1000, until: since + 3000 })).total, 2);
  });

  await context.test('texts with the words next to each other come first, of the newest', async () => {
    const { total, sessions } = await search('next door', { limit: 6 });
    assert.equal(total, all);
    const lines = sessions.flatMap(({ hits }) => hits.map(({ line }) => line));
    const phrases = Array.from({ length: all }, (_, n) => n).filter(hasPhrase);
    // Only 1,000 documents of the newest month are asked, about 10 of which have the phrase.
    const newest = lines.slice(0, 4);
    assert.ok(
      newest.every((line) => hasPhrase(line) && line >= all - documentsOfMonth),
      lines.join(' '),
    );
    // A phrase in quotation marks is found wherever it is.
    assert.equal((await search('"next door"')).total, phrases.length);
    const quoted = await search('"next door"', { limit: 1000 });
    const places = quoted.sessions.flatMap(({ hits }) => hits.map(({ line }) => line));
    assert.deepEqual(
      places.sort((a, b) => a - b),
      phrases,
    );
  });

  await context.test('of few texts it is known where their words are', async () => {
    const { total, sessions } = await search('padding49 next door', { limit: 9 });
    const expected = Array.from({ length: all }, (_, n) => n).filter((n) => n % 50 === 49);
    assert.equal(total, expected.length);
    assert.equal(sessions.length, 9);
    const quoted = await search('padding49 "next door"', { limit: 1000 });
    const places = quoted.sessions.flatMap(({ hits }) => hits.map(({ line }) => line));
    assert.deepEqual(
      places.sort((a, b) => a - b),
      expected.filter(hasPhrase),
    );
  });

  await context.test('how many have a word is estimated when there are many', async () => {
    const counted = async (query: string, most: number): Promise<number> => {
      const [row] = await sql<{ count: number }[]>`
        SELECT clew.count_documents(${query}::tsquery, '{1}', null, null, null, null, null, ${most}) AS count`;
      return row?.count ?? 0;
    };
    assert.equal(await counted(`'common'`, all), all);
    assert.equal(await counted(`'padding7'`, all), all / 50);
    for (const [query, expected] of [
      [`'common'`, all],
      [`'even'`, all / 2],
    ] as const) {
      const estimate = await counted(query, 500);
      assert.ok(Math.abs(estimate / expected - 1) < 0.1, `${query}: ${estimate} of ${expected}`);
    }
  });

  await context.test('blocks', async () => {
    const pages = Number(
      store.server.run(
        `SELECT sum(pg_relation_size(inhrelid)) / 8192 FROM pg_inherits WHERE inhparent = 'clew.documents'::regclass`,
      ),
    );
    const find = (query: string, since = 'null'): string =>
      `SELECT clew.found_documents('${query}'::tsquery, '{common}', '{}', '{1}', null, null, null, ${since}, null, 1000)`;
    // A row that is chosen costs three blocks of the key's index and its own, if it is not read by its place.
    const common = await blocksOf(find('common'));
    assert.ok(common < pages + 1300, `${common} blocks, ${pages} pages`);
    const rare = await blocksOf(find('number77'));
    assert.ok(rare < 150, `${rare} blocks`);
    const count = (since: string): string =>
      `SELECT clew.count_documents('common'::tsquery, '{1}', null, null, null, ${since}, null, ${all})`;
    const [every, newest] = [await blocksOf(count('null')), await blocksOf(count(`'2026-03-01'`))];
    assert.ok(newest < every / 2, `${newest} of ${every} blocks`);
  });

  await context.test('statements', async () => {
    const log = path.join(store.server.folder, 'log');
    const count = (): number => readFileSync(log, 'utf8').match(/LOG: {2}(execute|statement)/g)?.length ?? 0;
    const before = count();
    await search('next door');
    const asked = count() - before;
    assert.ok(asked > 5 && asked <= 16, `${asked} statements`);
  });
});
