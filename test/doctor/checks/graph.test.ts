// What each break of the chain costs: the same damage is judged by what this session loses for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Diagnosis, diagnoseSession } from '../../../src/doctor/diagnosis/diagnose.ts';
import { type TranscriptBuilder, text, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';

async function listFindings(builder: TranscriptBuilder): Promise<string[]> {
  const { findings } = await diagnoseSession(builder.session());
  return findings.map(({ code, severity, line, effect }) => `${severity} ${code} ${line}: ${effect}`);
}

async function reach(builder: TranscriptBuilder): Promise<string> {
  const { reachable, reachableOld }: Diagnosis = await diagnoseSession(builder.session());
  return `${reachable.loaded}/${reachable.of} ${reachableOld.loaded}/${reachableOld.of}`;
}

const gap = { parentUuid: 'never-written' };

test('a missing parent is a loss where the gap is too long to be bridged', async () => {
  const broken = transcript().user('a').assistant('b').after(9000).user('c', gap).assistant('d');
  assert.deepEqual(await listFindings(broken), [
    'loss G-phantom-parent 3: a resume begins here: it loads 2 of 4 entries',
  ]);
  assert.equal(await reach(broken), '2/4 2/4');
});

test('a missing parent within five seconds costs only older clients something', async () => {
  const bridged = transcript().user('a').assistant('b').user('c', gap).assistant('d');
  assert.deepEqual(await listFindings(bridged), [
    'warn G-phantom-parent 3: the current client bridges it; clients up to 2.1.45 begin here: it loads 2 of 4 entries',
  ]);
  assert.equal(await reach(bridged), '4/4 2/4');
});

test('a missing parent on a branch that nobody resumes costs nothing', async () => {
  const away = transcript().user('a').assistant('b').user('c', gap).from('a1').after(20_000).user('d').assistant('e');
  assert.deepEqual(await listFindings(away), [
    'info G-phantom-parent 3: it is on a branch that a resume does not take',
  ]);
});

test('of two breaks the later one is where a resume begins', async () => {
  const twice = transcript().user('a').after(9000).assistant('b', gap).after(9000).user('c', gap).assistant('d');
  assert.deepEqual(await listFindings(twice), [
    'loss G-phantom-parent 2: a resume begins further on, and would begin here without that: it loads 2 of 4 entries',
    'loss G-phantom-parent 3: a resume begins here: it loads 2 of 4 entries',
  ]);
});

test('results of parallel calls are put back by the current client and lost by older ones', async () => {
  const message = { id: 'm1' };
  const parallel = transcript()
    .user('go')
    .assistant([toolUse('t1')], { message })
    .assistant([toolUse('t2')], { message })
    .user([toolResult('t2')])
    .from('a1')
    .user([toolResult('t1')])
    .from('u2')
    .assistant('done');
  assert.deepEqual(await listFindings(parallel), [
    'info G-parallel-lost 5: the current client puts it back; clients up to 2.1.45 leave it out',
  ]);
  assert.equal(await reach(parallel), '6/6 5/6');
});

test('a newer branch that a pin leaves out is a loss, unless the user went back on purpose', async () => {
  const lines = () =>
    transcript().user('a').assistant('b').user('c').assistant('d').from('a1').user('e').assistant('f');
  assert.deepEqual(await listFindings(lines().lastPrompt('a2')), ['loss G-lost-leaf 6: 2 newer entries are left out']);
  assert.deepEqual(await listFindings(lines().lastPrompt('a2', { explicit: true })), []);
  assert.deepEqual(await listFindings(lines()), []);
});

test('a boundary without a summary cuts the history off; with one it is fine wherever its parent is', async () => {
  const bare = transcript().user('a').assistant('b').boundary().user('c').assistant('d');
  assert.deepEqual(await listFindings(bare), [
    'loss G-boundary-parent 3: a resume begins here, with nothing in the place of what it cut off',
  ]);
  assert.equal(await reach(bare), '2/4 2/4');
  const summed = transcript().boundary({}, { logicalParentUuid: 'gone' }).summary('so far').user('c').assistant('d');
  assert.deepEqual(await listFindings(summed), ['info G-boundary-parent 1: nothing is lost: the summary replaces it']);
});

test('a uuid written twice costs a message only where the two differ', async () => {
  const lines = () =>
    transcript()
      .user('a')
      .assistant([text('b')])
      .assistant([text('b')], { uuid: 'a1', parentUuid: 'u1', message: { id: 'm1' } });
  assert.deepEqual(await listFindings(lines().from('a1').user('c')), [
    'info G-duplicate-uuid 3: both say the same; nothing is lost',
  ]);
  const differs = transcript()
    .user('a')
    .assistant('b')
    .assistant('x', { uuid: 'a1', parentUuid: 'u1', message: { id: 'm1' } });
  assert.deepEqual(await listFindings(differs), [
    'loss G-duplicate-uuid 3: a resume reads only the later one: a message is left out',
  ]);
});

test('a progress line after its child is a dead end; the client passes through one before it', async () => {
  const fork = transcript()
    .user('a')
    .assistant('b')
    .after(9000)
    .user('c', { parentUuid: 'p1' })
    .assistant('d')
    .progress({ parentUuid: 'a1' });
  assert.deepEqual(await listFindings(fork), ['loss G-progress-fork 3: a resume begins here: it loads 2 of 4 entries']);
  const passed = transcript().user('a').progress().assistant('b');
  assert.deepEqual(await listFindings(passed), [
    'info G-progress-fork 3: Claude Code passes through them; readers that skip progress lines lose everything before them',
  ]);
});

test('lines of another session are foreign only where they hang on nothing of this one', async () => {
  const other = { sessionId: 'other' };
  const forked = transcript().user('a', other).assistant('b', other).user('c').assistant('d');
  assert.deepEqual(await listFindings(forked), []);
  const broken = transcript()
    .user('a', other)
    .assistant('b', other)
    .user('c', { ...other, ...gap })
    .user('d');
  assert.deepEqual(await listFindings(broken), [
    'warn G-phantom-parent 3: the current client bridges it; clients up to 2.1.45 begin here: it loads 2 of 4 entries',
  ]);
  const mixed = transcript().user('a').assistant('b').from(null).user('x', other).assistant('y', other);
  assert.deepEqual(await listFindings(mixed), [
    'loss G-foreign 3: a resume continues that session instead of this one',
  ]);
});

test('a session that is not resumed says why', async () => {
  const timeless = transcript().user('a').assistant('b', { timestamp: 'yesterday' });
  const { findings } = await diagnoseSession(timeless.session());
  assert.deepEqual(
    findings.map(({ code, severity, message }) => [code, severity, message]),
    [['G-refused', 'fatal', 'No conversation found: the last message (line 2) has no valid timestamp']],
  );
});

test('each of many breaks is reported', async () => {
  const long = transcript();
  for (let i = 0; i < 300; i++) long.user(`${i}`, gap);
  const { findings } = await diagnoseSession(long.session());
  assert.equal(findings.filter(({ code }) => code === 'G-phantom-parent').length, 299);
});

test('a session that the client compacts before it handles a prompt says so', async () => {
  const answered = (tokens: number): TranscriptBuilder =>
    transcript()
      .user('q')
      .assistant('a', { message: { model: 'claude-opus-4-6', usage: { input_tokens: tokens, output_tokens: 0 } } });
  assert.equal((await diagnoseSession(answered(160_000).session())).compactsFirst, null);
  const { compactsFirst, findings } = await diagnoseSession(answered(170_000).session());
  assert.deepEqual(compactsFirst, { tokens: 172_400, limit: 167_000 });
  assert.deepEqual(findings, []);
});
