// Lines written to a transcript reach the pages that show it.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { keyParam, readJson } from '../../../src/web/client/client.ts';
import type { AppendEvent } from '../../../src/web/wire/wire.ts';
import { sessionId, type TranscriptBuilder, transcript } from '../../support/transcript-builder.ts';
import { waitFor } from '../../support/wait.ts';
import { openWebServer, type WebServer } from '../../support/web-server.ts';

const other = '22222222-2222-4222-a222-222222222222';
const now = (): { timestamp: string } => ({ timestamp: new Date().toISOString() });

function fileOf({ root }: WebServer, id: string = sessionId): string {
  return path.join(root, 'projects/-p', `${id}.jsonl`);
}

/** The lines added to the builder since. */
function appendTo(server: WebServer, builder: TranscriptBuilder, known: number, id?: string): void {
  const lines = builder.entries.slice(known).map((entry) => `${JSON.stringify(entry)}\n`);
  appendFileSync(fileOf(server, id), lines.join(''));
}

test('an append reaches the pages that watch the session, with the first part that changed', async (context) => {
  const builder = transcript(now()).user('one').assistant('1').user('two').assistant('2');
  const server = await openWebServer(context, { [`-p/${sessionId}.jsonl`]: builder.text() });
  await server.isCurrent();
  const watching = server.listen(`/api/events?watch=${sessionId}`);
  const elsewhere = server.listen('/api/events');
  await Promise.all([watching.next('hello'), elsewhere.next('hello')]);
  await readJson(server.client.sessions[':key'].$get({ param: keyParam(sessionId) }));

  builder.call('t1').result('t1');
  appendTo(server, builder, 4);
  const first = await watching.next('append', ({ fromPart }) => fromPart === 1);
  assert.deepEqual([first.key, first.agentId, first.parts], [sessionId, null, 2]);

  builder.user('three').assistant('3');
  appendTo(server, builder, 6);
  const second = await watching.next('append', ({ parts }) => parts === 3);
  assert.equal(second.fromPart, 1);
  const { parts, version } = await readJson(
    server.client.sessions[':key'].turns.$get({ param: keyParam(sessionId), query: { from: second.fromPart } }),
  );
  assert.deepEqual(
    parts.map(({ prompt }) => prompt?.text.text),
    ['two', 'three'],
  );
  assert.equal(version, second.version);
  const row = await elsewhere.next('sessions', ({ changed }) => changed.some(({ turns }) => turns === 3));
  assert.equal(row.changed[0]?.isLive, true);
  assert.equal(
    elsewhere.events.some(({ name }) => name === 'append'),
    false,
  );
  assert.deepEqual(server.faults, []);
});

test('a session that switches branches or is replaced changes from part 0', async (context) => {
  const builder = transcript(now()).user('one').assistant('1').user('two').assistant('2');
  const server = await openWebServer(context, { [`-p/${sessionId}.jsonl`]: builder.text() });
  await server.isCurrent();
  const watching = server.listen(`/api/events?watch=${sessionId}`);
  await watching.next('hello');
  await readJson(server.client.sessions[':key'].$get({ param: keyParam(sessionId) }));
  builder.from('a1').user('another way').assistant('yes');
  appendTo(server, builder, 4);
  const branched = await watching.next('append', ({ parts }) => parts === 2);
  assert.deepEqual([branched.fromPart, branched.isReplaced], [0, false]);
  const heard = watching.events.length;
  writeFileSync(fileOf(server), transcript(now()).user('all new').assistant('indeed').text());
  await waitFor(() =>
    watching.events.slice(heard).some(({ name, value }) => name === 'append' && (value as AppendEvent).isReplaced),
  );
  assert.equal((await readJson(server.client.sessions[':key'].turns.$get({ param: keyParam(sessionId) }))).total, 1);
});

test('a half-written line is not sent', async (context) => {
  const builder = transcript(now()).user('one').assistant('1');
  const server = await openWebServer(context, { [`-p/${sessionId}.jsonl`]: builder.text() });
  await server.isCurrent();
  const watching = server.listen(`/api/events?watch=${sessionId}`);
  await watching.next('hello');
  await readJson(server.client.sessions[':key'].$get({ param: keyParam(sessionId) }));
  const line = `${JSON.stringify(transcript(now()).from('a1').user('two', { uuid: 'u9', parentUuid: 'a1' }).entries[0])}\n`;
  appendFileSync(fileOf(server), line.slice(0, 40));
  await watching.next('append');
  assert.equal((await readJson(server.client.sessions[':key'].turns.$get({ param: keyParam(sessionId) }))).total, 1);
  appendFileSync(fileOf(server), line.slice(40));
  const whole = await watching.next('append', ({ parts }) => parts === 2);
  assert.equal(whole.isReplaced, false);
});

test('new sessions and lines of a sub-agent are sent', async (context) => {
  const server = await openWebServer(context, {
    [`-p/${sessionId}.jsonl`]: transcript(now()).user('one').assistant('1').text(),
  });
  await server.isCurrent();
  const page = server.listen(`/api/events?watch=${sessionId}&live=1`);
  await page.next('hello');
  await readJson(server.client.live.$get());
  writeFileSync(
    fileOf(server, other),
    transcript({ sessionId: other, ...now() })
      .user('a new one')
      .assistant('x')
      .text(),
  );
  const { changed } = await page.next('sessions', (event) => event.changed.some(({ key }) => key === other));
  assert.equal(changed.find(({ key }) => key === other)?.isLive, true);
  const agents = path.join(server.root, 'projects/-p', sessionId, 'subagents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(
    path.join(agents, 'agent-x1.jsonl'),
    transcript({ isSidechain: true, agentId: 'x1', ...now() })
      .user('task')
      .assistant('at it')
      .text(),
  );
  const { agentId } = await page.next('append', (event) => event.agentId !== null);
  assert.equal(agentId, 'x1');
  appendFileSync(
    fileOf(server, other),
    `${JSON.stringify(transcript({ sessionId: other, ...now() }).user('continue', { uuid: 'u7', parentUuid: 'a1' }).entries[0])}\n`,
  );
  const { lines } = await page.next(
    'live',
    ({ key, lines }) => key === other && lines.some(({ text }) => text === 'continue'),
  );
  assert.equal(lines.at(-1)?.kind, 'prompt');
  const live = await readJson(server.client.live.$get());
  assert.deepEqual(live.sessions.map(({ row }) => row.key).sort(), [sessionId, other]);
  assert.ok(live.sessions.every(({ recent }) => recent.length > 0));
});
