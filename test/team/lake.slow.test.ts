// The lake of a store, read back by another program: after every change of the store it has the same rows, nothing is
// overwritten, an export that ends anywhere is completed by the next one, and a purge leaves no old text.
import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { connect, DatabaseTarget, type Sql } from '../../src/team/database/index.ts';
import { exportLake, type LakeStorage, openStorage } from '../../src/team/lake/index.ts';
import { noPostgres } from '../support/postgres.ts';
import { startTeamStore, type TeamStore } from '../support/team-store.ts';
import { canary, filesOf, lakeFolder, planned, readLake, type SessionPlan, sumsOf, sumsSql } from './lake-kit.ts';

interface Place {
  readonly store: TeamStore;
  /** Of the auditor, who exports. */
  readonly sql: Sql;
  push(person: string, ...plans: readonly SessionPlan[]): Promise<void>;
  remove(person: string, id: string): Promise<void>;
}

async function place(context: TestContext): Promise<Place> {
  const store = await startTeamStore(context, { ada: 'developer', bob: 'developer', carol: 'auditor' });
  const sql = await connect(store.addressOf('carol'), { connections: 2, readsArrays: true });
  const targets = new Map<string, DatabaseTarget>();
  const targetOf = async (person: string): Promise<DatabaseTarget> => {
    const known = targets.get(person) ?? new DatabaseTarget(await connect(store.addressOf(person)));
    targets.set(person, known);
    return known;
  };
  context.after(async () => {
    for (const target of targets.values()) await target.close();
    await sql.end();
  });
  return {
    store,
    sql,
    push: async (person, ...plans) => {
      for (const plan of plans) {
        const answer = await (await targetOf(person)).push(planned(person, plan));
        assert.deepEqual(answer, { state: 'open' }, plan.id);
      }
    },
    remove: async (person, id) => {
      const answer = await (await targetOf(person)).remove(id, 'removed', 'laptop');
      assert.deepEqual(answer, { state: 'removed', sessions: 1 });
    },
  };
}

const months = ['2026-02-27T10:00:00Z', '2026-03-02T10:00:00Z'];

test(
  'the lake has the rows of the store after every change, and old files stay',
  { skip: noPostgres },
  async (context) => {
    const { store, sql, push, remove } = await place(context);
    const folder = lakeFolder(context);
    const storage = await openStorage(folder, {});
    const agrees = async (): Promise<void> =>
      assert.equal(`${sumsOf(await readLake(folder))}\n`, store.server.run(sumsSql(3)));
    await push('ada', { id: 'a1', level: 3, times: months, rows: 3 }, { id: 'a2', level: 1 }, { id: 'a3', level: 4 });
    await push('bob', { id: 'a1', level: 2 }, { id: 'b2', level: 3, times: ['1970-01-01T00:00:00Z'] });
    const first = await exportLake(sql, storage, { level: 'text' });
    assert.deepEqual(first.sessions, { written: 5, removed: 0, unchanged: 0, outdated: 0 });
    await agrees();
    const before = contents(folder);
    const nothing = await exportLake(sql, storage);
    assert.deepEqual(nothing.sessions, { written: 0, removed: 0, unchanged: 5, outdated: 0 });
    assert.deepEqual(contents(folder), before);

    await push(
      'ada',
      { id: 'a1', level: 3, revision: 2, times: months },
      { id: 'a3', level: 1 },
      { id: 'a4', level: 3 },
    );
    await remove('ada', 'a2');
    // Its own month changes too.
    await push('bob', { id: 'b2', level: 3, times: ['2026-04-30T23:59:59Z'] });
    const second = await exportLake(sql, storage);
    assert.deepEqual(second.sessions, { written: 4, removed: 2, unchanged: 1, outdated: 4 });
    await agrees();
    const after = contents(folder);
    for (const [name, content] of before) assert.deepEqual(after.get(name), content, name);
    assert.deepEqual(
      (await readLake(folder))
        .get('titles')
        ?.map(({ session_id: id }) => id)
        .sort(),
      ['a1', 'a1', 'a4', 'b2'],
    );
  },
);

test('a purge leaves nothing of what is gone, and all of what is not', { skip: noPostgres }, async (context) => {
  const { store, sql, push, remove } = await place(context);
  const folder = lakeFolder(context);
  const storage = await openStorage(folder, {});
  await push('ada', { id: 'a1', level: 3, times: months }, { id: 'a2', level: 3 }, { id: 'a3', level: 3 });
  await push('bob', { id: 'b1', level: 3 });
  await exportLake(sql, storage, { level: 'text' });
  await remove('bob', 'b1');
  await push('ada', { id: 'a2', level: 1 });
  await exportLake(sql, storage);
  const gone = [canary('bob', 'b1'), canary('ada', 'a2')];
  assert.deepEqual(await textsWith(folder, gone), gone);
  const purged = await exportLake(sql, storage, { isPurge: true });
  assert.ok(purged.purgedFiles > 0);
  assert.deepEqual(await textsWith(folder, gone), []);
  assert.deepEqual(await textsWith(folder, ['bob', 'b1']), []);
  assert.equal(`${sumsOf(await readLake(folder))}\n`, store.server.run(sumsSql(3)));
  const clean = contents(folder);
  const again = await exportLake(sql, storage, { isPurge: true });
  assert.deepEqual([again.purgedFiles, again.sessions.written, again.sessions.outdated], [0, 0, 0]);
  assert.deepEqual(contents(folder), clean);
});

test(
  'an export that ends at any step leaves a whole lake, and the next completes it',
  { skip: noPostgres },
  async (context) => {
    const { store, sql, push, remove } = await place(context);
    await push('ada', { id: 'a1', level: 3, times: months }, { id: 'a2', level: 3 });
    await push('bob', { id: 'b1', level: 3 });
    const started = lakeFolder(context);
    await exportLake(sql, await openStorage(started, {}), { level: 'text' });
    const old = await rowsBySession(started);
    await push('ada', { id: 'a1', level: 3, revision: 2, times: months }, { id: 'a2', level: 2, revision: 2 });
    await remove('bob', 'b1');
    const now = store.server.run(sumsSql(3)).trim();
    const finished = lakeFolder(context);
    cpSync(started, finished, { recursive: true });
    await exportLake(sql, await openStorage(finished, {}), { isPurge: true });
    const expected = await rowsBySession(finished);
    let steps = 0;
    for (let isDone = false; !isDone; steps++) {
      const folder = lakeFolder(context);
      cpSync(started, folder, { recursive: true });
      const storage = await openStorage(folder, {});
      isDone = await exportLake(sql, endingStorage(storage, steps), { isPurge: true }).then(
        () => true,
        (error: unknown) => {
          assert.equal(error instanceof Error && error.message, 'killed');
          return false;
        },
      );
      // Each month of sessions is completely as before, or completely as after.
      const seen = await rowsBySession(folder);
      for (const sessions of [['a1'], ['a2', 'b1']]) {
        const of = (rows: ReadonlyMap<string, string>): readonly unknown[] => sessions.map((id) => rows.get(id));
        assert.ok(
          [of(old), of(expected)].some((state) => isDeepStrictEqual(of(seen), state)),
          `step ${steps}`,
        );
      }
      await exportLake(sql, storage, { isPurge: true });
      assert.equal(sumsOf(await readLake(folder)), now, `after step ${steps}`);
      assert.deepEqual(await textsWith(folder, [canary('bob', 'b1')]), [], `after step ${steps}`);
      assert.deepEqual(
        filesOf(folder).filter((name) => name.endsWith('.partial')),
        [],
      );
    }
    assert.ok(steps > 30, `${steps} steps`);
  },
);

test('a lake belongs to one role and has one level', { skip: noPostgres }, async (context) => {
  const { store, sql, push } = await place(context);
  await push('ada', { id: 'a1', level: 3 });
  const folder = lakeFolder(context);
  const storage = await openStorage(folder, {});
  const { level, tables } = await exportLake(sql, storage);
  assert.deepEqual(
    [level, tables.map(({ table, rows }) => [table, rows])],
    [
      'metrics',
      [
        ['sessions', 1],
        ['usage', 1],
        ['calls', 1],
        ['prompts', 1],
      ],
    ],
  );
  assert.deepEqual(await textsWith(folder, ['canary', 'src/']), []);
  assert.equal(store.server.run('SELECT count(*) FROM clew.readings'), '0\n');
  await assert.rejects(exportLake(sql, storage, { level: 'text' }), /has the level metrics/);
  await assert.rejects(exportLake(sql, storage, { tables: ['documents'] }), /has the tables sessions, usage/);
  const other = await connect(store.addressOf('bob'), { connections: 2, readsArrays: true });
  context.after(() => other.end());
  await assert.rejects(exportLake(other, storage), /was exported by carol of acme/);
});

test(
  'readings of the text of others are announced, and what the role may not see is not there',
  { skip: noPostgres },
  async (context) => {
    const { store, sql, push } = await place(context);
    await push('ada', { id: 'a1', level: 3 });
    await exportLake(sql, await openStorage(lakeFolder(context), {}), { level: 'text' });
    assert.equal(store.server.run('SELECT reader, action, person IS NULL FROM clew.readings'), 'carol|export|t\n');
    store.server.run(`CREATE ROLE lea LOGIN; GRANT clew_lead TO lea;
    INSERT INTO clew.people (tenant, name, login) SELECT tenant, 'lea', 'lea' FROM clew.tenants;
    INSERT INTO clew.groups SELECT tenant, 'web' FROM clew.tenants;
    INSERT INTO clew.members SELECT tenant, 'web', person, name = 'lea' FROM clew.people WHERE name IN ('ada', 'lea');`);
    await push('bob', { id: 'b1', level: 3 });
    const lead = await connect(store.addressOf('lea'), { connections: 2, readsArrays: true });
    context.after(() => lead.end());
    const folder = lakeFolder(context);
    await exportLake(lead, await openStorage(folder, {}), { level: 'text' });
    const lake = await readLake(folder);
    assert.deepEqual(
      ['usage', 'titles', 'documents'].map((table) => lake.get(table)?.length),
      [1, 0, 0],
    );
    assert.deepEqual(
      lake.get('sessions')?.map(({ session_id: id }) => id),
      ['a1'],
    );
  },
);

test('months bound an export, and memory bounds its row groups and files', { skip: noPostgres }, async (context) => {
  const { store, sql, push } = await place(context);
  await push(
    'ada',
    { id: 'a1', level: 3, times: ['2026-01-02T00:00:00Z'], rows: 25 },
    { id: 'a2', level: 3, times: ['2026-02-02T00:00:00Z'] },
  );
  const folder = lakeFolder(context);
  const storage = await openStorage(folder, {});
  const limits = { rowsPerGroup: 10, waitingChars: 1_000, fileBytes: 1_500 };
  await exportLake(sql, storage, { level: 'text', since: '2026-01', until: '2026-01', limits });
  const january = await readLake(folder);
  assert.deepEqual(
    january.get('sessions')?.map(({ session_id: id }) => id),
    ['a1'],
  );
  assert.ok(filesOf(folder).filter((name) => name.startsWith('documents/month=2026-01/')).length > 2);
  assert.equal(january.get('documents')?.length, 25);
  await exportLake(sql, storage, { since: '2026-02' });
  assert.equal(`${sumsOf(await readLake(folder))}\n`, store.server.run(sumsSql(3)));
});

test('two exports of one lake at a time are refused', { skip: noPostgres }, async (context) => {
  const { sql, push, store } = await place(context);
  await push('ada', { id: 'a1', level: 1 });
  const storage = await openStorage(lakeFolder(context), {});
  const other = await connect(store.addressOf('carol'), { connections: 2, readsArrays: true });
  context.after(() => other.end());
  let second: Promise<unknown> | undefined;
  await exportLake(sql, storage, {
    onMonth: () => {
      second ??= assert.rejects(exportLake(other, storage), /another export is writing/);
    },
  });
  await second;
  assert.ok(second !== undefined);
});

/** Every call counts; from the call `last` on, nothing happens any more, as in a program that was killed. */
function endingStorage(storage: LakeStorage, last: number): LakeStorage {
  let calls = 0;
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (calls++ >= last) throw new Error('killed');
    return work();
  };
  return {
    name: storage.name,
    list: () => storage.list(),
    read: (name) => storage.read(name),
    create: (name) => {
      const file = storage.create(name);
      return {
        write: (bytes) => step(() => file.write(bytes)),
        finish: () => step(() => file.finish()),
        abandon: () => file.abandon(),
      };
    },
    remove: (name) => step(() => storage.remove(name)),
    removeUnfinished: () => step(() => storage.removeUnfinished()),
  };
}

/** By the id of the session: how many rows it has in each table, and their tokens. */
async function rowsBySession(folder: string): Promise<ReadonlyMap<string, string>> {
  const sums = new Map<string, string>();
  for (const [table, rows] of [...(await readLake(folder))].sort()) {
    if (table === 'versions') continue;
    for (const row of rows) {
      const id = String(row.session_id);
      sums.set(id, `${sums.get(id) ?? ''} ${table} ${row.input_tokens ?? ''}`);
    }
  }
  return sums;
}

function contents(folder: string): ReadonlyMap<string, string> {
  return new Map(filesOf(folder).map((name) => [name, readFileSync(path.join(folder, name), 'base64')]));
}

/** Which of these words is in any value of any file. */
async function textsWith(folder: string, words: readonly string[]): Promise<readonly string[]> {
  const values: string[] = [];
  for (const name of filesOf(folder)) {
    if (!name.endsWith('.parquet')) continue;
    for (const row of await parquetReadObjects({ file: await asyncBufferFromFile(path.join(folder, name)) }))
      values.push(JSON.stringify(Object.values(row).map(String)));
  }
  return words.filter((word) => values.some((value) => value.includes(word)));
}
