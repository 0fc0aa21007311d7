// The verdicts of doctor are the same on every page, after a restart of the server, and in the terminal.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { keyParam, readJson } from '../../../src/web/client/client.ts';
import { runClew } from '../../support/clew.ts';
import { sessionId as plainId, transcript } from '../../support/transcript-builder.ts';
import { openWebServer } from '../../support/web-server.ts';
import { age, damagedId, expiringId, pageLibrary } from '../page-library.ts';

test('only examined sessions have verdicts', async (context) => {
  const server = await openWebServer(context, pageLibrary());
  const { client } = server;
  age(server.root, expiringId, 29);
  await server.isCurrent();
  const count = async (only: 'damaged' | 'unexamined'): Promise<number> =>
    (await readJson(client.sessions.$get({ query: { only } }))).total;
  const all = (await readJson(client.sessions.$get())).total;
  assert.equal(await count('unexamined'), all);

  const events = server.listen('/api/events');
  await events.next('hello');
  await readJson(client.doctor.$post({ json: {} }));
  await events.next('doctor', ({ state }) => state === 'done');
  assert.equal(await count('unexamined'), 0);
  assert.deepEqual((await readJson(client.doctor.$get())).unread, []);
  const severities = new Map((await readJson(client.sessions.$get())).rows.map(({ id, severity }) => [id, severity]));
  assert.ok(['fatal', 'loss'].includes(severities.get(damagedId) ?? ''));

  const env = { CLEW_HOME: server.state, CLEW_ROOTS: server.root };
  const listed = JSON.parse(runClew(['ls', '--json'], { env }).stdout) as {
    sessionId: string;
    health: string | null;
  }[];
  const said = JSON.parse(runClew(['doctor', '--all', '--json'], { env }).stdout) as {
    sessions: { sessionId: string; severity: string | null }[];
  };
  assert.deepEqual(
    new Map(listed.map(({ sessionId, health }) => [sessionId, health])),
    new Map(said.sessions.map(({ sessionId, severity }) => [sessionId, severity ?? 'sound'])),
  );
});

test('a restarted server keeps the verdicts', async (context) => {
  const server = await openWebServer(context, {
    [`-p/${plainId}.jsonl`]: transcript().user('a').assistant('b').text(),
  });
  const env = { CLEW_HOME: server.state, CLEW_ROOTS: server.root };
  await server.isCurrent();
  assert.equal((await readJson(server.client.sessions.$get({ query: { only: 'unexamined' } }))).total, 1);
  assert.equal(runClew(['doctor', '--all'], { env }).status, 0);
  const again = await openWebServer(context, {}, { roots: [server.root], state: server.state });
  await again.isCurrent();
  assert.deepEqual(
    (await readJson(again.client.sessions.$get())).rows.map(({ id, severity }) => [id, severity]),
    [[plainId, 'sound']],
  );
});

test('a session about to be deleted has this finding on its page, as in the terminal', async (context) => {
  const server = await openWebServer(context, pageLibrary());
  age(server.root, expiringId, 29);
  await server.isCurrent();
  const { findings } = await readJson(server.client.sessions[':key'].doctor.$get({ param: keyParam(expiringId) }));
  const file = path.join(server.root, 'projects/-home-dev-mill', `${expiringId}.jsonl`);
  const { stdout } = runClew(['doctor', file, '--json'], { env: { CLEW_ROOTS: server.root } });
  const codes = (JSON.parse(stdout) as { findings: { code: string }[] }).findings.map(({ code }) => code);
  assert.ok(codes.includes('F-expiring'));
  assert.deepEqual(
    findings.map(({ code }) => code),
    codes,
  );
});
