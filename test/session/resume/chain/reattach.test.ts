// The lines that a walk from leaf to root misses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResumeGraph } from '../../../../src/session/resume/chain/graph.ts';
import { chooseLeaf, walkChain } from '../../../../src/session/resume/chain/leaf.ts';
import { reattach } from '../../../../src/session/resume/chain/reattach.ts';
import {
  namesOf,
  type TranscriptBuilder,
  text,
  toolResult,
  toolUse,
  transcript,
} from '../../../support/transcript-builder.ts';

function attached(builder: TranscriptBuilder): string[] {
  const { nodes, read } = builder.transcript();
  const graph = buildResumeGraph(nodes, read);
  const choice = chooseLeaf(graph);
  return 'refused' in choice ? [choice.refused] : namesOf(reattach(graph, walkChain(graph, choice.leaf)));
}

const m = { message: { id: 'm' } };

test('other lines of a message go after its last line in the chain, in file order (rule 20)', () => {
  const builder = transcript().user('q').assistant('1', m).from('u1').assistant('2', m).from('u1').assistant('3', m);
  assert.deepEqual(attached(builder.lastPrompt('a2', { explicit: true })), ['u1', 'a2', 'a1', 'a3']);
});

test('lines are related by message id, not by request id (rule 20)', () => {
  const same = { requestId: 'req', message: { id: undefined } };
  assert.deepEqual(attached(transcript().user('q').assistant('1', same).from('u1').assistant('2', same)), ['u1', 'a2']);
});

test('side lines of a message and results that hang on it are re-attached (rules 20 and 21, against 24)', () => {
  const side = { isSidechain: true };
  const line = transcript()
    .user('q')
    .assistant('1', { ...m, ...side, parentUuid: null })
    .from('u1')
    .assistant('2', m);
  assert.deepEqual(attached(line), ['u1', 'a2', 'a1']);
  const result = transcript()
    .user('q')
    .call('t1', m)
    .call('t2', m)
    .from('a1')
    .result('t1', side)
    .from('a2')
    .result('t2');
  assert.deepEqual(attached(result.assistant('done')), ['u1', 'a1', 'a2', 'r1', 'r2', 'a3']);
});

test('a side line in the chain is sent (rule 24)', () => {
  assert.deepEqual(attached(transcript().user('q', { isSidechain: true }).assistant('1')), ['u1', 'a1']);
});

test('results next to the chain go after their message, by file order among the results there (rule 21)', () => {
  const calls = (): TranscriptBuilder => transcript().user('q').call('t1', m).call('t2', m).call('t3', m);
  const chained = calls().from('a1').result('t1').from('a2').result('t2').from('a3').result('t3').assistant('done');
  assert.deepEqual(attached(chained), ['u1', 'a1', 'a2', 'a3', 'r1', 'r2', 'r3', 'a4']);
  const backwards = calls()
    .from('a3')
    .result('t3')
    .assistant('done')
    .from('a1')
    .result('t1')
    .lastPrompt('a4', { explicit: true });
  assert.deepEqual(attached(backwards), ['u1', 'a1', 'a2', 'a3', 'r1', 'r2', 'a4']);
});

test('results come before a text that was typed after the results of the chain (rule 21)', () => {
  const builder = transcript().user('q').call('t1', m).call('t2', m).result('t2').user('typed').from('a1').result('t1');
  assert.deepEqual(attached(builder.lastPrompt('u2', { explicit: true })), ['u1', 'a1', 'a2', 'r1', 'r2', 'u2']);
});

test('a result comes along because of its parent, whatever call it names (rule 21)', () => {
  const builder = transcript().user('q').call('t1', m).result('other').from('a1').result('t1').assistant('done');
  assert.deepEqual(attached(builder), ['u1', 'a1', 'r1', 'r2', 'a2']);
});

test('attachments on such a result come along after it (rule 22)', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .call('t2', m)
    .from('a1')
    .result('t1')
    .attachment('file')
    .attachment('hook')
    .from('r1')
    .attachment('todo')
    .from('a2')
    .result('t2')
    .assistant('done');
  assert.deepEqual(attached(builder), ['u1', 'a1', 'a2', 'r1', 'x1', 'x2', 'x3', 'r2', 'a3']);
});

test('an open call gets the first result for it, wherever it is in the file (rule 23)', () => {
  const open = (): TranscriptBuilder => transcript().user('q').call('t1', m).assistant('done');
  const pinned = { explicit: true };
  assert.deepEqual(attached(open().from(null).result('t1').from(null).result('t1').lastPrompt('a2', pinned)), [
    'u1',
    'a1',
    'r1',
    'a2',
  ]);
  assert.deepEqual(attached(open().result('t1', { parentUuid: 'missing' }).lastPrompt('a2', pinned)), [
    'u1',
    'a1',
    'r1',
    'a2',
  ]);
  assert.deepEqual(attached(open().user('typed').result('t1').lastPrompt('a2', pinned)), ['u1', 'a1', 'r1', 'a2']);
  assert.deepEqual(attached(transcript().result('t1').from(null).user('q').call('t1', m).assistant('done')), [
    'u1',
    'a1',
    'r1',
    'a2',
  ]);
});

test('a result for an open call comes with the attachments below it, not with the way that leads to it (rule 23)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2')], m)
    .result('t1')
    .user('typed')
    .attachment('custom', ['above'])
    .result('t2')
    .attachment('custom', ['below']);
  assert.deepEqual(attached(builder.lastPrompt('a1', { explicit: true })), ['u1', 'a1', 'r1', 'r2', 'x2']);
});

test('results for open calls are in file order among the results there (rule 23)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2'), toolUse('t3')], m)
    .result('t2')
    .assistant('done')
    .from(null)
    .result('t3')
    .from(null)
    .result('t1');
  assert.deepEqual(attached(builder.lastPrompt('a2', { explicit: true })), ['u1', 'a1', 'r1', 'r2', 'r3', 'a2']);
});

test('a result that hangs on a later answer is found by its call (rules 21 and 23)', () => {
  const builder = transcript().user('q').call('t1', m).assistant('x').result('t1').from('a2').assistant('done');
  assert.deepEqual(attached(builder), ['u1', 'a1', 'r1', 'a2', 'a3']);
});

test('a side result is not an answer to an open call (rule 23)', () => {
  const builder = transcript().user('q').call('t1', m).assistant('done').from(null).result('t1', { isSidechain: true });
  assert.deepEqual(attached(builder), ['u1', 'a1', 'a2']);
});

test('a call that two messages make, or a message without id, gets no stray result (rule 23)', () => {
  const twice = transcript().user('q').call('t1').result('t1').from('u1').call('t1').assistant('done');
  assert.deepEqual(attached(twice), ['u1', 'a2', 'a3']);
  const nameless = transcript()
    .user('q')
    .call('t1', { message: { id: undefined } })
    .result('t1')
    .from('a1')
    .assistant('done');
  assert.deepEqual(attached(nameless), ['u1', 'a1', 'a2']);
});

test('a result whose parents lead round in a circle is found like any other (rule 23)', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .from('u2')
    .result('t1')
    .user('circle')
    .from('a1')
    .assistant('done');
  assert.deepEqual(attached(builder), ['u1', 'a1', 'r1', 'a2']);
});

test('a boundary keeps no line of a message on the chain away (rules 20 and 21)', () => {
  const line = transcript().user('q').assistant('old', m).boundary().summary('so far').assistant('new', m);
  assert.deepEqual(attached(line), ['b1', 'u2', 'a2', 'a1']);
  const result = transcript()
    .user('q')
    .call('t1', m)
    .result('t1')
    .boundary()
    .summary('so far')
    .call('t2', m)
    .result('t2');
  assert.deepEqual(attached(result.assistant('done')), ['b1', 'u2', 'a2', 'a1', 'r1', 'r2', 'a3']);
});

test('what a compaction forgot is not re-attached (rule 18)', () => {
  const builder = transcript()
    .user('q')
    .assistant('old', m)
    .assistant('kept', m)
    .boundary({ preservedMessages: { anchorUuid: 'u2', uuids: ['a2'] } })
    .summary('so far')
    .from('u2')
    .assistant('new', m);
  assert.deepEqual(attached(builder), ['b1', 'u2', 'a2', 'a3']);
});

test('of a result written twice the later content is in the first place (rules 3 and 21)', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .call('t2', m)
    .from('a1')
    .result('t1')
    .from('a2')
    .result('t2')
    .assistant('done');
  builder.from('a1').user([toolResult('t1', 'again')], { uuid: 'r1' });
  assert.deepEqual(attached(builder.lastPrompt('a3', { explicit: true })), ['u1', 'a1', 'a2', 'r1', 'r2', 'a3']);
});

test('a result line that is also a prompt is re-attached like any result (rule 21)', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .call('t2', m)
    .result('t2')
    .from('a1')
    .user([toolResult('t1'), text('and this')])
    .from('r1')
    .assistant('done');
  assert.deepEqual(attached(builder), ['u1', 'a1', 'a2', 'r1', 'u2', 'a3']);
});
