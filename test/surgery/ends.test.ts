// Rewound, split, renamed and tagged sessions: what a resume then sends, and that undo restores identical bytes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../src/base/errors/errors.ts';
import type { JsonObject } from '../../src/base/json/json.ts';
import { titleOf } from '../../src/session/facts/titles.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { operate } from '../../src/surgery/engine/operate.ts';
import { loadSource, type Source } from '../../src/surgery/engine/plan.ts';
import { planRename, planTag } from '../../src/surgery/operations/rename.ts';
import { planRewind, planSplit } from '../../src/surgery/operations/rewind.ts';
import { type Bench, benchWith, contentsOf, entriesOf, sentBy, undoLast } from '../support/surgery-kit.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

function threeTurns(): ReturnType<typeof transcript> {
  return transcript()
    .user('one')
    .call('toolu_1', { message: { id: 'm' } })
    .call('toolu_2', { message: { id: 'm' } })
    .from('a1')
    .result('toolu_1')
    .from('a2')
    .result('toolu_2')
    .assistant('done one')
    .user('two')
    .assistant('done two')
    .user('three')
    .assistant('done three')
    .lastPrompt('a5');
}

test('a rewound session ends with the turn, keeps every line and is pinned by the last one', async (context) => {
  const bench = benchWith(context, sessionId, threeTurns().text());
  const { to, dropped } = await rewind(bench, '2');
  assert.deepEqual(dropped, []);
  assert.deepEqual(await sentBy(to.path), [
    'one',
    'toolu_1',
    'toolu_2',
    'toolu_1',
    'toolu_2',
    'done one',
    'two',
    'done two',
  ]);
  const [before, after] = [entriesOf(bench.main), entriesOf(to.path)];
  assert.deepEqual(after, [
    ...before.map((entry) => ({ ...entry, sessionId: to.sessionId, ...originOf(entry) })),
    { type: 'last-prompt', leafUuid: 'a4', explicit: true, sessionId: to.sessionId },
  ]);
});

/** What a copy says of each message line. */
function originOf({ type, uuid }: JsonObject): JsonObject {
  const isSaid = type === 'user' || type === 'assistant';
  return isSaid && typeof uuid === 'string' ? { forkedFrom: { sessionId, messageUuid: uuid } } : {};
}

test('rewinding in place appends one line, and undo takes it out', async (context) => {
  const text = threeTurns().text();
  const bench = benchWith(context, sessionId, text);
  await rewind(bench, '1', true);
  assert.equal(
    readFileSync(bench.main, 'utf8'),
    `${text}${JSON.stringify({ type: 'last-prompt', leafUuid: 'a3', explicit: true, sessionId })}\n`,
  );
  assert.equal((await sentBy(bench.main)).at(-1), 'done one');
  await undoLast(bench);
  assert.equal(readFileSync(bench.main, 'utf8'), text);
});

test('a portable rewind leaves out what came later, so that clients without pins see the same end', async (context) => {
  const bench = benchWith(context, sessionId, threeTurns().text());
  const source = await loadSource(bench.main);
  const { to, dropped } = await operate(planRewind(source, { to: '1' }), [source], {
    env: bench.env,
    isPortable: true,
  });
  assert.ok(!readFileSync(to.path, 'utf8').includes('done two'));
  assert.equal(dropped.filter(({ reason }) => reason === 'not on the chain that a resume continues').length, 4);
});

test('after a compaction that hides earlier lines, a rewind cuts the session, and is refused in place', async (context) => {
  const text = transcript()
    .user('one')
    .assistant('done one')
    .user('two')
    .assistant('done two')
    .boundary({ preservedMessages: { anchorUuid: 'u3', uuids: ['u2', 'a2'] } })
    .summary('in short')
    .user('three')
    .assistant('done three')
    .text();
  const bench = benchWith(context, sessionId, text);
  assert.deepEqual(await sentBy(bench.main), ['in short', 'two', 'done two', 'three', 'done three']);
  const { to, dropped } = await rewind(bench, '1');
  assert.deepEqual(await sentBy(to.path), ['one', 'done one']);
  assert.equal(dropped.length, 6);
  await assert.rejects(rewind(bench, '1', true), /turn 1 cannot become the end of this session: a later compaction/);
});

test('a split creates two sessions: up to the turn, and from the next prompt on', async (context) => {
  const files = {
    [`${sessionId}/tool-results/first.txt`]: 'first',
    [`${sessionId}/tool-results/second.txt`]: 'second',
  };
  const text = transcript()
    .aside('custom-title', { customTitle: 'both' })
    .user('one')
    .call('toolu_1')
    .result('toolu_1', { toolUseResult: { persistedOutputPath: '/x/tool-results/first.txt' } })
    .assistant('done one')
    .user('two')
    .call('toolu_2')
    .result('toolu_2', { toolUseResult: { persistedOutputPath: '/x/tool-results/second.txt' } })
    .assistant('done two')
    .lastPrompt('a4')
    .text();
  const bench = benchWith(context, sessionId, text, files);
  const source = await loadSource(bench.main);
  const { to, others, dropped, notes } = await operate(planSplit(source, { at: '1' }), [source], { env: bench.env });
  assert.deepEqual([dropped, notes], [[], ['the second session does not include the turns up to 1']]);
  const second = others[0]?.path ?? '';
  assert.deepEqual(await sentBy(to.path), ['one', 'toolu_1', 'toolu_1', 'done one']);
  assert.deepEqual(await sentBy(second), ['two', 'toolu_2', 'toolu_2', 'done two']);
  const rest = entriesOf(second);
  assert.deepEqual(
    rest.map(({ type, uuid, parentUuid }) => [type, uuid, parentUuid]),
    [
      ['custom-title', undefined, undefined],
      ['user', 'u2', null],
      ['assistant', 'a3', 'u2'],
      ['user', 'r2', 'a3'],
      ['assistant', 'a4', 'r2'],
      ['last-prompt', undefined, undefined],
    ],
  );
  assert.deepEqual(
    outputs(bench),
    [`${others[0]?.sessionId}/tool-results/second.txt`, `${to.sessionId}/tool-results/first.txt`].sort(),
  );
});

test('a session cannot be split at its end or inside an answer', async (context) => {
  const bench = benchWith(
    context,
    sessionId,
    transcript()
      .user('one')
      .assistant('first half', { message: { id: 'm' } })
      .user('two')
      .assistant('second half', { message: { id: 'm' } })
      .text(),
  );
  const source = await loadSource(bench.main);
  assert.throws(
    () => planSplit(source, { at: '2' }),
    /cannot be split at turn 2: it has 2 turns; name a turn from 1 to 1/,
  );
  assert.throws(() => planSplit(source, { at: 'x' }), UserError);
  assert.throws(() => planSplit(source, { at: '1' }), /was typed during an answer/);
});

test('a new title is in the transcript and its side file, a tag in the transcript, and undo removes both', async (context) => {
  const text = transcript().user('one').assistant('two').text();
  const bench = benchWith(context, sessionId, text);
  const before = contentsOf(bench.folder);
  await run(bench, (source) => planRename(source, '  the\nbetter  title '));
  assert.deepEqual(
    contentsOf(bench.folder),
    new Map([
      [
        `${sessionId}.jsonl`,
        `${text}${JSON.stringify({ type: 'custom-title', customTitle: 'the better title', sessionId })}\n`,
      ],
      [`${sessionId}/custom-title.json`, '{"customTitle":"the better title"}'],
    ]),
  );
  assert.equal(titleOf(await loadSession(bench.main)), 'the better title');
  await run(bench, (source) => planRename(source, 'third'));
  assert.equal(
    readFileSync(path.join(bench.folder, sessionId, 'custom-title.json'), 'utf8'),
    '{"customTitle":"third"}',
  );
  await undoLast(bench);
  await run(bench, (source) => planTag(source, 'review'));
  await run(bench, (source) => planTag(source, undefined));
  assert.deepEqual(
    entriesOf(bench.main).slice(3),
    ['review', ''].map((tag) => ({ type: 'tag', tag, sessionId })),
  );
  await undoLast(bench);
  const source = await loadSource(bench.main);
  assert.throws(() => planRename(source, '   '), /the title is empty/);
  assert.equal(before.size, 1);
});

async function run(bench: Bench, plan: (source: Source) => ReturnType<typeof planRename>): ReturnType<typeof operate> {
  const source = await loadSource(bench.main);
  return operate(plan(source), [source], { env: bench.env });
}

function rewind(bench: Bench, to: string, isInPlace = false): ReturnType<typeof operate> {
  return run(bench, (source) => planRewind(source, { to, isInPlace }));
}

function outputs(bench: Bench): string[] {
  const names = [...contentsOf(bench.folder).keys()].filter((name) => name.includes('tool-results'));
  return names.filter((name) => !name.startsWith(sessionId)).sort();
}
