// Two forks of one session, joined again into one chain without duplicates and with new ids.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { isObject } from '../../../src/base/json/json.ts';
import { type Outcome, operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource } from '../../../src/surgery/engine/plan.ts';
import { type GraftOptions, planGraft } from '../../../src/surgery/operations/graft.ts';
import { type Bench, benchWith, contentsOf, entriesOf, sentBy } from '../../support/surgery-kit.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

const secondId = '22222222-2222-4222-a222-222222222222';

function shared(fields = {}): ReturnType<typeof transcript> {
  return transcript(fields).user('one').call('toolu_1').result('toolu_1').assistant('done one');
}

test('the shared turns come first, then those of the first, then those of the second', async (context) => {
  const first = shared().user('two a').assistant('done two a').lastPrompt('a3').text();
  const second = shared({ sessionId: secondId })
    .user('two b')
    .call('toolu_2', { message: { id: 'own' } })
    .result('toolu_2')
    .assistant('done two b', { message: { id: 'own2' } })
    .text();
  const bench = twoSessions(context, first, second);
  const { to, notes, dropped } = await graft(bench);
  assert.deepEqual(notes, ['1 shared turns, 1 of the first, 1 of the second']);
  assert.deepEqual(await sentBy(to.path), [
    'one',
    'toolu_1',
    'toolu_1',
    'done one',
    'two a',
    'done two a',
    'two b',
    'toolu_2',
    'toolu_2',
    'done two b',
  ]);
  assert.deepEqual(
    dropped.map(({ line, reason }) => [line, reason]),
    [[7, 'pins the end of the first session'], ...[1, 2, 3, 4].map((line) => [line, 'the first session has it too'])],
  );
  const lines = entriesOf(to.path);
  assert.ok(lines.every((entry) => entry.sessionId === to.sessionId));
  const linked = lines.filter(({ uuid }) => uuid !== undefined);
  assert.equal(new Set(linked.map(({ uuid }) => uuid)).size, linked.length);
  assert.deepEqual(
    linked.slice(1).map(({ parentUuid }) => parentUuid),
    linked.slice(0, -1).map(({ uuid }) => uuid),
  );
  assert.deepEqual(
    linked.slice(6).map(({ forkedFrom }) => isObject(forkedFrom) && forkedFrom.sessionId),
    Array(4).fill(secondId),
  );
});

test('turns by time are interleaved whole', async (context) => {
  const first = shared()
    .after(60_000)
    .user('at 1')
    .assistant('re 1')
    .after(120_000)
    .user('at 3')
    .assistant('re 3')
    .text();
  const second = shared({ sessionId: secondId })
    .after(120_000)
    .user('at 2')
    .assistant('re 2', { message: { id: 'x' } })
    .text();
  const bench = twoSessions(context, first, second);
  const { to } = await graft(bench, { order: 'time' });
  assert.deepEqual((await sentBy(to.path)).slice(4), ['at 1', 're 1', 'at 2', 're 2', 'at 3', 're 3']);
});

test('a message and a call that both hold after they parted get ids of their own, for the sub-agent too', async (context) => {
  const first = shared()
    .user('two')
    .call('toolu_9', { message: { id: 'same' } })
    .result('toolu_9')
    .assistant('end a')
    .text();
  const second = shared({ sessionId: secondId })
    .user('two')
    .call('toolu_9', { message: { id: 'same' } })
    .result('toolu_9')
    .assistant('end b', { message: { id: 'other' } })
    .text();
  const agent = transcript({ sessionId: secondId, isSidechain: true, agentId: 'abc' })
    .user('sub')
    .assistant('ok')
    .text();
  const bench = twoSessions(context, first, second, {
    [`${secondId}/subagents/agent-abc.jsonl`]: agent,
    [`${secondId}/subagents/agent-abc.meta.json`]: JSON.stringify({ agentType: 'x', toolUseId: 'toolu_9' }),
  });
  const { to, proof } = await graft(bench);
  assert.deepEqual(proof.pairs, { calls: 3, answered: 3 });
  const sent = await sentBy(to.path);
  assert.equal(new Set(sent.filter((id) => id.startsWith('toolu_'))).size, 3);
  const meta = [...contentsOf(bench.folder)].find(
    ([name]) => name.startsWith(to.sessionId) && name.endsWith('meta.json'),
  );
  assert.equal(JSON.parse(meta?.[1] ?? '{}').toolUseId, sent.filter((id) => id.startsWith('toolu_'))[4]);
});

test('an open call of the first is closed before the turns of the second', async (context) => {
  const first = shared().user('two a').call('toolu_5').text();
  const second = shared({ sessionId: secondId })
    .user('two b')
    .assistant('done', { message: { id: 'y' } })
    .text();
  const { to, proof } = await graft(twoSessions(context, first, second));
  assert.deepEqual(proof.pairs, { calls: 2, answered: 2 });
  assert.deepEqual((await sentBy(to.path)).slice(4), ['two a', 'toolu_5', 'toolu_5', 'two b', 'done']);
});

test('unrelated sessions, a compaction after the shared turns, and a fork without own turns are refused', async (context) => {
  const plain = shared().user('two').assistant('done').text();
  const refused = async (first: string, second: string): Promise<string> =>
    graft(twoSessions(context, first, second)).then(() => '', String);
  assert.match(
    await refused(plain, transcript({ sessionId: secondId }).user('hello').assistant('you').text()),
    /have no turn in common/,
  );
  const compacted = shared({ sessionId: secondId }).user('b').assistant('c').boundary().summary('s').user('d').text();
  assert.match(await refused(plain, compacted), /was compacted after the last shared turn \(1\)/);
  assert.match(await refused(plain, shared({ sessionId: secondId }).text()), /nothing to do/);
});

/** The shared lines have the same uuids in both, as after `--fork-session`; what the second has of its own gets others. */
function twoSessions(
  context: TestContext,
  first: string,
  second: string,
  files: Readonly<Record<string, string>> = {},
): Bench {
  const lines = second.split('\n');
  const own = lines.slice(4).map((line) => line.replace(/"(uuid|parentUuid)":"([a-z]\d)"/g, '"$1":"second-$2"'));
  own[0] = own[0]?.replace('"parentUuid":"second-', '"parentUuid":"') ?? '';
  const text = [...lines.slice(0, 4), ...own].join('\n');
  return benchWith(context, sessionId, first, { [`${secondId}.jsonl`]: text, ...files });
}

function graft(bench: Bench, options: GraftOptions = {}): Promise<Outcome> {
  return graftFiles(bench, bench.main, path.join(bench.folder, `${secondId}.jsonl`), options);
}

async function graftFiles(bench: Bench, a: string, b: string, options: GraftOptions = {}): Promise<Outcome> {
  const sources = [await loadSource(a), await loadSource(b)] as const;
  return operate(planGraft(...sources, options), sources, { env: bench.env });
}
