// Runs over a growing transcript: what each hands out, and what it leaves for the next.
import assert from 'node:assert/strict';
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  parseCursor,
  type ReadTurnsOptions,
  readTurns,
  streamTurns,
  type TraceCursor,
} from '../../../src/trace/read/cursor.ts';
import type { TraceTurn } from '../../../src/trace/read/turn.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { text, toolUse, transcript } from '../../support/transcript-builder.ts';

const task = (id: string) => toolUse(id, 'Task', { prompt: 'Count', subagent_type: 'helper' });

test('a run without the word of the client keeps the last turn for the next one', (context) => {
  const session = transcript().user('one').assistant('1').user('two').assistant('2');
  const { run } = runs(context, session.text());
  assert.deepEqual(run().map(shape), [['new', 1, 'one', ['m1']]]);
  assert.deepEqual(run({ isFinal: true }).map(shape), [['new', 2, 'two', ['m2']]]);
  assert.deepEqual(run({ isOver: true }), []);
});

test('rows that follow after a Stop come as more of the same turn, without what was handed out', (context) => {
  const session = transcript().user('go').call('t1').result('t1');
  const { run, grow } = runs(context, session.text());
  assert.deepEqual(run({ isFinal: true }).map(shape), [['new', 1, 'go', ['m1']]]);
  grow(session.assistant('later').user('next').assistant('2').text());
  assert.deepEqual(run({ isFinal: true }).map(shape), [
    ['more', 1, 'go', ['m2']],
    ['new', 2, 'next', ['m3']],
  ]);
});

test('a call whose result is not there at the Stop is handed out with it, in a later run', (context) => {
  const session = transcript()
    .user('go')
    .assistant([text('I look'), toolUse('t1')]);
  const { run, grow } = runs(context, session.text());
  const [first] = run({ isFinal: true });
  assert.deepEqual([first?.messages.length, [...(first?.waitingCalls ?? [])]], [1, ['t1']]);
  grow(session.result('t1').assistant('done').text());
  const [more] = run({ isFinal: true });
  assert.deepEqual(
    more?.messages.map(({ id, isSent, blocks }) => [id, isSent, blocks]),
    [
      ['m1', true, [toolUse('t1')]],
      ['m2', false, [text('done')]],
    ],
  );
  assert.equal(more?.results.get('t1')?.content, 'out t1');
});

test('a call without a result is handed out when the next turn begins, or when all is over', (context) => {
  const session = transcript().user('go').call('t1');
  const { run, grow } = runs(context, session.text());
  assert.equal(run({ isFinal: true })[0]?.waitingCalls.size, 1);
  grow(session.user('next').assistant('2').text());
  assert.deepEqual(run({ isFinal: true }).map(shape), [
    ['more', 1, 'go', ['m1 (sent)']],
    ['new', 2, 'next', ['m2']],
  ]);
  const other = runs(context, transcript().user('go').call('t1').text());
  other.run({ isFinal: true });
  assert.deepEqual(other.run({ isOver: true }).map(shape), [['more', 1, 'go', ['m1 (sent)']]]);
});

test('a late line of a message that was handed out brings its calls, and a diagnostic for the rest', (context) => {
  const session = transcript().user('go').assistant('first');
  const { run, grow, diagnostics } = runs(context, session.text());
  run({ isFinal: true });
  grow(
    session
      .assistant([text('second'), toolUse('t1')], { message: { id: 'm1' } })
      .result('t1')
      .text(),
  );
  assert.deepEqual(run({ isFinal: true }).map(shape), [['more', 1, 'go', ['m1 (sent)']]]);
  assert.deepEqual(diagnostics(), [['T-late-line', 3]]);
});

test('a line without an id after a Stop continues the one before it, unless another line is between them', (context) => {
  const nameless = { message: { id: undefined } };
  const session = transcript().user('go').assistant('first', nameless);
  const { run, grow, diagnostics } = runs(context, session.text());
  run({ isFinal: true });
  grow(
    session
      .assistant([text('second'), toolUse('t1')], nameless)
      .result('t1')
      .text(),
  );
  assert.deepEqual(
    run({ isFinal: true }).map((turn) => turn.messages.map(({ index, isSent }) => [index, isSent])),
    [[[0, true]]],
  );
  assert.deepEqual(diagnostics(), [['T-late-line', 3]]);
  grow(session.assistant('third', nameless).text());
  assert.deepEqual(
    run({ isFinal: true }).map((turn) => turn.messages.map(({ index, isSent }) => [index, isSent])),
    [[[1, false]]],
  );
});

test('lines of a message on both sides of a prompt are one message of the turn before it', (context) => {
  const session = transcript()
    .user('go')
    .assistant('first half')
    .user('typed early')
    .assistant('second half', { message: { id: 'm1' } })
    .assistant('an answer', { message: { id: 'm2' } });
  const { run } = runs(context, session.text());
  const turns = run({ isFinal: true });
  assert.deepEqual(turns.map(shape), [
    ['new', 1, 'go', ['m1']],
    ['new', 2, 'typed early', ['m2']],
  ]);
  assert.equal(turns[0]?.messages[0]?.blocks.length, 2);
});

test('a history that is written again is handed out once, in one run and in many', (context) => {
  const once = transcript().user('one').assistant('1').user('two').assistant('2');
  const twice = once.text() + transcript().user('one').assistant('1').user('two').assistant('2').text();
  const all = `${twice}${transcript()
    .user('three')
    .assistant('3', { message: { id: 'new' } })
    .text()}`;
  assert.deepEqual(
    runs(context, all)
      .run({ isOver: true })
      .map((turn) => [turn.number, turn.key]),
    [
      [1, 'm1'],
      [2, 'm2'],
      [3, 'new'],
    ],
  );
  const { run, grow } = runs(context, once.text());
  assert.equal(run({ isFinal: true }).length, 2);
  grow(twice);
  assert.deepEqual(run({ isFinal: true }), []);
  grow(all);
  assert.deepEqual(
    run({ isFinal: true }).map((turn) => turn.number),
    [3],
  );
});

test('a background agent is handed out when it is reported done, as part of the turn that started it', (context) => {
  const launched = { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'a1' } };
  const session = transcript()
    .user('go')
    .assistant([task('t1')])
    .result('t1', launched)
    .assistant('it runs');
  const { run, grow } = runs(context, session.text());
  assert.deepEqual(run({ isFinal: true })[0]?.finishedAgents, []);
  grow(session.user('meanwhile').assistant('yes').text());
  assert.deepEqual(run({ isFinal: true })[0]?.finishedAgents, []);
  grow(session.user('<task-notification>\n<task-id>a1</task-id>\n</task-notification>').assistant('noted').text());
  const [turn] = run({ isFinal: true });
  assert.deepEqual(
    turn?.finishedAgents.map(({ agentId, toolUseId, turnKey, turnNumber }) => [
      agentId,
      toolUseId,
      turnKey,
      turnNumber,
    ]),
    [['a1', 't1', 'm1', 1]],
  );
  assert.deepEqual(shape(turn), ['more', 2, 'meanwhile', ['m4']]);
});

test('what still runs in the background at the end is returned as it is', (context) => {
  const launched = { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'a1' } };
  const session = transcript()
    .user('go')
    .assistant([task('t1')])
    .result('t1', launched)
    .assistant('it runs');
  const { run } = runs(context, session.text());
  run({ isFinal: true });
  assert.deepEqual(
    run({ isOver: true }).map((turn) => turn.finishedAgents.map((agent) => agent.agentId)),
    [['a1']],
  );
});

test('a line without a newline is left alone until it has one, or until all is over', (context) => {
  const whole = transcript().user('go').assistant('1').text();
  const { run, grow } = runs(context, whole.slice(0, -1));
  assert.deepEqual(run({ isFinal: true }), []);
  grow(whole);
  assert.deepEqual(run({ isFinal: true }).map(shape), [['new', 1, 'go', ['m1']]]);
  assert.deepEqual(runs(context, whole.slice(0, -1)).run({ isOver: true }).map(shape), [['new', 1, 'go', ['m1']]]);
  assert.deepEqual(runs(context, whole.slice(0, -5)).run({ isOver: true }), []);
});

test('a run reads only the bytes after its cursor', (context) => {
  const file = path.join(temporaryFolder(context), 's.jsonl');
  const turn = transcript().user('go').assistant('x'.repeat(10_000)).text();
  writeFileSync(
    file,
    turn.repeat(50).replaceAll('"m1"', () => `"m${Math.random()}"`),
  );
  const { cursor } = readTurns(file, undefined, { isFinal: true });
  assert.equal(cursor.offset, statSync(file).size);
  const added = transcript()
    .user('more')
    .assistant('y', { message: { id: 'last' } })
    .text();
  appendFileSync(file, added);
  const second = readTurns(file, cursor, { isFinal: true });
  assert.deepEqual([second.bytesRead, second.turns.length], [Buffer.byteLength(added), 1]);
});

test('each turn of a stream comes with the cursor after it', (context) => {
  const session = transcript().user('one').assistant('1').user('two').assistant('2').user('three').assistant('3');
  const file = path.join(temporaryFolder(context), 's.jsonl');
  session.write(file);
  const steps = [...streamTurns(file, undefined, { isOver: true })];
  assert.deepEqual(
    steps.map(({ turn }) => turn.key),
    ['m1', 'm2', 'm3'],
  );
  const behindFirst = steps[0]?.cursor;
  const rest = readTurns(file, behindFirst, { isOver: true }).turns;
  assert.deepEqual(
    rest,
    steps.slice(1).map(({ turn }) => turn),
  );
});

test('a transcript that begins without a prompt has a turn without one; to the letter it has none', (context) => {
  const file = path.join(temporaryFolder(context), 's.jsonl');
  transcript().assistant('I continue').user('thanks').assistant('welcome').write(file);
  const prompts = (options: ReadTurnsOptions) =>
    readTurns(file, undefined, { isOver: true, ...options }).turns.map((turn) => [turn.number, turn.prompt?.text]);
  assert.deepEqual(prompts({}), [
    [1, undefined],
    [2, 'thanks'],
  ]);
  assert.deepEqual(prompts({ strictSeed: true }), [[1, 'thanks']]);
});

test('an interrupt marks its turn', (context) => {
  const session = transcript()
    .user('go')
    .call('t1')
    .user([text('[Request interrupted by user]')])
    .user('next')
    .assistant('2');
  const turns = runs(context, session.text()).run({ isOver: true });
  assert.deepEqual(
    turns.map((turn) => turn.isInterrupted),
    [true, false],
  );
});

test('a cursor survives JSON, and an invalid cursor is refused', (context) => {
  const { run, cursor } = runs(
    context,
    transcript()
      .user('go')
      .assistant([task('t1')])
      .text(),
  );
  run({ isFinal: true });
  const kept = JSON.parse(JSON.stringify(cursor())) as Record<string, unknown>;
  assert.deepEqual(parseCursor(kept), kept);
  const odd = [null, 'x', {}, { ...kept, offset: -1 }, { ...kept, seen: [1] }, { ...kept, running: [{}] }];
  const deep = [
    { ...kept, openTurn: {} },
    { ...kept, agentRuns: [[]] },
    { ...kept, sessionId: 3 },
    { ...kept, cause: { lastMs: 'soon' } },
    { ...kept, openTurn: { ...(kept.openTurn as object), root: { prompt: {} } } },
  ];
  assert.deepEqual(
    [...odd, ...deep].map(parseCursor),
    [...odd, ...deep].map(() => undefined),
  );
});

interface Runs {
  readonly run: (options?: ReadTurnsOptions) => readonly TraceTurn[];
  readonly grow: (text: string) => void;
  readonly diagnostics: () => readonly unknown[];
  readonly cursor: () => TraceCursor | undefined;
}

/** One transcript, run after run. */
function runs(context: TestContext, content: string): Runs {
  const file = path.join(temporaryFolder(context), 's.jsonl');
  writeFileSync(file, content);
  let cursor: TraceCursor | undefined;
  let said: readonly unknown[] = [];
  return {
    run: (options = {}) => {
      const read = readTurns(file, cursor, options);
      cursor = JSON.parse(JSON.stringify(read.cursor)) as TraceCursor;
      said = read.diagnostics.map(({ code, line }) => [code, line]);
      return read.turns;
    },
    grow: (more) => writeFileSync(file, more),
    diagnostics: () => said,
    cursor: () => cursor,
  };
}

function shape(turn: TraceTurn | undefined): unknown {
  const messages = turn?.messages.map(({ id, isSent }) => `${id}${isSent ? ' (sent)' : ''}`);
  return [turn?.isContinuation ? 'more' : 'new', turn?.number, turn?.prompt?.text, messages];
}
