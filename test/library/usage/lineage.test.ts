// Which session counts a message that several files hold. In every case the original has the later id and its file is
// written last, so that neither the order of ids nor that of reading gives the right answer.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { compareAges, madeAtOf, type SessionAge } from '../../../src/library/usage/lineage.ts';
import { answerLine, makeLibrary } from '../../support/usage-library.ts';

const [copyId, secondId, originalId] = ['1', '2', '9'].map((digit) => `${digit.repeat(8)}-1111-4111-a111-111111111111`);
assert.ok(copyId !== undefined && secondId !== undefined && originalId !== undefined);

const message = { id: 'msg_1', requestId: 'req_1', output: 5 };
const from = (sessionId: string): { top: { forkedFrom: { sessionId: string } } } => ({
  top: { forkedFrom: { sessionId } },
});
const line = (sessionId: string, fields: object = {}): string => answerLine({ ...message, sessionId, ...fields });
const queue = (sessionId: string, timestamp: string): string =>
  JSON.stringify({ type: 'queue-operation', operation: 'dequeue', timestamp, sessionId });

const prompt = (sessionId: string, origin: string): string =>
  JSON.stringify({ type: 'user', sessionId, forkedFrom: { sessionId: origin }, message: { content: 'x' } });

/** Files by session id → the session that counts the message. */
function counted(context: TestContext, files: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const named = Object.fromEntries(Object.entries(files).map(([id, lines]) => [`-w-p/${id}.jsonl`, lines]));
  const { count } = makeLibrary(context, named);
  return count().map(({ session }) => session.sessionId);
}

const cases: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'a line with forkedFrom is a copy': {
    [copyId]: [line(copyId, from(originalId))],
    [originalId]: [line(originalId)],
  },
  'also where the session it names is gone': {
    [copyId]: [line(copyId, from(secondId))],
    [originalId]: [line(originalId)],
  },
  'a line with the id of another session is a copy (2.1.45)': {
    [copyId]: [line(originalId)],
    [originalId]: [line(originalId)],
  },
  'another line that names the session is enough (2.0.50)': {
    [copyId]: [JSON.stringify({ type: 'user', sessionId: originalId, message: { content: 'x' } }), line(copyId)],
    [originalId]: [line(originalId)],
  },
  'a copy that begins with lines of its own': {
    [copyId]: [queue(copyId, '2026-03-02T10:00:00.000Z'), line(copyId)],
    [originalId]: [line(originalId)],
  },
  'an original that has an older line': {
    [copyId]: [line(copyId)],
    [originalId]: [queue(originalId, '2026-03-01T09:59:59.000Z'), line(originalId)],
  },
  'the mark on the line is stronger than the lineage of the files': {
    [copyId]: [line(copyId, from(secondId))],
    [originalId]: [...['x', 'y'].map((id) => prompt(originalId, id)), line(originalId)],
  },
  'of two copies the one that the other came from': {
    [copyId]: [line(copyId, from(originalId))],
    [originalId]: [line(originalId, from('00000000-0000-4000-8000-000000000000'))],
  },
};

for (const [name, files] of Object.entries(cases)) {
  test(`the original counts: ${name}`, (context) => {
    assert.deepEqual(counted(context, files), [originalId]);
  });
}

test('what was said in a copy counts there, also where a client copied the copy', (context) => {
  const own = { ...message, id: 'msg_2', sessionId: secondId };
  const sessions = counted(context, {
    [originalId]: [line(originalId)],
    // Made by Clew, then continued.
    [secondId]: [line(secondId, from(originalId)), answerLine(own)],
    // A client's fork of that: the marks stay on the lines.
    [copyId]: [
      queue(copyId, '2026-03-02T10:00:00.000Z'),
      line(copyId, from(originalId)),
      answerLine({ ...own, sessionId: copyId }),
    ],
  });
  assert.deepEqual(sessions, [originalId, secondId]);
});

test('of two that begin alike the one that ended first counts, not the one whose file is older', (context) => {
  const own = answerLine({ ...message, id: 'msg_2', sessionId: copyId, time: '2026-03-05T10:00:00.000Z' });
  const sessions = counted(context, { [copyId]: [line(copyId), own], [originalId]: [line(originalId)] });
  assert.deepEqual(sessions, [originalId, copyId]);
});

test('when the original is removed its copy counts', (context) => {
  const { root, count } = makeLibrary(context, {
    [`-w-p/${copyId}.jsonl`]: [line(copyId, from(originalId))],
    [`-w-p/${originalId}.jsonl`]: [line(originalId)],
  });
  assert.deepEqual(
    count().map(({ session }) => session.sessionId),
    [originalId],
  );
  rmSync(path.join(root, `projects/-w-p/${originalId}.jsonl`));
  assert.deepEqual(
    count().map(({ session }) => session.sessionId),
    [copyId],
  );
});

test('a copy under another message id, with zeros as usage, is not a message', (context) => {
  const zeros = { input_tokens: 0, output_tokens: 0 };
  const renamed = answerLine({ id: 'msg_new', sessionId: copyId, usage: zeros, ...from(originalId) });
  assert.deepEqual(counted(context, { [copyId]: [renamed], [originalId]: [line(originalId)] }), [originalId]);
});

const age = (sessionId: string, fields: Partial<SessionAge> = {}): SessionAge => ({
  sessionId,
  startedAt: 0,
  firstAt: 0,
  madeAt: 0,
  endedAt: 0,
  path: sessionId,
  ...fields,
});

test('a file counts as made when it was, unless all of its lines are older: then it was copied', () => {
  const [born, before, after] = [1000, 900, 1100];
  assert.equal(madeAtOf(born, after), born);
  assert.equal(madeAtOf(born, before), before);
  assert.equal(madeAtOf(null, before), before);
  assert.equal(madeAtOf(born, null), null);
  const compare = compareAges(new Map());
  const original = age('b', { madeAt: madeAtOf(500, 900), endedAt: 900 });
  assert.ok(compare(original, age('a', { madeAt: madeAtOf(1000, 900), endedAt: 900 })) < 0, 'a copy that is not used');
  assert.ok(compare(original, age('a', { madeAt: madeAtOf(800, 850), endedAt: 850 })) < 0, 'used longer than its copy');
});

test('the session that ended first is before its copy only where nothing else decides; an unknown time is the last', () => {
  const compare = compareAges(new Map());
  assert.ok(compare(age('b', { endedAt: 1 }), age('a', { endedAt: 2 })) < 0);
  assert.ok(compare(age('b', { endedAt: 2, firstAt: 1 }), age('a', { endedAt: 1, firstAt: 2 })) < 0);
  assert.ok(compare(age('b', { firstAt: 2, startedAt: 1 }), age('a', { firstAt: 1, startedAt: 2 })) < 0);
  assert.ok(compare(age('b', { endedAt: 1 }), age('a', { endedAt: null })) < 0);
});

test('sessions that name each other have no order by lineage, and a copy of both comes after them', () => {
  const origins = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['a'])],
    ['c', new Set(['a'])],
  ]);
  const ages = ['c', 'b', 'a'].map((id) => age(id, { endedAt: id === 'a' ? 2 : 1 }));
  for (const order of [ages, ages.toReversed()]) {
    assert.deepEqual(
      order.toSorted(compareAges(origins)).map(({ sessionId }) => sessionId),
      ['b', 'a', 'c'],
    );
  }
});
