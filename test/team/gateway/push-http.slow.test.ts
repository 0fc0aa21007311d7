// Pushes through the gateway: the same rows, answers and errors as into the database itself, and nothing from a request that
// is malformed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { PushTarget, SessionRows } from '../../../src/team/contract/index.ts';
import { connect, DatabaseTarget, isPassing, storeError } from '../../../src/team/database/index.ts';
import { HttpTarget } from '../../../src/team/gateway/index.ts';
import { writeSession } from '../../../src/team/gateway/push/index.ts';
import { startFakeProxy } from '../../support/fake-proxy.ts';
import { type GatewayStore, startGatewayProcess, startGatewayStore } from '../../support/gateway-kit.ts';
import { noPostgres } from '../../support/postgres.ts';
import { sampleSession } from './sample-session.ts';

const skip = noPostgres;
const tables = ['sessions', 'cells', 'calls', 'prompts', 'titles', 'call_paths', 'documents', 'exchanges', 'packs'];
const more = ['usage_days', 'tombstones', 'machines', 'opened'];

interface Setting {
  readonly store: GatewayStore;
  readonly url: string;
  /** Through the gateway, for the person. */
  targetOf(person: string): HttpTarget;
  stderr(): string;
}

async function start(context: TestContext, requestsPerSecond = 1_000): Promise<Setting> {
  const store = await startGatewayStore(context, ['ada', 'bob']);
  const gateway = await startGatewayProcess(context, {
    store: store.addressOf('gate'),
    destinations: [],
    requestsPerSecond,
  });
  const targetOf = (person: string): HttpTarget =>
    new HttpTarget({ address: gateway.url, key: store.keys[person], env: {} });
  return { store, url: gateway.url, targetOf, stderr: gateway.stderr };
}

/** Every row of the tables, without what differs between two pushes: who, when and in which transaction. */
function rowsOf({ server }: GatewayStore, person: string): string {
  return [...tables, ...more]
    .map((table) =>
      server.run(`SELECT '${table}', to_jsonb(x) - 'person' - 'pushed_at' - 'xact' - 'at' AS row FROM clew.${table} x
        WHERE person = (SELECT person FROM clew.people WHERE name = '${person}') ORDER BY 2`),
    )
    .join('');
}

test('a push over HTTP gives the same rows and answers as one over SQL', { skip }, async (context) => {
  const { store, targetOf } = await start(context);
  store.server.run(`CREATE ROLE cleo LOGIN; GRANT clew_developer TO cleo;
    INSERT INTO clew.people (tenant, name, login) SELECT tenant, 'cleo', 'cleo' FROM clew.tenants`);
  const sql = new DatabaseTarget(await connect(store.addressOf('cleo')));
  context.after(() => sql.close());
  const session = sampleSession();
  const changed = { ...sampleSession('s1', 'key 2'), documents: [] };
  const elsewhere = { ...session, head: { ...session.head, machine: 'desktop', contentKey: 'key 3' } };
  const lower: SessionRows = {
    ...session,
    head: { ...session.head, level: 1, contentKey: 'key 4', rules: null },
    ...{ titles: [], callPaths: [], documents: [], exchanges: [], packs: [] },
  };
  // One of the words of a text is the number of its person.
  const rowsOfAnyone = (person: string): string => rowsOf(store, person).replace(/'@\d+'/g, "'@'");
  const play = async (target: PushTarget): Promise<unknown> => [
    { ...(await target.hello('laptop')), person: '' },
    await target.push(session),
    await target.push(session),
    await target.push(sampleSession('s2', 'k')),
    await target.push(sampleSession('s3', 'k')),
    await target.push(changed),
    await target.push(elsewhere),
    await target.remove('s2', 'removed', 'laptop'),
    await target.push(sampleSession('s2', 'again')),
    await target.goodbye('laptop', 'digest 1'),
    (await target.hello('laptop')).digest,
  ];
  assert.deepEqual(await play(targetOf('ada')), await play(sql));
  assert.equal(rowsOfAnyone('ada'), rowsOfAnyone('cleo'));
  for (const table of tables) assert.match(rowsOf(store, 'ada'), new RegExp(`^${table}\\|.*"s3"`, 'm'));
  assert.deepEqual(await targetOf('ada').push(lower), await sql.push(lower));
  assert.equal(rowsOfAnyone('ada'), rowsOfAnyone('cleo'));
});

test('errors of the store have the code that they have over SQL', { skip }, async (context) => {
  const { store, targetOf, url } = await start(context);
  store.server.run('UPDATE clew.tenants SET most_level = 1');
  const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;
  await assert.rejects(targetOf('ada').push(sampleSession()), (error) => {
    assert.equal(codeOf(error), 'CL002');
    assert.match(String(storeError(error, url)), /the store asks for less/);
    return !isPassing(error);
  });
  store.server.run('UPDATE clew.tenants SET most_level = 4');
  const target = targetOf('ada');
  await target.push(sampleSession());
  store.server.stop('immediate');
  await assert.rejects(target.hello('laptop'), isPassing);
  await assert.rejects(target.push(sampleSession('s2')), isPassing);
  store.server.start();
  // What a push does after an error that passes.
  let answer: unknown;
  for (let tries = 0; answer === undefined && tries < 50; tries++)
    answer = await target.push(sampleSession()).catch((error: unknown) => assert.ok(isPassing(error)));
  assert.deepEqual(answer, { state: 'same' });
  assert.equal(store.server.run('SELECT count(*) FROM clew.sessions'), '1\n');
  const nobody = new HttpTarget({ address: 'http://127.0.0.1:9', key: 'clew_gw_x', env: {} });
  await assert.rejects(nobody.hello('laptop'), isPassing);
  const stranger = new HttpTarget({ address: url, key: `clew_gw_${'x'.repeat(43)}`, env: {} });
  await assert.rejects(stranger.hello('laptop'), /does not accept the key/);
  assert.throws(() => new HttpTarget({ address: 'http://gateway.example', key: 'k', env: {} }), /without encryption/);
  assert.throws(() => new HttpTarget({ address: 'https://gateway.example', key: undefined, env: {} }), /no key/);
});

test('a push goes through a proxy, also a large one', { skip }, async (context) => {
  const { store, url } = await start(context);
  const proxy = await startFakeProxy(context);
  const target = new HttpTarget({ address: url, key: store.keys.ada, env: { http_proxy: proxy.url } });
  const [document] = sampleSession().documents;
  assert.ok(document);
  // Half a megabyte after compression.
  const documents = Array.from({ length: 3_000 }, (_, line) => ({
    ...document,
    line,
    text: `${line} ${Buffer.from(`${line * 7919}`.repeat(40)).toString('base64')} ${Math.sin(line)}`,
  }));
  assert.deepEqual(await target.push({ ...sampleSession(), documents }), { state: 'open' });
  assert.deepEqual(proxy.asked, [`POST ${url}/v1/store/push`]);
  assert.equal(store.server.run('SELECT count(*) FROM clew.documents'), '3000\n');
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function postLines(url: string, key: string | undefined, lines: readonly string[] | Buffer): Promise<Answer> {
  const body = Buffer.isBuffer(lines) ? lines : gzipSync(lines.map((line) => `${line}\n`).join(''));
  const response = await fetch(`${url}/v1/store/push`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-encoding': 'gzip' },
    body: new Uint8Array(body),
  });
  return { status: response.status, body: await response.text() };
}

/** Values that a column does not take. */
const hostile: readonly unknown[] = [
  ...[-1, 0.5, 1e308, 2 ** 31, 2 ** 53, '1', '', 'NaN', null, true, {}, [], [1], { a: 1 }],
  ...['\\.', '\\N', '\t', '\n\\.\nDROP', "'); DROP TABLE clew.sessions; --", '../../x', '2026-13-01', '0001-01-01'],
  ...['2019-12-01', '2099-01-01', '9999-12-01', 'infinity', 'x'.repeat(5_000), '\0', '\ud800', '__proto__'],
];

test('malformed pushes change nothing and get 400 with a reason in one line', { skip }, async (context) => {
  const { store, url, targetOf, stderr } = await start(context);
  await targetOf('bob').push(sampleSession('of bob'.replace(' ', '-')));
  await targetOf('ada').push(sampleSession());
  const before = `${rowsOf(store, 'ada')}${rowsOf(store, 'bob')}`;
  const written = [...writeSession(sampleSession('s9', 'key 9'))].map((line) => line.trimEnd());
  const key = store.keys.ada;
  const refused = async (lines: readonly string[] | Buffer, what: string): Promise<string> => {
    const { status, body } = await postLines(url, key, lines);
    assert.equal(status, 400, `${what}: ${status} ${body}`);
    const { message } = JSON.parse(body) as { readonly message: string };
    assert.match(message, /^[^\n]{5,200}$/, what);
    return message;
  };
  let tried = 0;
  let accepted = 0;
  // Every member of every row, with every value; a value that the column takes is accepted, and taken out again.
  for (const [at, line] of written.slice(0, -1).entries()) {
    const value = JSON.parse(line) as { head: Record<string, unknown> } | [string, Record<string, unknown>];
    const row = Array.isArray(value) ? value[1] : value.head;
    for (const name of Object.keys(row)) {
      const missing = { ...row };
      delete missing[name];
      const optional = ['continues', 'tombstone', 'raises'].includes(name);
      const variants = optional ? [] : [missing];
      const picked = fc.sample(fc.constantFrom(...hostile), { seed: at * 100 + name.length, numRuns: 4 });
      for (const each of [...variants, ...picked.map((wrong) => ({ ...row, [name]: wrong }))]) {
        const changed = JSON.stringify(Array.isArray(value) ? [value[0], each] : { ...value, head: each });
        const lines = written.with(at, changed);
        const answer = await postLines(url, key, lines);
        tried++;
        if (answer.status === 200) {
          accepted++;
          // It was a value that the column takes: it must be readable as such, and is taken out again.
          assert.match(answer.body, /"state":"(open|same|blocked)"/);
          store.server.run(`DELETE FROM clew.tombstones; SELECT clew.remove_rows(tenant, person, session_id, months, 0::smallint)
            FROM clew.sessions WHERE session_id NOT IN ('s1', 'of-bob')`);
        } else {
          assert.equal(answer.status, 400, `${name}: ${answer.status} ${answer.body} ${changed.slice(0, 300)}`);
          assert.match((JSON.parse(answer.body) as { readonly message: string }).message, /^[^\n]{5,200}$/);
        }
      }
    }
  }
  assert.ok(tried > 250 && tried - accepted > 150, `${tried} tried, ${accepted} accepted`);
  const withRow = (line: string, change: (row: Record<string, unknown>) => void): readonly string[] =>
    written.map((each) => {
      if (!each.startsWith(line)) return each;
      const value = JSON.parse(each) as [string, Record<string, unknown>] | { head: Record<string, unknown> };
      change(Array.isArray(value) ? value[1] : value.head);
      return JSON.stringify(value);
    });
  const extra = { sessionId: 'of-bob', session_id: 'of-bob', person: 2, tenant: 1 };
  for (const [name, value] of Object.entries(extra)) {
    await refused(
      withRow('["cells"', (row) => Object.assign(row, { [name]: value })),
      `cells ${name}`,
    );
    if (name !== 'sessionId')
      await refused(
        withRow('{"form"', (row) => Object.assign(row, { [name]: value })),
        name,
      );
  }
  await refused(
    withRow('{"form"', (row) => Object.assign(row, { sessionId: 'of-bob@x' })),
    'not of its base',
  );
  await refused(
    withRow('["packs"', (row) => Object.assign(row, { nth: 0, chunk: 0, isOriginal: true })),
    'twice',
  );
  await refused(
    withRow('{"form"', (row) => Object.assign(row, { level: 3 })),
    'original files below their level',
  );
  await refused(
    withRow('{"form"', (row) => Object.assign(row, { months: ['2026-03-01'] })),
    'a month without a name',
  );
  await refused(written.slice(0, -1), 'cut off');
  await refused([], 'empty');
  await refused(['not json'], 'no JSON');
  await refused([`[${'['.repeat(50_000)}`], 'deep');
  await refused(Buffer.from('no gzip'), 'no gzip');
  const zipped = gzipSync(written.join('\n'));
  await refused(zipped.subarray(0, -20), 'gzip cut off');
  assert.ok(gunzipSync(zipped).length > 100);
  const after = `${rowsOf(store, 'ada')}${rowsOf(store, 'bob')}`;
  assert.equal(
    after.replaceAll(/^(?:opened|usage_days).*\n/gm, ''),
    before.replaceAll(/^(?:opened|usage_days).*\n/gm, ''),
  );
  assert.deepEqual(stderr(), '');
  context.diagnostic(`${tried} changed rows: ${tried - accepted} refused, ${accepted} accepted as valid values`);
});

test('the session of another with the same id stays as it is', { skip }, async (context) => {
  const { store, targetOf } = await start(context);
  await targetOf('bob').push(sampleSession());
  const before = rowsOf(store, 'bob');
  const other = sampleSession('s1', 'of ada');
  assert.deepEqual(await targetOf('ada').push(other), { state: 'open' });
  assert.deepEqual(await targetOf('ada').remove('s1', 'removed', 'laptop'), { state: 'removed', sessions: 1 });
  assert.equal(rowsOf(store, 'bob'), before);
});

test('without a valid key nothing is read, and a body that is too large is refused', { skip }, async (context) => {
  const { store, url } = await start(context);
  for (const key of [undefined, '', 'x', `clew_gw_${'x'.repeat(43)}`, `${store.keys.ada}x`])
    assert.equal((await postLines(url, key, [])).status, 401);
  const large = await postLines(url, store.keys.ada, gzipSync(Buffer.alloc(300_000_000, ' ')));
  assert.equal(large.status, 413);
  const sent = request(`${url}/v1/store/push`, {
    method: 'POST',
    headers: { authorization: `Bearer ${store.keys.ada}`, 'content-length': 1e12 },
  });
  sent.write('x');
  const [response] = (await once(sent, 'response')) as [{ readonly statusCode: number }];
  assert.equal(response.statusCode, 413);
  sent.destroy();
});

test('too many requests of one person are refused, and those of others are not', { skip }, async (context) => {
  const { targetOf } = await start(context, 1);
  const [ada, bob] = [targetOf('ada'), targetOf('bob')];
  const many = await Promise.allSettled(Array.from({ length: 30 }, () => ada.hello('laptop')));
  const failed = many.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  assert.ok(failed.length >= 10 && failed.every(isPassing));
  assert.equal((await bob.hello('laptop')).person, 'bob');
});
