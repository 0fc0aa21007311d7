// Forks of builder sessions and of every real one: new ids throughout, the same conversation, the original untouched.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isObject, type JsonObject, parseJson } from '../../../src/base/json/json.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { requestMessages } from '../../../src/session/resume/request/request.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { planFork } from '../../../src/surgery/operations/fork.ts';
import { type Bench, benchWith } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

test('a fork has new ids in every reference, and says where each message comes from', async (context) => {
  const text = transcript()
    .user('one')
    .call('toolu_1')
    .result('toolu_1', { sourceToolAssistantUUID: 'a1', promptId: 'p1' })
    .boundary({ preservedMessages: { anchorUuid: 's1', uuids: ['u1'], allUuids: ['u1', 'a1'] } })
    .summary('in short', { promptId: 'p1' })
    .aside('file-history-snapshot', { messageId: 'u1', snapshot: { messageId: 'u1', trackedFileBackups: {} } })
    .lastPrompt('u1')
    .text();
  const bench = benchWith(context, sessionId, text);
  const before = entriesOf(bench.main);
  const { to } = await fork(bench);
  const after = entriesOf(to.path);
  const oldIds = new Set(before.flatMap(({ uuid }) => (typeof uuid === 'string' ? [uuid] : [])));
  const again = JSON.stringify(after.map(({ message, toolUseResult, forkedFrom, ...rest }) => rest));
  for (const id of [...oldIds, 'p1', sessionId]) assert.ok(!again.includes(`"${id}"`), `${id} is still in the fork`);
  assert.ok(after.every((entry) => entry.sessionId === undefined || entry.sessionId === to.sessionId));
  assert.deepEqual(
    after.filter(({ type }) => type === 'user' || type === 'assistant').map(({ forkedFrom }) => forkedFrom),
    before
      .filter(({ type }) => type === 'user' || type === 'assistant')
      .map(({ uuid }) => ({ sessionId, messageUuid: uuid })),
  );
  assert.deepEqual(shapeOf(after.slice(0, before.length)), shapeOf(before));
});

test('an id that is not a uuid is renamed only in fields that name a line', async (context) => {
  const word = 'trimmed';
  const text = transcript({ cwd: word, sessionId: word, session_id: word, gitBranch: word })
    .user('one', { uuid: word, promptId: word, slug: word, forkedFrom: { sessionId: word, messageUuid: word } })
    .from(word)
    .assistant('two', { supersedesUuids: [word] })
    .text();
  const bench = benchWith(context, sessionId, text);
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source, { to: '/srv/other' }), [source], { env: bench.env });
  const [first, second] = entriesOf(to.path);
  const uuid = first?.uuid;
  assert.notEqual(uuid, word);
  assert.deepEqual(
    [second?.parentUuid, second?.supersedesUuids, first?.slug, first?.gitBranch, first?.sessionId, first?.session_id],
    [uuid, [uuid], word, word, to.sessionId, to.sessionId],
  );
  assert.deepEqual(first?.forkedFrom, { sessionId, messageUuid: word });
});

test('a fork at a turn ends there, with the results of its calls, and is pinned to its end', async (context) => {
  const text = transcript()
    .user('one')
    .call('toolu_1')
    .result('toolu_1')
    .assistant('done one')
    .user('two')
    .assistant('done two')
    .lastPrompt('a3')
    .text();
  const bench = benchWith(context, sessionId, text);
  const { to, dropped } = await fork(bench, '1');
  assert.deepEqual(textsOf(await messagesOf(to.path)), ['one', 'toolu_1', 'toolu_1', 'done one']);
  assert.deepEqual(
    dropped.map(({ line, reason }) => ({ line, reason })),
    [
      { line: 5, reason: 'after the new end' },
      { line: 6, reason: 'after the new end' },
      { line: 7, reason: 'pins the end of the original' },
    ],
  );
});

test('where a file holds its lines twice, a fork at a turn keeps no copy of what it cuts off', async (context) => {
  const text = transcript().user('one').assistant('done one').user('two').assistant('done two').text();
  const bench = benchWith(context, sessionId, text + text);
  const { to } = await fork(bench, '1');
  assert.deepEqual(textsOf(await messagesOf(to.path)), ['one', 'done one']);
  assert.ok(!readFileSync(to.path, 'utf8').includes('done two'));
});

test('a fork at a line keeps the whole message and the results of its calls', async (context) => {
  const text = transcript()
    .user('one')
    .call('toolu_1', { message: { id: 'm' } })
    .call('toolu_2', { message: { id: 'm' } })
    .result('toolu_1')
    .result('toolu_2')
    .assistant('done')
    .text();
  const bench = benchWith(context, sessionId, text);
  const [, call] = entriesOf(bench.main);
  const { to } = await fork(bench, String(call?.uuid));
  assert.deepEqual(textsOf(await messagesOf(to.path)).slice(0, 5), ['one', 'toolu_1', 'toolu_2', 'toolu_1', 'toolu_2']);
  const said = entriesOf(to.path).filter(({ type }) => type === 'user' || type === 'assistant');
  assert.equal(said.length, 5, 'the prompt, both lines of the message, and both results');
  for (const result of ['out toolu_1', 'out toolu_2']) assert.ok(JSON.stringify(said).includes(result), result);
});

test('a fork at the last line of an answer of several lines keeps all that came before', async (context) => {
  const text = transcript()
    .user('one')
    .assistant('first part', { message: { id: 'm' } })
    .assistant('second part', { message: { id: 'm' } })
    .user('two')
    .assistant('third part', { message: { id: 'n' } })
    .assistant('fourth part', { message: { id: 'n' } })
    .user('three')
    .text();
  const bench = benchWith(context, sessionId, text);
  const end = entriesOf(bench.main)[5];
  const { to } = await fork(bench, String(end?.uuid));
  assert.deepEqual(textsOf(await messagesOf(to.path)), [
    'one',
    'first part',
    'second part',
    'two',
    'third part',
    'fourth part',
  ]);
});

test('a fork into another folder works there from then on', async (context) => {
  const bench = benchWith(
    context,
    sessionId,
    transcript({ cwd: '/home/kim/project/src' }).user('one').assistant('two').text(),
  );
  const source = await loadSource(bench.main);
  const { to } = await operate(planFork(source, { to: '/srv/other' }), [source], { env: bench.env });
  assert.equal(path.basename(path.dirname(to.path)), '-srv-other');
  assert.ok(entriesOf(to.path).every(({ cwd }) => cwd === undefined || cwd === '/srv/other'));
});

async function fork(bench: Bench, at?: string): ReturnType<typeof operate> {
  const source = await loadSource(bench.main);
  return operate(planFork(source, at === undefined ? {} : { at }), [source], { env: bench.env });
}

function entriesOf(file: string): JsonObject[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n').map(parseJson).filter(isObject);
}

/** The entries with each id replaced by its first position. */
function shapeOf(entries: readonly JsonObject[]): unknown {
  const ids = new Map<string, number>();
  for (const { uuid } of entries) if (typeof uuid === 'string') ids.set(uuid, ids.size);
  return entries.map(({ forkedFrom, sessionId: _, promptId: __, ...entry }) =>
    JSON.parse(JSON.stringify(entry), (_key, value) => (typeof value === 'string' ? (ids.get(value) ?? value) : value)),
  );
}

async function messagesOf(file: string): Promise<readonly { readonly content: readonly JsonObject[] }[]> {
  const request = requestMessages(await loadSession(file));
  assert.ok('messages' in request);
  return request.messages;
}

function textsOf(messages: readonly { readonly content: readonly JsonObject[] }[]): string[] {
  return messages.flatMap(({ content }) => content.map((block) => String(block.text ?? block.id ?? block.tool_use_id)));
}
