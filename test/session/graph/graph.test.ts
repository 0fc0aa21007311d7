import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildGraph } from '../../../src/session/graph/graph.ts';
import { type TranscriptBuilder, transcript } from '../../support/transcript-builder.ts';

/** Each line with the parent it is read on from. */
function parents(builder: TranscriptBuilder): string[] {
  const { nodes } = builder.transcript();
  const graph = buildGraph(nodes);
  return nodes.map(
    (node) => `${node.uuid ?? node.type} < ${graph.parentOf(node)?.uuid ?? graph.parentOf(node)?.type ?? '-'}`,
  );
}

test('every record with a uuid is in the graph: progress, notes and unknown types are links', () => {
  const builder = transcript()
    .user('q')
    .progress()
    .system('informational')
    .entry({ type: 'news', uuid: 'n1', parentUuid: 's1' })
    .from('n1')
    .assistant('a');
  assert.deepEqual(parents(builder), ['u1 < -', 'p1 < u1', 's1 < p1', 'n1 < s1', 'a1 < n1']);
  assert.deepEqual(diagnostics(builder), []);
});

test('a missing parent is replaced by the line before it in the same conversation, and reported', () => {
  const builder = transcript()
    .user('q')
    .assistant('side', { isSidechain: true, parentUuid: null })
    .user('more', { parentUuid: 'gone' })
    .assistant('side 2', { isSidechain: true, parentUuid: 'gone' });
  assert.deepEqual(parents(builder), ['u1 < -', 'a1 < -', 'u2 < u1', 'a2 < a1']);
  assert.deepEqual(diagnostics(builder), [
    'G-phantom-parent 3: its parent is not in the file; read on from line 1',
    'G-phantom-parent 4: its parent is not in the file; read on from line 2',
  ]);
});

test('a missing parent of the first line is a beginning', () => {
  const builder = transcript().user('q', { parentUuid: 'gone' }).assistant('a');
  assert.deepEqual(parents(builder), ['u1 < -', 'a1 < u1']);
  assert.deepEqual(diagnostics(builder), [
    'G-phantom-parent 1: its parent is not in the file; nothing comes before it',
  ]);
});

test('a child may come before its parent', () => {
  const builder = transcript().assistant('a', { parentUuid: 'u1' }).from(null).user('q');
  assert.deepEqual(parents(builder), ['a1 < u1', 'u1 < -']);
});

test('of two records with one uuid the later is the parent, and the earlier is replaced', () => {
  const builder = transcript().user('q').assistant('old').from('u1').assistant('new', { uuid: 'a1' }).user('more');
  const { nodes } = builder.transcript();
  const graph = buildGraph(nodes);
  assert.deepEqual(
    nodes.map((node) => graph.isReplaced(node)),
    [false, true, false, false],
  );
  assert.deepEqual(
    [nodes[3], graph.byUuid('u2')].map((node) => node && graph.parentOf(node)?.line),
    [3, 3],
  );
  assert.deepEqual(diagnostics(builder), ['G-duplicate-uuid 3: line 2 has the same uuid; a resume reads this one']);
});

test('a cycle is cut at its oldest line, which then follows the line before it, and is reported once', () => {
  const cycle = 'its parents lead back to itself; the chain is cut here';
  const builder = transcript().user('q', { parentUuid: 'u2' }).assistant('a').user('r').assistant('b');
  assert.deepEqual(parents(builder), ['u1 < -', 'a1 < u1', 'u2 < a1', 'a2 < u2']);
  assert.deepEqual(diagnostics(builder), [`G-cycle 1: ${cycle}`]);
  const late = transcript().user('q').assistant('a', { parentUuid: 'a2' }).user('r').assistant('b').user('s');
  assert.deepEqual(parents(late), ['u1 < -', 'a1 < u1', 'u2 < a1', 'a2 < u2', 'u3 < a2']);
  assert.deepEqual(diagnostics(late), [`G-cycle 2: ${cycle}`]);
  const led = transcript()
    .user('q', { parentUuid: 'a2' })
    .assistant('a', { parentUuid: 'a2' })
    .user('r')
    .assistant('b');
  assert.deepEqual(parents(led), ['u1 < a2', 'a1 < -', 'u2 < a1', 'a2 < u2']);
  const self = transcript().user('q').assistant('a', { parentUuid: 'a1' });
  assert.deepEqual(parents(self), ['u1 < -', 'a1 < u1']);
  assert.deepEqual(diagnostics(self), [`G-cycle 2: ${cycle}`]);
});

test('a guess that leads in a circle is given up before any parent that a line names', () => {
  const once = transcript().assistant('a', { parentUuid: 'gone' }).user('q').assistant('b');
  const twice = once.entries.reduce((builder, entry) => builder.entry(entry), transcript());
  for (const entry of once.entries) twice.entry(entry);
  assert.deepEqual(parents(twice), ['a1 < -', 'u1 < a1', 'a2 < u1', 'a1 < -', 'u1 < a1', 'a2 < u1']);
  assert.ok(diagnostics(twice).every((said) => !said.startsWith('G-cycle')));
});

test('a line without its parent follows the last line that is not a progress line', () => {
  const builder = transcript()
    .user('q')
    .assistant('a', { parentUuid: 'p1' })
    .progress({ parentUuid: 'u1' })
    .boundary({}, { logicalParentUuid: 'gone' })
    .user('r', { parentUuid: 'gone' });
  assert.deepEqual(parents(builder), ['u1 < -', 'a1 < p1', 'p1 < u1', 'b1 < a1', 'u2 < b1']);
});

test('a compaction leads on to what it summarised: by its logical parent, else the line before', () => {
  const named = transcript().user('q').assistant('a').user('aside').from('a1').boundary().summary('so far');
  assert.deepEqual(parents(named).slice(3), ['b1 < a1', 'u3 < b1']);
  const lost = transcript().user('q').assistant('a').boundary({}, { logicalParentUuid: 'gone' }).summary('so far');
  assert.deepEqual(parents(lost).slice(2), ['b1 < a1', 'u2 < b1']);
  const old = transcript().user('q').assistant('a').summary('so far', { parentUuid: null });
  assert.deepEqual(parents(old).slice(2), ['u2 < a1']);
  assert.deepEqual([named, lost, old].flatMap(diagnostics), []);
});

test('a root that is not a compaction begins a conversation', () => {
  const builder = transcript().user('q').assistant('a').from(null).user('other');
  assert.deepEqual(parents(builder), ['u1 < -', 'a1 < u1', 'u2 < -']);
});

test('an answer without a parent that was begun before continues the line before it', () => {
  const m = { message: { id: 'm' } };
  const builder = transcript().user('q').assistant('a', m).user('stop').from(null).assistant('a', m);
  assert.deepEqual(parents(builder), ['u1 < -', 'a1 < u1', 'u2 < a1', 'a2 < u2']);
});

test('lines without ids follow one another', () => {
  const bare = { uuid: undefined, parentUuid: undefined };
  const builder = transcript().user('q', bare).assistant('a', bare).aside('summary', { summary: 's' }).user('r', bare);
  assert.deepEqual(parents(builder), ['user < -', 'assistant < user', 'summary < -', 'user < assistant']);
});

function diagnostics(builder: TranscriptBuilder): string[] {
  return buildGraph(builder.transcript().nodes).diagnostics.map(
    ({ code, line, message }) => `${code} ${line}: ${message}`,
  );
}
