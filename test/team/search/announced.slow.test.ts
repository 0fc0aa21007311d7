// What a search shows of others: nothing before the reading is announced, and then with the name of the person.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../../src/team/database/index.ts';
import { runClew } from '../../support/clew.ts';
import { noPostgres } from '../../support/postgres.ts';
import { assistant, sessionText, user } from '../../support/session-text.ts';
import { startTeamStore } from '../../support/team-store.ts';
import { type Machine, machineOf } from '../push-kit.ts';

interface Hit {
  readonly person?: string;
  readonly snippet: string;
}

function hitsOf(machine: Machine, ...args: readonly string[]): readonly Hit[] {
  const { stdout, stderr } = runClew(['find', ...args, '--json', '--store'], { env: machine.env });
  assert.notEqual(stdout, '', stderr);
  return (JSON.parse(stdout) as { hits: readonly Hit[] }).hits;
}

test(
  'a search finds the text of others only after their reading was announced',
  {
    skip: noPostgres,
  },
  async (context) => {
    const store = await startTeamStore(context, { ada: 'developer', bob: 'developer', lea: 'lead' });
    const session = (name: string): string =>
      sessionText([user(`${name} asks about the lighthouse`), assistant('the lamp')], {
        sessionId: `0000000${name.length}-0000-4000-8000-00000000000${name.length}`,
        cwd: '/home/dev/light',
      });
    const [ada, bob, lea] = ['ada', 'bobby', 'leanna'].map((name) =>
      machineOf(context, store.addressOf(name.slice(0, 3)), {
        name,
        files: {
          [`-home-dev-light/0000000${name.length}-0000-4000-8000-00000000000${name.length}.jsonl`]: session(name),
        },
      }),
    ) as [Machine, Machine, Machine];
    for (const machine of [ada, bob, lea]) {
      machine.share({ level: 'text' });
      assert.equal(runClew(['push'], { env: machine.env }).status, 0);
    }
    const readings = (): string =>
      store.server.run(
        `SELECT r.reader, r.action, coalesce(r.person::text, 'everyone'), r.detail FROM clew.readings r ORDER BY r.id`,
      );

    assert.deepEqual(
      hitsOf(ada, 'lighthouse').map(({ snippet }) => snippet),
      ['ada asks about the lighthouse'],
    );
    assert.equal(readings(), '');

    // What the functions that look with the owner's rights return to a connection that has announced nothing.
    const sql = await connect(store.addressOf('ada'));
    context.after(() => sql.end());
    const people = (await sql<{ person: number }[]>`SELECT person FROM clew.people`).map(({ person }) => person);
    const direct = async (): Promise<number> => {
      const documents =
        await sql`SELECT clew.found_documents('''lighthouse'''::tsquery, '{}', '{}', ${people}::integer[],
      null, null, null, null, null, 100)`;
      const phrases =
        await sql`SELECT clew.found_phrases('''lighthouse'''::tsquery, '''the'' <-> ''lighthouse'''::tsquery,
      '{}', '{}', ${people}::integer[], null, null, null, null, null, 100)`;
      const exchanges =
        await sql`SELECT clew.found_exchanges('{''plighthous''}'::tsquery[], '{''tx''}'::tsquery[], '{}', '{}',
      ${people}::integer[], '{100}')`;
      const common =
        await sql`SELECT clew.found_exchanges('{''plighthous''}'::tsquery[], '{''tx''}'::tsquery[], '{}', '{}',
      ${people}::integer[], '{0}')`;
      const [counted] = await sql<{ count: number }[]>`SELECT clew.count_documents('''lighthouse'''::tsquery,
      ${people}::integer[], null, null, null, null, null, 100) AS count`;
      assert.equal(documents.length, counted?.count);
      assert.equal(documents.length, phrases.length);
      assert.equal(documents.length, exchanges.length);
      assert.equal(documents.length, common.length);
      return documents.length;
    };
    assert.equal(await direct(), 1);

    const found = hitsOf(ada, 'lighthouse', '--everyone');
    assert.deepEqual(found.map(({ person, snippet }) => [person, snippet]).sort(), [
      ['ada', 'ada asks about the lighthouse'],
      ['bob', 'bobby asks about the lighthouse'],
      ['lea', 'leanna asks about the lighthouse'],
    ]);
    assert.equal(readings(), 'ada|find|everyone|--everyone: lighthouse\n');
    assert.deepEqual(
      hitsOf(ada, 'lighthouse', '--person', 'bob').map(({ person }) => person),
      ['bob'],
    );
    assert.equal(readings().split('\n')[1], 'ada|find|everyone|--person bob: lighthouse');
    assert.equal(await direct(), 3);

    // The announcement is of one reader, and of one minute.
    assert.deepEqual(
      hitsOf(bob, 'lighthouse').map(({ snippet }) => snippet),
      ['bobby asks about the lighthouse'],
    );
    store.server.run("UPDATE clew.readings SET at = at - interval '2 minutes'");
    assert.equal(await direct(), 1);

    const refused = runClew(['find', 'lighthouse', '--store', '--everyone'], { env: lea.env });
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, /your role may not read what others said/);
    assert.equal(readings().trim().split('\n').length, 2);
    const unknown = runClew(['find', 'lighthouse', '--store', '--person', 'nobody'], { env: ada.env });
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /the store has no person "nobody"/);
  },
);

test('an announcement that was rolled back shows nothing', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer', bob: 'developer' });
  const bob = machineOf(context, store.addressOf('bob'), {
    files: {
      '-home-dev-light/00000001-0000-4000-8000-000000000001.jsonl': sessionText([user('the lighthouse')], {
        sessionId: '00000001-0000-4000-8000-000000000001',
        cwd: '/home/dev/light',
      }),
    },
  });
  bob.share({ level: 'text' });
  assert.equal(runClew(['push'], { env: bob.env }).status, 0);
  const sql = await connect(store.addressOf('ada'));
  context.after(() => sql.end());
  const found = (transaction: typeof sql) => transaction`
    SELECT clew.found_documents('''lighthouse'''::tsquery, '{}', '{}', (SELECT array_agg(person) FROM clew.people),
      null, null, null, null, null, 100)`;
  const rolledBack = sql.begin(async (transaction) => {
    await transaction`SELECT clew.announce_reading('find', NULL, NULL, 'lighthouse')`;
    assert.equal((await found(transaction as unknown as typeof sql)).length, 0);
    throw new Error('rolled back');
  });
  await assert.rejects(rolledBack, /rolled back/);
  assert.equal((await found(sql)).length, 0);
  assert.equal(store.server.run('SELECT count(*) FROM clew.readings'), '0\n');
  await sql`SELECT clew.announce_reading('find', NULL, NULL, 'lighthouse')`;
  assert.equal((await found(sql)).length, 1);
});
