// From the leaf back to the start of the history.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResumeGraph } from '../../../../src/session/resume/chain/graph.ts';
import { bridgeMs, chooseLeaf, walkChain } from '../../../../src/session/resume/chain/leaf.ts';
import { namesOf, type TranscriptBuilder, transcript } from '../../../support/transcript-builder.ts';

function walked(builder: TranscriptBuilder): string[] {
  const { nodes, read } = builder.transcript();
  const graph = buildResumeGraph(nodes, read);
  const choice = chooseLeaf(graph);
  if ('refused' in choice) return [choice.refused];
  return namesOf(walkChain(graph, choice.leaf));
}

test('a null and an absent parent are both the start of the history (rule 8)', () => {
  assert.deepEqual(walked(transcript().user('0').from(null).user('1').assistant('1')), ['u2', 'a1']);
  assert.deepEqual(walked(transcript().user('0').user('1', { parentUuid: undefined }).assistant('1')), ['u2', 'a1']);
});

test('a cycle ends the walk where no line is near in time (rule 8)', () => {
  assert.deepEqual(walked(transcript().user('1', { parentUuid: 'a1' }).assistant('1')), ['u1', 'a1']);
  assert.deepEqual(walked(transcript().user('1').after(9000).assistant('self', { parentUuid: 'a1' })), ['a1']);
});

test('a parent that is in the walk already is bridged like a missing one (rules 8 and 9)', () => {
  assert.deepEqual(walked(transcript().user('1').assistant('self', { parentUuid: 'a1' })), ['u1', 'a1']);
  const cycle = transcript().user('0').user('1', { parentUuid: 'a1' }).assistant('1', { parentUuid: 'u2' });
  assert.deepEqual(walked(cycle), ['u1', 'u2', 'a1']);
});

test('a missing parent is bridged by the newest line that is not newer, at most five seconds older (rule 9)', () => {
  const dangling = (pause: number): string[] =>
    walked(transcript().user('1').assistant('1').after(pause).user('2', { parentUuid: 'missing' }));
  assert.deepEqual(dangling(bridgeMs), ['u1', 'a1', 'u2']);
  assert.deepEqual(dangling(bridgeMs + 1), ['u2']);
  assert.deepEqual(dangling(0), ['u1', 'a1', 'u2']);
  assert.deepEqual(dangling(-1), ['u1', 'u2']);
});

test('a bridge may lead to a note, a later line of the file, and of equal times to the first (rule 9)', () => {
  const note = transcript().user('1').system('informational').user('2', { parentUuid: 'missing' });
  assert.deepEqual(walked(note), ['u1', 's1', 'u2']);
  const later = transcript()
    .user('1')
    .after(2000)
    .user('2', { parentUuid: 'missing' })
    .from('u1')
    .after(-500)
    .assistant('later');
  assert.deepEqual(walked(later.lastPrompt('u2', { explicit: true })), ['u1', 'a1', 'u2']);
  const equal = transcript()
    .user('1')
    .assistant('1')
    .from('u1')
    .after(0)
    .assistant('2')
    .user('2', { parentUuid: 'missing' });
  assert.deepEqual(walked(equal), ['u1', 'a1', 'u2']);
});

test('a bridge never leads to a side line or to a line of the walk (rule 9)', () => {
  const side = transcript().user('1').assistant('side', { isSidechain: true }).user('2', { parentUuid: 'missing' });
  assert.deepEqual(walked(side), ['u1', 'u2']);
  const all = { parentUuid: 'missing' };
  assert.deepEqual(walked(transcript().user('1', all).after(0).user('2', all).after(0).user('3', all)), [
    'u2',
    'u1',
    'u3',
  ]);
});

test('a dangling line without a time, or a side line, starts the history (rule 9)', () => {
  const untimed = transcript()
    .user('1')
    .assistant('1')
    .user('2', { parentUuid: 'missing', timestamp: 'never' })
    .assistant('2');
  assert.deepEqual(walked(untimed), ['u2', 'a2']);
  const side = transcript().user('1').user('2', { parentUuid: 'missing', isSidechain: true }).assistant('2');
  assert.deepEqual(walked(side), ['u2', 'a1']);
});

test('notes that hang on the leaf through notes only come along, in file order (rule 15)', () => {
  const builder = transcript()
    .user('1')
    .assistant('1')
    .system('turn_duration')
    .attachment('file')
    .from('a1')
    .system('local_command')
    .from('s1')
    .user('2')
    .system('informational')
    .from('a1')
    .system('side', { isSidechain: true });
  assert.deepEqual(walked(builder.lastPrompt('a1', { explicit: true })), ['u1', 'a1', 's1', 'x1', 's2']);
});

test('a boundary ends the walk, whatever its parent (rule 17)', () => {
  const builder = transcript()
    .user('1')
    .assistant('1')
    .boundary({}, { parentUuid: 'a1' })
    .summary('so far')
    .assistant('2');
  assert.deepEqual(walked(builder), ['b1', 'u2', 'a2']);
});
