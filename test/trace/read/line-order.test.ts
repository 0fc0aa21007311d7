// An answer that was written before its prompt (2.1.45, 2.1.63, 2.1.150) belongs to the turn of that prompt, wherever the
// file is cut into runs.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { readTurns, type TraceCursor } from '../../../src/trace/read/cursor.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { text, transcript } from '../../support/transcript-builder.ts';
import { allSpansOf, writeSession } from '../trace-kit.ts';

/** Two turns whose lines are P1 A1 | P2 (attachment) A2 A2 (same message) R2 A3 | P4 A4. */
const session = transcript()
  .user('one')
  .assistant('1')
  .user('two')
  .attachment('skill_listing')
  .assistant([text('2')])
  .call('t1', { message: { id: 'm2' } })
  .result('t1')
  .assistant('3')
  .user('four')
  .assistant('4');
const [p1, a1, p2, attachment, a2, a2b, r2, a3, p4, a4] = session.entries as readonly JsonObject[];

const turns = ['1 one: m1', '2 two: m2 m3', '3 four: m4'];

test('the turns are the same whether an answer is written before or after its prompt', (context) => {
  const orders: readonly (readonly (JsonObject | undefined)[])[] = [
    [p1, a1, p2, attachment, a2, a2b, r2, a3, p4, a4],
    [p1, a1, a2, p2, attachment, a2b, r2, a3, p4, a4],
    [p1, a1, a2, a2b, attachment, p2, r2, a3, p4, a4],
    [p1, a1, a2, a2b, r2, p2, attachment, a3, p4, a4],
    [a1, p1, a2, a2b, p2, attachment, r2, a3, a4, p4],
  ];
  for (const order of orders) assert.deepEqual(turnsOf(context, order), turns);
});

test('a file that is read again after every line gives the same turns', (context) => {
  const order = [a1, p1, a2, a2b, p2, attachment, r2, a3, a4, p4].map((entry) => `${JSON.stringify(entry)}\n`);
  const file = path.join(temporaryFolder(context), 's.jsonl');
  let cursor: TraceCursor | undefined;
  const found: string[] = [];
  for (const [i] of order.entries()) {
    writeFileSync(file, order.slice(0, i + 1).join(''));
    const read = readTurns(file, cursor, { isOver: i === order.length - 1 });
    cursor = JSON.parse(JSON.stringify(read.cursor)) as TraceCursor;
    found.push(...read.turns.map(shape));
  }
  assert.deepEqual(found, turns);
});

test('at a Stop the first answer of a file waits until its prompt is written', (context) => {
  const file = path.join(temporaryFolder(context), 's.jsonl');
  const write = (entries: readonly (JsonObject | undefined)[]): void =>
    writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  write([a1]);
  const first = readTurns(file, undefined, { isFinal: true });
  assert.deepEqual([first.turns, first.cursor.offset], [[], 0]);
  write([a1, p1]);
  assert.deepEqual(readTurns(file, first.cursor, { isFinal: true }).turns.map(shape), ['1 one: m1']);
});

test('an answer that comes after the next prompt belongs to the turn of its parent', (context) => {
  const late = { ...a3, parentUuid: 'r1' };
  const stopped = { ...p4, uuid: 'stopped', message: { role: 'user', content: 'stopped' } };
  assert.deepEqual(
    turnsOf(context, [p1, a1, p2, attachment, a2, a2b, r2, stopped, late, { ...p4, parentUuid: 'a4' }, a4]),
    turns,
  );
});

test('an answer whose parent is nowhere stays where it was written', (context) => {
  const lost = { ...a2, parentUuid: 'gone' };
  assert.deepEqual(turnsOf(context, [lost, a2b, r2, a3, p4, a4]), ['1 -: m2 m3', '2 four: m4']);
  assert.deepEqual(turnsOf(context, [p1, a1, lost, p4, a4]), ['1 one: m1 m2', '2 four: m4']);
  // The answer to another prompt shows that it will not come, also to a run without an end.
  assert.deepEqual(turnsOf(context, [p1, a1, lost, p4, a4], false), ['1 one: m1 m2']);
});

test('an answer after a compaction belongs to the prompt before the compaction', (context) => {
  const compacted = transcript().user('one').assistant('1').user('two').boundary().summary('said').assistant('2');
  assert.deepEqual(turnsOf(context, compacted.entries as readonly JsonObject[]), ['1 one: m1', '2 two: m2']);
  const [one, answer, two, boundary, , last] = compacted.entries as readonly JsonObject[];
  const direct = { ...last, parentUuid: boundary?.uuid ?? null };
  assert.deepEqual(turnsOf(context, [one, answer, two, boundary, direct]), ['1 one: m1', '2 two: m2']);
});

test('parents that name each other do no harm', (context) => {
  const loop = [
    { ...attachment, uuid: 'x', parentUuid: 'y' },
    { ...attachment, uuid: 'y', parentUuid: 'x' },
  ];
  assert.deepEqual(turnsOf(context, [p1, a1, { ...a2, parentUuid: 'x' }, ...loop, p4, a4]), [
    '1 one: m1 m2',
    '2 four: m4',
  ]);
});

test('2.1.150 wrote the first answer before its prompt: the turn has both', () => {
  const file = 'corpus/real/2.1.150/tui-mixed/-home-kim-widgets/d02fe92c-fa22-4442-8565-c9f5addab968.jsonl';
  const [first, second] = readTurns(path.join(corpusFolder, file), undefined, { isOver: true }).turns;
  assert.deepEqual(
    [first, second].map((turn) => turn?.prompt?.text),
    ['Say hello [[plain]]', 'What is it? [[thinking]]'],
  );
  assert.deepEqual(
    first?.messages.map(({ id, startMs, endMs }) => [id, startMs, endMs]),
    [['msg_01f9GhiNjXG4mFWTFdaGgUPu', Date.parse('2026-11-15T02:48:16.930Z'), Date.parse('2026-11-15T02:48:17.078Z')]],
  );
});

test('a sub-agent whose prompt was written after its first answer was asked what the prompt says', async (context) => {
  const folder = 'corpus/real/2.1.45/agent/-home-dev-widgets/497273d2-eb43-4a22-a38d-e8481a13dd2e/subagents';
  const agent = readFileSync(path.join(corpusFolder, folder, 'agent-a98ee2d.jsonl'), 'utf8');
  const main = transcript()
    .user('go')
    .call('t1', { message: { content: [{ type: 'tool_use', id: 't1', name: 'Task', input: {} }] } })
    .result('t1', { toolUseResult: { agentId: 'a98ee2d' } });
  const file = writeSession(context, { 'main.jsonl': main.text(), 'main/subagents/agent-a98ee2d.jsonl': agent });
  const times = { timestamp: '2026-11-15T02:30:00.000Z' };
  writeFileSync(file, main.text().replaceAll(/"timestamp":"[^"]*"/g, `"timestamp":"${times.timestamp}"`));
  const [span, generation] = (await allSpansOf(file)).filter(
    ({ detail }) => detail.kind === 'subagent' || (detail.kind === 'generation' && detail.agentId !== undefined),
  );
  assert.equal(span?.detail.input, 'Count the js files. [[child-a]]');
  assert.deepEqual(
    [span?.startMs, generation?.startMs],
    [Date.parse('2026-11-15T02:29:57.213Z'), Date.parse('2026-11-15T02:29:57.213Z')],
  );
});

function turnsOf(context: TestContext, entries: readonly (JsonObject | undefined)[], isOver = true): readonly string[] {
  const file = path.join(temporaryFolder(context), 's.jsonl');
  writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return readTurns(file, undefined, { isOver }).turns.map(shape);
}

function shape({ number, prompt, messages }: ReturnType<typeof readTurns>['turns'][number]): string {
  return `${number} ${prompt?.text ?? '-'}: ${messages.map(({ id }) => id).join(' ')}`;
}
