import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf, type TranscriptBuilder, toolUse, transcript } from '../../support/transcript-builder.ts';

/** Each branch as its lines, with the line it leaves from and its side lines. */
function branches(builder: TranscriptBuilder): unknown[] {
  return builder.session().branches.map(({ active, fork, nodes, sideLines, isReplay }) => ({
    ...(active ? { active } : {}),
    ...(isReplay ? { isReplay } : {}),
    ...(fork === undefined ? {} : { fork: fork.uuid }),
    lines: namesOf(nodes).join(' '),
    ...(sideLines.size === 0
      ? {}
      : { sideLines: [...sideLines].map(([at, lines]) => `${at.uuid}: ${namesOf(lines).join(' ')}`) }),
  }));
}

const m = { message: { id: 'm' } };

test('the active branch comes first, then the others from the newest, each from its fork', () => {
  const builder = transcript()
    .user('1')
    .assistant('1')
    .user('2')
    .assistant('2')
    .from('a1')
    .user('3')
    .from('u1')
    .assistant('4');
  assert.deepEqual(branches(builder), [
    { active: true, lines: 'u1 a3' },
    { fork: 'u1', lines: 'a1 u3' },
    { fork: 'a1', lines: 'u2 a2' },
  ]);
});

test('the active branch is the one that a resume continues', () => {
  const builder = transcript().user('1').assistant('1').from('u1').assistant('2').lastPrompt('a1', { explicit: true });
  assert.deepEqual(branches(builder), [
    { active: true, lines: 'u1 a1' },
    { fork: 'u1', lines: 'a2' },
  ]);
});

test('where the client refuses the file, the last message is the end of the active branch', () => {
  const builder = transcript().user('1').assistant('1', { timestamp: 'never' });
  assert.deepEqual(branches(builder), [{ active: true, lines: 'u1 a1' }]);
});

test('results of parallel calls and other lines of a message make no branch of their own', () => {
  const builder = transcript()
    .user('q')
    .call('t1', m)
    .call('t2', m)
    .from('a1')
    .result('t1')
    .from('a2')
    .result('t2')
    .from('u1')
    .assistant('more', m)
    .from('r2')
    .assistant('done');
  assert.deepEqual(branches(builder), [{ active: true, lines: 'u1 a1 a2 r2 a4', sideLines: ['a1: a3 r1'] }]);
});

test('a second result for an answered call is a side line of the branch that it follows', () => {
  const builder = transcript().user('q').call('t1').result('t1').assistant('done').from('a1').result('t1');
  assert.deepEqual(branches(builder.lastPrompt('a2', { explicit: true })), [
    { active: true, lines: 'u1 a1 r1 a2', sideLines: ['a1: r2'] },
  ]);
});

test('history that was written again is a branch of its own, and its lines are not side lines of the first', () => {
  const history = (builder: TranscriptBuilder): TranscriptBuilder =>
    builder
      .user('q')
      .assistant('a', m)
      .assistant([toolUse('t1')], m)
      .result('t1')
      .assistant('b', { message: { id: 'n' } });
  const builder = history(history(transcript()).from(null)).user('next');
  assert.deepEqual(branches(builder), [
    { active: true, lines: 'u2 a4 a5 r2 a6 u3' },
    { isReplay: true, lines: 'u1 a1 a2 r1 a3' },
  ]);
});

test('a line whose uuid is written again is on no branch', () => {
  const builder = transcript()
    .user('q')
    .assistant('old', m)
    .from('u1')
    .assistant('new', { uuid: 'a1', ...m });
  const [branch, ...others] = builder.session().branches;
  assert.deepEqual([branch?.nodes.map((node) => node.line), branch?.sideLines.size, others.length], [[1, 3], 0, 0]);
});

test('sidechain lines are not a branch of a main conversation, but they are the conversation of an agent', () => {
  const side = { isSidechain: true };
  const main = transcript().user('q').assistant('a').from(null).user('task', side).assistant('done', side);
  assert.deepEqual(branches(main), [{ active: true, lines: 'u1 a1' }]);
  assert.deepEqual(branches(transcript(side).user('task').assistant('done')), [{ active: true, lines: 'u1 a1' }]);
});

test('a compaction does not end a branch', () => {
  const builder = transcript().user('q').assistant('a').boundary().summary('so far').assistant('b');
  assert.deepEqual(branches(builder), [{ active: true, lines: 'u1 a1 b1 u2 a2' }]);
});

test('a file without messages has no branch', () => {
  assert.deepEqual(branches(transcript().aside('summary', { summary: 's' }).system('informational')), []);
});
