// Actions on several sessions, two at once, on a session that runs, and without permission.
import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { keyParam, readJson } from '../../src/web/client/client.ts';
import { type ActionName, type ActionOptions, actionNames } from '../../src/web/wire/actions.ts';
import { contentsOf } from '../support/surgery-kit.ts';
import { transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';

const ids = [1, 2, 3].map((n) => `${String(n).repeat(8)}-1111-4111-a111-111111111111`);

async function openMill(context: TestContext, allowsChanges = true): Promise<WebServer> {
  const files = ids.map((id) => [
    `-home-kim-mill/${id}.jsonl`,
    transcript({ sessionId: id, cwd: '/home/kim/mill' }).user('grind').assistant('ground').text(),
  ]);
  const server = await openWebServer(context, Object.fromEntries(files), { allowsChanges });
  makeOld(server.root);
  if (allowsChanges) await readJson(server.client.changes.$post({ json: {} }));
  return server;
}

/** Sessions that were just written to are not deleted. */
function makeOld(root: string): void {
  for (const id of ids)
    utimesSync(path.join(root, 'projects/-home-kim-mill', `${id}.jsonl`), 1_700_000_000, 1_700_000_000);
}

async function planMany({ client }: WebServer, action: ActionName, options: ActionOptions, keys = ids) {
  const { sessions } = await readJson(
    client.actions[':action'].preview.$post({ param: { action }, json: { keys, options } }),
  );
  return sessions.map(({ key, ...found }) => {
    assert.ok('preview' in found, JSON.stringify(found));
    return { key, fingerprint: found.preview.fingerprint };
  });
}

test('an action on three sessions has one undo for all', async (context) => {
  const server = await openMill(context);
  for (const [action, options] of [
    ['star', {}],
    ['tag', { tag: 'rye' }],
    ['archive', {}],
    ['delete', {}],
  ] as const)
    await context.test(action, () => isUndoneAtOnce(server, action, options));
});

async function isUndoneAtOnce(server: WebServer, action: ActionName, options: ActionOptions): Promise<void> {
  const { client, root } = server;
  makeOld(root);
  const before = contentsOf(root);
  const sessions = await planMany(server, action, options);
  assert.deepEqual(contentsOf(root), before);
  const done = await readJson(client.actions[':action'].$post({ param: { action }, json: { options, sessions } }));
  assert.deepEqual(
    done.sessions.map(({ key, failure }) => [key, failure]),
    ids.map((id) => [id, null]),
  );
  const isSame = action === 'star' || action === 'archive';
  assert.equal(JSON.stringify([...contentsOf(root)]) === JSON.stringify([...before]), isSame);
  assert.ok(done.operation !== null);
  const undone = await readJson(client.operations[':id'].undo.$post({ param: { id: done.operation }, json: {} }));
  assert.deepEqual([undone.state, undone.from.length], ['undone', 3]);
  assert.deepEqual(contentsOf(root), before);
  const operations = await readJson(client.operations.$get());
  assert.ok(operations.length >= 3 && operations.every(({ state }) => state === 'undone'));
}

test('a session that fails does not stop the others, and its reason is given', async (context) => {
  const server = await openMill(context);
  const sessions = await planMany(server, 'tag', { tag: 'rye' });
  const [first, ...rest] = sessions;
  assert.ok(first !== undefined);
  const stale = { ...first, fingerprint: '0'.repeat(32) };
  const json = { options: { tag: 'rye' }, sessions: [stale, ...rest] };
  const done = await readJson(server.client.actions[':action'].$post({ param: { action: 'tag' }, json }));
  assert.deepEqual(
    done.sessions.map(({ failure }) => failure?.status ?? 200),
    [409, 200, 200],
  );
});

test('of two changes of one session at once, one is refused and nothing is lost', async (context) => {
  const server = await openMill(context);
  const { client } = server;
  const [key = ''] = ids;
  const param = { ...keyParam(key), action: 'rename' };
  const json = async (title: string) => {
    const options = { title };
    const { fingerprint } = await readJson(client.sessions[':key'].actions[':action'].$get({ param, query: options }));
    return { options, fingerprint };
  };
  const [one, two] = [await json('rye'), await json('oats')];
  const both = await Promise.allSettled(
    [one, two].map((body) => readJson(client.sessions[':key'].actions[':action'].$post({ param, json: body }))),
  );
  assert.deepEqual(
    both.map((each) => (each.status === 'fulfilled' ? 200 : each.reason.status)),
    [200, 409],
  );
  assert.equal((await readJson(client.operations.$get())).length, 1);
});

test('a session that a client runs is refused as in the terminal', async (context) => {
  const server = await openMill(context);
  const { client, root } = server;
  const [key = ''] = ids;
  mkdirSync(path.join(root, 'sessions'));
  writeFileSync(path.join(root, 'sessions', `${process.pid}.json`), JSON.stringify({ sessionId: key }));
  const before = contentsOf(path.join(root, 'projects'));
  for (const [action, query] of [
    ['rename', { title: 'rye' }],
    ['delete', {}],
  ] as const) {
    const asked = readJson(
      client.sessions[':key'].actions[':action'].$get({ param: { ...keyParam(key), action }, query }),
    );
    await assert.rejects(asked, ({ status, message, next }) => {
      assert.match(message, /is in use: Claude Code runs it as process \d+$/);
      assert.deepEqual([status, next], [409, 'end it there and run it again']);
      return true;
    });
  }
  assert.deepEqual(contentsOf(path.join(root, 'projects')), before);
});

test('no change is made without the token, the origin, JSON, the flag or a fingerprint', async (context) => {
  const server = await openMill(context);
  const readOnly = await openMill(context, false);
  const before = contentsOf(server.root);
  const [key = ''] = ids;
  const json = { origin: server.base, 'content-type': 'application/json' };
  const body = JSON.stringify({ options: {}, fingerprint: '0'.repeat(32) });
  for (const action of actionNames) {
    const single = { path: `/api/sessions/${key}/actions/${action}`, method: 'POST', body };
    const statuses = [
      (await server.send({ ...single, headers: json, knowsToken: false })).status,
      (await server.send({ ...single, headers: { 'content-type': 'application/json' } })).status,
      (await server.send({ ...single, headers: { ...json, origin: 'http://evil.example' } })).status,
      (await server.send({ ...single, headers: { origin: server.base } })).status,
      (await server.send({ ...single, headers: json, body: '{"options":{}}' })).status,
      (await readOnly.send({ ...single, headers: { ...json, origin: readOnly.base } })).status,
    ];
    assert.deepEqual(statuses, [401, 403, 403, 415, 400, 403], action);
    const many = { path: `/api/actions/${action}`, method: 'POST' };
    const sessions = [{ key, fingerprint: '0'.repeat(32) }];
    const refused = await readOnly.send({
      ...many,
      headers: { ...json, origin: readOnly.base },
      body: JSON.stringify({ options: {}, sessions }),
    });
    assert.equal(refused.status, 403);
    assert.equal((await server.send({ ...many, headers: json, knowsToken: false, body: '{}' })).status, 401);
  }
  assert.deepEqual(contentsOf(server.root), before);
  assert.deepEqual(await readJson(server.client.operations.$get()), []);
});

test('options that an action does not take, or that are missing, are refused with their name', async (context) => {
  const server = await openMill(context, false);
  const [key = ''] = ids;
  const status = async (rest: string): Promise<readonly [number, string]> => {
    const answer = await server.send({ path: `/api/sessions/${key}/actions/${rest}` });
    return [answer.status, JSON.parse(answer.body).error];
  };
  assert.deepEqual(await status('fork?tools=Bash'), [400, '"tools": fork has no such option']);
  assert.deepEqual(await status('rename'), [400, '"title": rename needs it']);
  assert.deepEqual(await status('strip?keepLast=1'), [400, 'choose what to strip']);
  assert.deepEqual(await status('explode'), [404, 'there is no action "explode"']);
  assert.equal((await status('fork?at=99'))[0], 400);
});
