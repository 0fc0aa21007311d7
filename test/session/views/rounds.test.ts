// The priorities of seed 004, and why nothing is built on them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '../../../src/session/views/views.ts';
import { type TranscriptBuilder, text, toolResult, transcript } from '../../support/transcript-builder.ts';

function rounds(builder: TranscriptBuilder): string[] {
  return roundsOf(builder.session()).map(({ type, node }) => `${node.uuid} ${type}`);
}

test('a permission mode comes first, then a root, then a result, then the time', () => {
  const builder = transcript()
    .user('task')
    .call('t1')
    .result('t1')
    .assistant('a')
    .user('continue')
    .assistant('b')
    .after(5 * 60_000 + 1)
    .user('back again')
    .assistant('c')
    .user([toolResult('t9')], { permissionMode: 'default' })
    .after(6 * 60_000)
    .result('t8');
  assert.deepEqual(rounds(builder), [
    'u1 new_session',
    'r1 continue',
    'u2 new_round',
    'u3 resume',
    'u4 new_session',
    'r2 continue',
  ]);
});

test('five minutes are not yet a gap, and a permission mode of null is not a gap', () => {
  const builder = transcript()
    .user('q')
    .assistant('a')
    .after(5 * 60_000)
    .user('r', { permissionMode: null });
  assert.deepEqual(rounds(builder), ['u1 new_session', 'u2 new_round']);
});

test('a result next to text, or without an id, still continues a round', () => {
  const builder = transcript()
    .user('q')
    .call('t1')
    .user([toolResult('t1'), text('and')])
    .user([{ type: 'tool_result' }]);
  assert.deepEqual(rounds(builder), ['u1 new_session', 'u2 continue', 'u3 continue']);
});

test('a time that cannot be read is not a gap', () => {
  assert.deepEqual(
    rounds(transcript().user('q').assistant('a').after(900_000).user('r', { timestamp: '' }).assistant('b')),
    ['u1 new_session', 'u2 new_round'],
  );
});

test('only the active branch is looked at', () => {
  assert.deepEqual(rounds(transcript().user('q').assistant('a').user('old').from('a1').user('new')), [
    'u1 new_session',
    'u3 new_round',
  ]);
});
