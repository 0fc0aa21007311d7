// The actions of the page over HTTP: the dry run changes nothing, the action needs permission and the fingerprint of the
// dry run, and its undo restores every byte.
import assert from 'node:assert/strict';
import { appendFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { keyParam, readJson } from '../../src/web/client/client.ts';
import type { ActionDone, ActionName, ActionOptions, ActionPreview } from '../../src/web/wire/actions.ts';
import type { SessionsQuery } from '../../src/web/wire/wire.ts';
import { contentsOf } from '../support/surgery-kit.ts';
import { sessionId, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';

const place = `-home-kim-mill/${sessionId}.jsonl`;
const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`;

function session(): string {
  const builder = transcript({ cwd: '/home/kim/mill' });
  for (let turn = 1; turn <= 4; turn++) {
    builder
      .user(`grind sack ${turn}`)
      .assistant([toolUse(`t${turn}`)])
      .user([toolResult(`t${turn}`)]);
    builder.assistant(`the token is ${secret}, sack ${turn} is ground`);
  }
  return builder.text();
}

async function openMill(context: TestContext, isConfirmed = true): Promise<WebServer> {
  const server = await openWebServer(context, { [place]: session() }, { allowsChanges: true });
  makeOld(server.root);
  if (isConfirmed) await readJson(server.client.changes.$post({ json: {} }));
  return server;
}

/** A session that was just written to is not deleted. */
function makeOld(root: string): void {
  utimesSync(path.join(root, 'projects', place), 1_700_000_000, 1_700_000_000);
}

function preview({ client }: WebServer, action: ActionName, query: ActionOptions): Promise<ActionPreview> {
  return readJson(
    client.sessions[':key'].actions[':action'].$get({ param: { ...keyParam(sessionId), action }, query }),
  );
}

function apply(
  { client }: WebServer,
  { action, fingerprint }: ActionPreview,
  options: ActionOptions,
): Promise<ActionDone> {
  const param = { ...keyParam(sessionId), action };
  return readJson(client.sessions[':key'].actions[':action'].$post({ param, json: { options, fingerprint } }));
}

const cases: readonly (readonly [ActionName, ActionOptions])[] = [
  ['star', {}],
  ['rename', { title: 'the mill' }],
  ['tag', { tag: 'review' }],
  ['fork', { at: '2' }],
  ['rewind', { at: '2' }],
  ['rewind', { at: '2', inPlace: true }],
  ['compress', { keepTurns: 1, inPlace: true }],
  ['redact', {}],
  ['redact', { inPlace: true }],
  ['strip', { tools: '', inPlace: true }],
  ['archive', {}],
  ['delete', {}],
];

test('the dry run of each action changes nothing, and undo restores every byte', async (context) => {
  const server = await openMill(context);
  for (const [action, options] of cases)
    await context.test(`${action} ${JSON.stringify(options)}`, () => isUndone(server, action, options));
});

async function isUndone(server: WebServer, action: ActionName, options: ActionOptions): Promise<void> {
  const { root, client } = server;
  makeOld(root);
  const before = contentsOf(root);
  const planned = await preview(server, action, options);
  assert.deepEqual([planned.key, planned.isNoop], [sessionId, false]);
  assert.deepEqual(contentsOf(root), before);
  const done = await apply(server, planned, options);
  assert.equal(done.action, action);
  if (action === 'star' || action === 'archive') assert.deepEqual(contentsOf(root), before);
  else assert.notDeepEqual(contentsOf(root), before);
  const undone = await readJson(client.operations[':id'].undo.$post({ param: { id: done.operation }, json: {} }));
  assert.equal(undone.state, 'undone');
  assert.deepEqual(contentsOf(root), before);
  assert.deepEqual(server.faults, []);
}

test('an action is refused if the session changed since the dry run', async (context) => {
  const server = await openMill(context);
  const planned = await preview(server, 'rename', { title: 'the mill' });
  const file = path.join(server.root, 'projects', place);
  appendFileSync(file, transcript().user('one more sack').text());
  const before = contentsOf(server.root);
  await assert.rejects(apply(server, planned, { title: 'the mill' }), { status: 409 });
  assert.deepEqual(contentsOf(server.root), before);
});

test('the fingerprint of one action does not allow another, nor other options', async (context) => {
  const server = await openMill(context);
  const before = contentsOf(server.root);
  const planned = await preview(server, 'rename', { title: 'the mill' });
  await assert.rejects(apply(server, planned, { title: 'another mill' }), { status: 409 });
  await assert.rejects(apply(server, { ...planned, action: 'fork' }, {}), { status: 409 });
  assert.deepEqual(contentsOf(server.root), before);
});

test('an action needs the flag and the confirmation of the user', async (context) => {
  const server = await openMill(context, false);
  const before = contentsOf(server.root);
  assert.equal((await readJson(server.client.status.$get())).changes, 'ask');
  const planned = await preview(server, 'fork', {});
  await assert.rejects(apply(server, planned, {}), { status: 403 });
  assert.deepEqual(contentsOf(server.root), before);
  assert.equal((await readJson(server.client.changes.$post({ json: {} }))).changes, 'allowed');
  assert.equal((await apply(server, planned, {})).to.length, 1);
});

test('a page cannot confirm changes that the server was not started for', async (context) => {
  const server = await openWebServer(context, { [place]: session() });
  assert.equal((await readJson(server.client.status.$get())).changes, 'off');
  await assert.rejects(readJson(server.client.changes.$post({ json: {} })), { status: 403 });
  const planned = await preview(server, 'fork', {});
  await assert.rejects(apply(server, planned, {}), { status: 403 });
  assert.equal((await readJson(server.client.status.$get())).changes, 'off');
});

test('a deleted session is listed as archived and read from the archive, until it is restored', async (context) => {
  const server = await openMill(context);
  const { client, root } = server;
  await server.isCurrent();
  const listed = async (query: SessionsQuery = {}) => (await readJson(client.sessions.$get({ query }))).rows;
  const before = contentsOf(root);
  const shown = await readJson(client.sessions[':key'].turns.$get({ param: keyParam(sessionId) }));
  await apply(server, await preview(server, 'delete', {}), {});
  assert.deepEqual([...contentsOf(root).keys()], []);
  await until(async () => (await listed()).length === 0);
  const [row] = await listed({ only: 'deleted' });
  assert.ok(row !== undefined);
  assert.deepEqual([row.key, row.isOnDisk, row.archived, row.expiresAt], [sessionId, false, 'current', null]);
  const read = await readJson(client.sessions[':key'].turns.$get({ param: keyParam(sessionId) }));
  assert.deepEqual(read.parts, shown.parts);
  assert.deepEqual([...contentsOf(root).keys()], []);
  await apply(server, await preview(server, 'restore', {}), {});
  assert.deepEqual(contentsOf(root), before);
  // Until the index has read it again, its copy counts as stale.
  await until(async () => (await listed()).some(({ isOnDisk, archived }) => isOnDisk && archived === 'current'));
  assert.equal((await listed()).length, 1);
  assert.deepEqual(await listed({ only: 'deleted' }), []);
  assert.deepEqual(server.faults, []);
});

/** The watcher notices changes of the disk soon. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isSo()); tries++) {
    assert.ok(tries < 3000, `it never happened: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
