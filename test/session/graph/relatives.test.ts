import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf, nodeOf, transcript } from '../../support/transcript-builder.ts';

const m = { message: { id: 'm' } };

test('the lines of a message are found by its id, whatever is between them', () => {
  const session = transcript().user('q').call('t1', m).result('t1').assistant('x').assistant('y', m).session();
  assert.deepEqual(namesOf(session.relatives.linesOf(nodeOf(session, 'a1'))), ['a1', 'a3']);
  assert.deepEqual(namesOf(session.relatives.linesOf(nodeOf(session, 'u1'))), ['u1']);
});

test('a line without a message id is related to itself alone', () => {
  const none = { requestId: 'req', message: { id: undefined } };
  const session = transcript().user('q').assistant('x', none).assistant('y', none).session();
  assert.deepEqual(namesOf(session.relatives.linesOf(nodeOf(session, 'a1'))), ['a1']);
});

test('results are found by the id of their call, never by parent', () => {
  const session = transcript().user('q').call('t1').call('t2').result(['t2', 't1']).from(null).result('t1').session();
  assert.deepEqual(
    ['t1', 't2', 't3'].map((id) => namesOf(session.relatives.resultsFor(id))),
    [['r1', 'r2'], ['r1'], []],
  );
});

test('side lines belong to no main message, and in an agent all lines do', () => {
  const build = (isAgent: boolean) =>
    transcript(isAgent ? { isSidechain: true } : {})
      .user('q')
      .assistant('x', m)
      .assistant('side', { ...m, isSidechain: true })
      .session();
  assert.deepEqual(
    [build(false), build(true)].map((session) => namesOf(session.relatives.linesOf(nodeOf(session, 'a1')))),
    [['a1'], ['a1', 'a2']],
  );
});

test('a line whose uuid is written again is nobody’s relative', () => {
  const session = transcript()
    .user('q')
    .assistant('old', m)
    .from('u1')
    .assistant('new', { uuid: 'a1', ...m })
    .session();
  assert.deepEqual(
    session.relatives.linesOf(nodeOf(session, 'a1')).map((node) => node.line),
    [3],
  );
});
