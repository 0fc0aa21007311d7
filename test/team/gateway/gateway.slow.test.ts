// The gateway as its users meet it: keys, encodings, secrets, refusals, the command.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { connect } from '../../../src/team/database/index.ts';
import { revokeKeys } from '../../../src/team/gateway/index.ts';
import {
  type CountingReceiver,
  type GatewayStore,
  type RunningGateway,
  startCountingReceiver,
  startGatewayProcess,
  startGatewayStore,
  traceJson,
  untilForwarded,
} from '../../support/gateway-kit.ts';
import { projectRoot } from '../../support/paths.ts';
import { noPostgres } from '../../support/postgres.ts';
import { startClew } from '../../support/running-clew.ts';
import { waitFor } from '../../support/wait.ts';
import { officialType, post } from '../../trace/otlp-receiver.ts';

const skip = noPostgres;
const token = ['ghp', 'k3Vn8Zq1Xw6Tb4Rm9Lc2Yd7Hs5Jf0PgUaEo1'].join('_');
const password = ['tr0ub4dor', 'correct', '9x'].join('-');
const id = (n: number): string => n.toString(16).padStart(16, '0');

interface Setting {
  readonly store: GatewayStore;
  readonly receiver: CountingReceiver;
  readonly gateways: readonly RunningGateway[];
}

async function start(
  context: TestContext,
  answer?: Parameters<typeof startCountingReceiver>[1],
  format = 'protobuf',
): Promise<Setting> {
  const store = await startGatewayStore(context, ['ada', 'bob']);
  const receiver = await startCountingReceiver(context, answer);
  const destinations = [{ name: 'one', endpoint: receiver.url, format }];
  const task = { store: store.addressOf('gate'), destinations };
  const gateways = [await startGatewayProcess(context, task), await startGatewayProcess(context, task)];
  return { store, receiver, gateways };
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: Headers;
}

async function send(
  { url }: Pick<RunningGateway, 'url'> | { readonly url: string },
  key: string | undefined,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()), headers: response.headers };
}

/** The only child of an instance. */
function forwardingProcessOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
}

const protobuf = { 'content-type': 'application/x-protobuf' };

/** The official encoder's bytes. */
function officialRequest(json: string): Buffer {
  const type = officialType('ExportTraceServiceRequest');
  const value = JSON.parse(json, (key, each) =>
    /^(?:trace|span|parentSpan)Id$/.test(key) ? Buffer.from(each, 'hex') : each,
  );
  return Buffer.from(type.encode(type.fromObject(value)).finish());
}

test(
  'JSON and protobuf, plain and compressed, are taken; a retry of a sender is recognised, by any instance',
  { skip },
  async (context) => {
    const { store, receiver, gateways } = await start(context);
    const [first, second] = gateways as [RunningGateway, RunningGateway];
    const key = store.keys.ada;
    const json = traceJson([id(1), id(2)]);
    const binary = officialRequest(traceJson([id(3)]));
    const response = officialType('ExportTraceServiceResponse');
    for (const gateway of [first, second, first]) {
      assert.deepEqual((await send(gateway, key, json)).body.toString(), '{}');
      assert.equal((await send(gateway, key, gzipSync(json), { 'content-encoding': 'gzip' })).status, 200);
      const answer = await send(gateway, key, binary, protobuf);
      assert.equal(answer.headers.get('content-type'), 'application/x-protobuf');
      assert.deepEqual(response.toObject(response.decode(answer.body)), {});
      // Some are known, one is new.
      assert.equal((await send(gateway, key, traceJson([id(1), id(3), id(4)]))).status, 200);
    }
    const both = await Promise.all(gateways.map((gateway) => send(gateway, key, traceJson([id(5)]))));
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    );
    await untilForwarded(store);
    assert.deepEqual(receiver.spans.map(({ spanId }) => spanId).sort(), [1, 2, 3, 4, 5].map(id));
  },
);

test('spans without valid ids are rejected in a partial success', { skip }, async (context) => {
  const { store, receiver, gateways } = await start(context);
  const [gateway] = gateways as [RunningGateway];
  const json = traceJson([id(1), id(0), 'abcd']);
  const answer = JSON.parse((await send(gateway, store.keys.ada, json)).body.toString());
  assert.equal(answer.partialSuccess.rejectedSpans, '2');
  const binary = await send(gateway, store.keys.ada, officialRequest(json), protobuf);
  const response = officialType('ExportTraceServiceResponse');
  const read = response.toObject(response.decode(binary.body), { longs: String });
  assert.equal(read.partialSuccess.rejectedSpans, '2');
  await untilForwarded(store);
  assert.deepEqual(
    receiver.spans.map(({ spanId }) => spanId),
    [id(1)],
  );
});

test(
  'no secret reaches the server, a table or the log, and a forged person is overwritten',
  { skip },
  async (context) => {
    const { store, receiver, gateways } = await start(context, undefined, 'json');
    const [gateway] = gateways as [RunningGateway];
    const attributes = [
      { key: 'input.value', value: { stringValue: `curl -H "Authorization: Bearer ${token}"` } },
      { key: 'db.password', value: { stringValue: password } },
      { key: 'user.id', value: { stringValue: 'bob' } },
      { key: 'clew.person', value: { stringValue: 'bob' } },
      { key: 'CLEW.Person', value: { stringValue: 'bob' } },
      { key: 'langfuse.user.id', value: { stringValue: 'bob' } },
    ];
    assert.equal((await send(gateway, store.keys.ada, traceJson([id(1)], attributes))).status, 200);
    assert.equal(
      (await send(gateway, store.keys.ada, traceJson([id(2)], attributes).replace('"kind":1', `"kind":"${token}"`)))
        .status,
      400,
    );
    await untilForwarded(store);
    assert.deepEqual(receiver.spans[0]?.attributes, {
      'session.id': 's',
      'input.value': 'curl -H "Authorization: Bearer [redacted:github-token:1]"',
      'db.password': '[redacted:named-secret:1]',
      'user.id': 'ada',
      'clew.team': 'acme',
      'clew.person': 'ada',
      'clew.groups': ['all', 'of ada'],
    });
    const tables = store.server.run("SELECT tablename FROM pg_tables WHERE schemaname = 'clew'").trim().split('\n');
    const dump = tables.map((table) => store.server.run(`SELECT t::text FROM clew.${table} t`)).join('\n');
    const hex = (text: string): string => Buffer.from(text).toString('hex');
    for (const secret of [token, password, store.keys.ada ?? '', hex(token), hex(password)]) {
      assert.ok(!dump.includes(secret));
      assert.ok(!gateways.some(({ stderr }) => stderr().includes(secret)));
    }
    assert.ok(!receiver.bodies.some((body) => body.includes(token)));
  },
);

test('a key that is revoked is refused at once by both instances', { skip }, async (context) => {
  const { store, gateways } = await start(context);
  for (const gateway of gateways) assert.equal((await send(gateway, store.keys.ada, traceJson([id(1)]))).status, 200);
  const sql = await connect(store.server.address());
  assert.equal(await revokeKeys(sql, 'ada'), 1);
  for (const gateway of gateways) {
    assert.equal((await send(gateway, store.keys.ada, traceJson([id(2)]))).status, 401);
    assert.equal((await send(gateway, store.keys.bob, traceJson([id(3)]))).status, 200);
  }
  store.server.run("UPDATE clew.people SET forgotten_at = now() WHERE name = 'bob'");
  await sql.end();
  for (const gateway of gateways) assert.equal((await send(gateway, store.keys.bob, traceJson([id(4)]))).status, 401);
  // Whoever is forgotten has another name.
  const bob = Number(store.server.run("SELECT person FROM clew.people WHERE name = 'bob'"));
  const rowsOfBob = (): string =>
    ['keys', 'spans', 'batches']
      .map((table) => store.server.run(`SELECT count(*) FROM clew.gateway_${table} WHERE person = ${bob}`))
      .join('');
  assert.match(rowsOfBob(), /^1\n1\n/);
  store.server.run(`SELECT clew.forget(tenant, person) FROM clew.people WHERE person = ${bob}`);
  assert.equal(rowsOfBob(), '0\n0\n0\n');
});

test(
  'requests that cannot be read are refused with the status of OTLP, and nothing is stored',
  { skip },
  async (context) => {
    const { store, gateways } = await start(context);
    const [gateway] = gateways as [RunningGateway];
    const key = store.keys.ada;
    const cases: readonly (readonly [string | Buffer, Readonly<Record<string, string>>, number])[] = [
      ['{"resourceSpans":', {}, 400],
      [Buffer.from('ffff', 'hex'), protobuf, 400],
      ['x', { 'content-encoding': 'gzip' }, 400],
      ['x', { 'content-type': 'text/plain' }, 415],
      ['x', { 'content-encoding': 'br' }, 415],
      [Buffer.alloc(16_000_001), protobuf, 413],
      [gzipSync(Buffer.alloc(32_000_001)), { ...protobuf, 'content-encoding': 'gzip' }, 413],
    ];
    for (const [body, headers, status] of cases) assert.equal((await send(gateway, key, body, headers)).status, status);
    assert.equal((await send(gateway, key, '{}')).status, 200);
    const error = await post(`${gateway.url}/v1/traces`, Buffer.from('ffff', 'hex'), {
      ...protobuf,
      authorization: `Bearer ${key}`,
    });
    assert.equal(error.contentType, 'application/x-protobuf');
    assert.match(error.body.toString('latin1'), /^\x12.the request is/s);
    assert.equal(store.server.run('SELECT count(*) FROM clew.gateway_spans'), '0\n');
    const other = await fetch(`${gateway.url}/v1/metrics`, { method: 'POST', body: '{}' });
    assert.equal(other.status, 404);
  },
);

test(
  'what a server refuses is parked with its reason and sent again on request; what it rejects is counted',
  { skip },
  async (context) => {
    let isStrict = true;
    const partial = JSON.stringify({ partialSuccess: { rejectedSpans: '1', errorMessage: 'one is odd' } });
    const { store, receiver, gateways } = await start(context, () =>
      isStrict ? { status: 400, body: 'malformed spans' } : { status: 200, body: partial },
    );
    const [gateway] = gateways as [RunningGateway];
    assert.equal((await send(gateway, store.keys.ada, traceJson([id(1), id(2)]))).status, 200);
    const env = { CLEW_STORE: store.server.address() };
    const parked = (): string => store.server.run('SELECT stage, reason FROM clew.gateway_batches');
    await waitFor(() => parked() === 'parked|400 malformed spans\n');
    const status = await startClew(context, ['team', 'gateway', 'status'], env).prints(/retry/);
    assert.match(status, /refused +2 spans in 1 batch(es)?: 400 malformed spans/);
    const json = await startClew(context, ['team', 'gateway', 'status', '--json'], env).prints(/\]\n/);
    const names = Object.keys((JSON.parse(json) as readonly object[])[0] ?? {});
    const page = readFileSync(path.join(projectRoot, 'docs/json.md'), 'utf8');
    const [, listed = ''] = /^- `status`: an array; each with ([\s\S]+?)\n- /m.exec(page) ?? [];
    assert.deepEqual(names.sort(), [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort());
    isStrict = false;
    await startClew(context, ['team', 'gateway', 'retry'], env).prints(/1 batch sent again/);
    await untilForwarded(store);
    assert.equal(receiver.spans.length, 2);
    const counts = 'SELECT sent_spans, rejected_spans, last_error FROM clew.gateway_destinations';
    assert.match(store.server.run(counts), /^1\|1\|the server accepted a batch but rejected 1 spans: one is odd/);
  },
);

test(
  'an instance that is asked to stop finishes its requests, and leaves the rest to the other',
  { skip },
  async (context) => {
    const { store, receiver, gateways } = await start(context, () => ({ status: 200, delayMs: 1_500 }));
    const [first, second] = gateways as [RunningGateway, RunningGateway];
    for (let n = 1; n <= 20; n++) assert.equal((await send(first, store.keys.ada, traceJson([id(n)]))).status, 200);
    await waitFor(() => receiver.statuses.length > 2);
    const stopped = first.stop();
    await assert.rejects(async () => {
      for (;;) if ((await fetch(`${first.url}/healthz`)).status !== 200) throw new Error('unhealthy');
    });
    await stopped;
    assert.equal((await fetch(`${second.url}/healthz`)).status, 200);
    await untilForwarded(store);
    assert.deepEqual(
      receiver.spans.map(({ spanId }) => spanId).sort(),
      Array.from({ length: 20 }, (_, n) => id(n + 1)),
    );
    assert.equal(store.server.run('SELECT uncertain_batches FROM clew.gateway_destinations'), '0\n');
  },
);

test(
  'clew team gateway serves, makes keys and revokes them, and does not listen to others without a yes',
  { skip },
  async (context) => {
    const store = await startGatewayStore(context, ['ada']);
    const receiver = await startCountingReceiver(context);
    const owner = { CLEW_STORE: store.server.address() };
    const added = startClew(context, ['team', 'gateway', 'key', 'add', 'ada'], owner);
    const key = (await added.prints(/clew_gw_[\w-]{43}\n/)).trim();
    assert.ok(!added.stderr().includes(key));
    const listed = await startClew(context, ['team', 'gateway', 'key', 'list', '--json'], owner).prints(/\]\n/);
    const rows = JSON.parse(listed) as readonly {
      readonly key: number;
      readonly hint: string;
      readonly person: string;
    }[];
    assert.deepEqual(
      rows.map(({ person }) => person),
      ['ada', 'ada'],
    );
    assert.equal(rows[1]?.hint, key.slice(0, 12));
    const args = ['team', 'gateway', '--to', store.addressOf('gate'), '--forward', receiver.url];
    const running = startClew(context, [...args, '--listen', '127.0.0.1:0'], {});
    const url = /http:\S+:\d+/.exec(await running.prints(/listening at http:\S+:\d+;[\s\S]*127/))?.[0] ?? '';
    assert.equal((await send({ url }, key, traceJson([id(1)]))).status, 200);
    await untilForwarded(store);
    process.kill(forwardingProcessOf(running.pid), 'SIGKILL');
    await running.says(/the forwarding process ended \(SIGKILL\); another one is started/);
    assert.equal((await send({ url }, key, traceJson([id(3)]))).status, 200);
    await untilForwarded(store);
    assert.deepEqual(
      receiver.spans.map(({ attributes }) => attributes['clew.person']),
      ['ada', 'ada'],
    );
    await startClew(context, ['team', 'gateway', 'key', 'revoke', 'ada'], owner).prints(/ada: 2 keys revoked/);
    assert.equal((await send({ url }, key, traceJson([id(2)]))).status, 401);
    assert.deepEqual(await running.end('SIGTERM'), [0, null]);
    const refused = startClew(context, [...args, '--listen', '0.0.0.0:0'], {});
    await refused.says(/can be reached from other machines.*--host 0\.0\.0\.0/);
    const byHand = startClew(context, ['team', 'gateway', 'forward'], {});
    await byHand.says(/clew team gateway forward is started by the gateway; run clew team gateway/);
    const stranger = startClew(context, ['team', 'gateway', 'key', 'add', 'eve'], owner);
    await stranger.says(/the store does not know "eve"/);
    const notOwner = startClew(context, ['team', 'gateway', 'key', 'add', 'ada'], {
      CLEW_STORE: store.addressOf('gate'),
    });
    await notOwner.says(/this role may not do this/);
    assert.ok(!running.stderr().includes(key));
  },
);
