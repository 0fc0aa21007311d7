// The proof, check by check: a plan whose staged result breaks one promise is refused, and nothing is written.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import type { Edit } from '../../../src/format/bytes/edit.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { sameSession } from '../../../src/surgery/engine/new-session.ts';
import { operate } from '../../../src/surgery/engine/operate.ts';
import { loadSource, type OutLine, type Plan, type Source } from '../../../src/surgery/engine/plan.ts';
import { provePortable } from '../../../src/surgery/engine/stage-portable.ts';
import { type Bench, benchWith, contentsOf } from '../../support/surgery-kit.ts';
import { sessionId, type TranscriptBuilder, text, thinking, transcript } from '../../support/transcript-builder.ts';

const sound = (): TranscriptBuilder => transcript().user('one').assistant('two').user('three').assistant('four');

test('a result that Claude Code would refuse is not written', async (context) => {
  const edits = new Map<number, readonly Edit[]>([[3, [{ path: ['timestamp'], set: 'yesterday' }]]]);
  assert.match(await refusal(context, sound(), edited(edits)), /Claude Code would refuse the result/);
});

test('a result that the API would reject for something new is not written', async (context) => {
  const content = [thinking('hm', ''), text('two')];
  const edits = new Map<number, readonly Edit[]>([[3, [{ path: ['message', 'content'], set: content }]]]);
  assert.match(await refusal(context, sound(), edited(edits)), /the API would reject it: .*thinking/);
});

test('what the API rejected before may stay, but not in a repair', async (context) => {
  const damaged = transcript()
    .user('one')
    .assistant([thinking('hm', ''), text('two')]);
  const nothing = edited(new Map());
  assert.equal(await refusal(context, damaged, nothing), '');
  const repair = (source: Source): Plan => ({ ...nothing(source), violations: 'all' });
  assert.match(await refusal(context, damaged, repair), /the API would reject it: .*thinking/);
});

test('a kept line with other bytes fails the proof, even by one space', async (context) => {
  const plan = withLines((line, i) => (i === 1 ? { ...line, bytes: Buffer.from(`${line.bytes} `) } : line));
  assert.match(await refusal(context, sound(), plan), /1 lines that must not change differ/);
});

test('a renamed line with other content fails the proof', async (context) => {
  const renamed = (change: (entry: JsonObject) => JsonObject) =>
    withLines((line, i) => {
      if (i !== 1) return line;
      const entry = change(JSON.parse(line.bytes.toString('utf8')) as JsonObject);
      return { ...line, bytes: Buffer.from(JSON.stringify(entry)), isEdited: true, isRenamed: true };
    });
  const otherId = renamed((entry) => ({ ...entry, requestId: 'another' }));
  assert.equal(await refusal(context, sound(), otherId), '');
  const otherWords = renamed((entry) => ({ ...entry, message: { ...(entry.message as JsonObject), model: 'other' } }));
  assert.match(await refusal(context, sound(), otherWords), /1 lines that must not change differ/);
  const otherTime = renamed((entry) => ({ ...entry, timestamp: '2026-01-03T10:00:01.500Z' }));
  assert.match(await refusal(context, sound(), otherTime), /1 lines that must not change differ/);
});

test('a kept line that a resume no longer sends fails the proof, unless the plan allows it', async (context) => {
  // The third line starts a new chain, so the first two are outside the conversation.
  const edits = new Map<number, readonly Edit[]>([[2, [{ path: ['parentUuid'], set: null }]]]);
  const cut = edited(edits);
  assert.match(await refusal(context, sound(), cut), /resuming would no longer send line 1 and 1 more lines/);
  assert.equal(await refusal(context, sound(), (source) => ({ ...cut(source), loadsLess: true })), '');
});

test('a line that is dropped without a reason fails the proof', async (context) => {
  const plan = withLines((line, i) => (i === 1 ? undefined : line));
  assert.match(await refusal(context, sound(), plan), /1 records are neither in the result nor reported as dropped/);
});

test('a portable form that sends something else breaks the proof', async (context) => {
  const bench = benchWith(context, sessionId, sound().text());
  const session = await loadSession(bench.main);
  const reachable = { loaded: 4, of: 4 };
  const proof = { reachable, before: reachable, pairs: { calls: 0, answered: 0 }, violations: [] };
  const proved = { proof: { ...proof, untouchedIdentical: true }, changed: 0, broken: ['known'] };
  const portable = { session, dropped: [], changed: 2 };
  assert.deepEqual(provePortable({ ...portable, sendsSame: true }, proved).broken, ['known']);
  assert.deepEqual(provePortable({ ...portable, sendsSame: false }, proved).broken, [
    'known',
    'the portable session would not send the same messages',
  ]);
});

type Planner = (source: Source) => Plan;

function edited(edits: ReadonlyMap<number, readonly Edit[]>): Planner {
  return (source) =>
    planOf(source, sameSession(source, { rewrites: new Map([[source.files[0]?.path ?? '', { edits }]]) }));
}

/** The lines of the session as `change` gives them; `undefined` leaves one out. */
function withLines(change: (line: OutLine, index: number) => OutLine | undefined): Planner {
  return (source) => {
    const same = sameSession(source);
    const [main] = same.files;
    assert.ok(main !== undefined && 'lines' in main.content);
    const { content } = main;
    const lines = (): OutLine[] => [...content.lines()].flatMap((line, i) => change(line, i) ?? []);
    return planOf(source, { ...same, files: [{ ...main, content: { lines } }] });
  };
}

function planOf(source: Source, result: Plan['results'][number]): Plan {
  const { id, files } = source.session;
  return {
    operation: 'test',
    words: [],
    sources: [{ sessionId: id, path: files.main }],
    results: [result],
    dropped: [],
  };
}

/** Why the operation is refused; empty where it is written. What is refused leaves every file as it was. */
async function refusal(context: TestContext, built: TranscriptBuilder, plan: Planner): Promise<string> {
  const bench: Bench = benchWith(context, sessionId, built.text());
  const before = contentsOf(bench.root);
  const source = await loadSource(bench.main);
  const error = await operate(plan(source), [source], { env: bench.env }).then(() => '', String);
  if (error !== '') assert.deepEqual(contentsOf(bench.root), before);
  return error;
}
