// The lines that a walk from leaf to root misses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResumeGraph } from '../../../src/session/resume/graph.ts';
import { chooseLeaf } from '../../../src/session/resume/leaf.ts';
import { reattach } from '../../../src/session/resume/reattach.ts';
import { walkChain } from '../../../src/session/resume/walk.ts';
import {
  namesOf,
  type TranscriptBuilder,
  text,
  toolResult,
  toolUse,
  transcript,
} from '../../support/transcript-builder.ts';

function attached(builder: TranscriptBuilder): string[] {
  const { nodes, read } = builder.transcript();
  const graph = buildResumeGraph(nodes, read);
  const choice = chooseLeaf(graph);
  return 'refused' in choice ? [choice.refused] : namesOf(reattach(graph, walkChain(graph, choice.leaf)));
}

const m = { message: { id: 'm' } };

test('other lines of a message go behind its last line in the chain, in file order (rule 20)', () => {
  const builder = transcript().user('q').assistant('1', m).from('u1').assistant('2', m).from('u1').assistant('3', m);
  assert.deepEqual(attached(builder.lastPrompt('a2', { explicit: true })), ['u1', 'a2', 'a1', 'a3']);
});

test('lines are related by message id only, and side lines never (rules 20 and 24)', () => {
  const same = { requestId: 'req', message: { id: undefined } };
  const byRequest = transcript().user('q').assistant('1', same).from('u1').assistant('2', same);
  assert.deepEqual(attached(byRequest), ['u1', 'a2']);
  const side = transcript()
    .user('q')
    .assistant('1', { ...m, isSidechain: true })
    .from('u1')
    .assistant('2', m);
  assert.deepEqual(attached(side), ['u1', 'a2']);
});

test('a side line in the chain is sent (rule 24)', () => {
  assert.deepEqual(attached(transcript().user('q', { isSidechain: true }).assistant('1')), ['u1', 'a1']);
});

test('results beside the chain go behind their message, by file order among the results there (rule 21)', () => {
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

test('results come before a text that was typed behind the results of the chain (rule 21)', () => {
  const builder = transcript().user('q').call('t1', m).call('t2', m).result('t2').user('typed').from('a1').result('t1');
  assert.deepEqual(attached(builder.lastPrompt('u2', { explicit: true })), ['u1', 'a1', 'a2', 'r1', 'r2', 'u2']);
});

test('a result comes along because of its parent, whatever call it names (rule 21)', () => {
  const builder = transcript().user('q').call('t1', m).result('other').from('a1').result('t1').assistant('done');
  assert.deepEqual(attached(builder), ['u1', 'a1', 'r1', 'r2', 'a2']);
});

test('attachments on such a result come along behind it (rule 22)', () => {
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

test('an open call brings the way to a deeper result, results and attachments only (rule 23)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2')], m)
    .result('t1')
    .system('informational')
    .user('typed')
    .attachment('file')
    .result('t2');
  assert.deepEqual(attached(builder.lastPrompt('a1', { explicit: true })), ['u1', 'a1', 'r1', 'x1', 'r2']);
});

test('a second way that starts at a line which is not sent begins where that line would stand (rule 23)', () => {
  const builder = transcript()
    .user('q')
    .assistant([toolUse('t1'), toolUse('t2'), toolUse('t3')], m)
    .result('t1')
    .user('typed')
    .result('t2')
    .from('u2')
    .result('t3');
  assert.deepEqual(attached(builder.lastPrompt('a1', { explicit: true })), ['u1', 'a1', 'r1', 'r3', 'r2']);
});

test('a way to a deeper result that does not reach the chain brings nothing (rule 23)', () => {
  const builder = transcript().user('q').call('t1', m).from(null).result('t1');
  assert.deepEqual(attached(builder.lastPrompt('a1', { explicit: true })), ['u1', 'a1']);
});

test('a way that leads round in a circle is put behind the call (rule 23)', () => {
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

test('only lines behind the boundary that starts the chain, and lines it keeps, are re-attached (rules 20 to 23)', () => {
  const old = transcript().user('q').assistant('old', m).boundary().summary('so far').assistant('new', m);
  assert.deepEqual(attached(old), ['b1', 'u2', 'a2']);
  const kept = transcript()
    .user('q')
    .assistant('old', m)
    .boundary({ preservedMessages: { anchorUuid: 'u2', uuids: ['a1'] } })
    .summary('so far')
    .from('u2')
    .assistant('new', m);
  assert.deepEqual(attached(kept), ['b1', 'u2', 'a1', 'a2']);
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
