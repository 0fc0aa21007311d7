// What clients up to 2.1.45 take when they resume (INTEROP §6): other rules than those of the current one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oldResumeLines } from '../../../../src/session/resume/request/request.ts';
import { namesOf, type TranscriptBuilder, transcript } from '../../../support/transcript-builder.ts';

function taken(builder: TranscriptBuilder): string[] {
  const resumed = oldResumeLines(builder.transcript());
  return 'refused' in resumed ? [resumed.refused] : namesOf(resumed.lines);
}

test('the newest line by its time is the end, wherever it is and whatever is pinned', () => {
  const lines = transcript()
    .user('a')
    .assistant('b')
    .user('c', { timestamp: '2026-02-01T00:00:00Z' })
    .from('a1')
    .user('d');
  assert.deepEqual(taken(lines.lastPrompt('u3')), ['u1', 'a1', 'u2']);
});

test('a missing parent and an unknown type are the beginning', () => {
  assert.deepEqual(taken(transcript().user('a').assistant('b', { parentUuid: 'gone' }).user('c')), ['a1', 'u2']);
  const odd = { type: 'odd', uuid: 'o1', parentUuid: 'u1' };
  assert.deepEqual(taken(transcript().user('a').entry(odd).from('o1').assistant('b')), ['a1']);
});

test('progress lines are passed through, what is next to the chain is left out', () => {
  assert.deepEqual(taken(transcript().user('a').progress().assistant('b')), ['u1', 'a1']);
  const message = { id: 'm1' };
  const parallel = transcript()
    .user('a')
    .call('t1', { message })
    .call('t2', { message })
    .result('t2')
    .from('a1')
    .result('t1');
  assert.deepEqual(taken(parallel.from('r1').assistant('done')), ['u1', 'a1', 'a2', 'r1', 'a3']);
});

test('a boundary ends the walk, and nothing that it preserves is put back', () => {
  const kept = { preservedMessages: { anchorUuid: 'u2', uuids: ['u1', 'a1'] } };
  assert.deepEqual(taken(transcript().user('a').assistant('b').boundary(kept).summary('s').user('c')), [
    'b1',
    'u2',
    'u3',
  ]);
});

test('a circle ends', () => {
  assert.deepEqual(taken(transcript().user('a', { parentUuid: 'a1' }).assistant('b')), ['u1', 'a1']);
});
