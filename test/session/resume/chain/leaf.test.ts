// The line a resume continues from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResumeGraph } from '../../../../src/session/resume/chain/graph.ts';
import { chooseLeaf } from '../../../../src/session/resume/chain/leaf.ts';
import { type TranscriptBuilder, transcript } from '../../../support/transcript-builder.ts';

function leafOf(builder: TranscriptBuilder): string {
  const { nodes, read } = builder.transcript();
  const choice = chooseLeaf(buildResumeGraph(nodes, read));
  return 'refused' in choice ? choice.refused : String(choice.leaf.uuid);
}

/** u1 a1, and two branches after them: u2 a2, and u3 a3. */
function forked(): TranscriptBuilder {
  return transcript().user('1').assistant('1').user('2').assistant('2').from('a1').user('3').assistant('3');
}

test('the last line of the file is the leaf, whatever its time (rule 10)', () => {
  assert.equal(leafOf(forked()), 'a3');
  assert.equal(leafOf(transcript().user('1').assistant('1').from('u1').after(-9000).assistant('older')), 'a2');
});

test('a side line, a progress line and an unknown line are never the leaf (rule 10)', () => {
  const builder = transcript()
    .user('1')
    .assistant('1')
    .user('side', { isSidechain: true })
    .progress({ parentUuid: 'a1' })
    .entry({ type: 'news', uuid: 'n1', parentUuid: 'a1' });
  assert.equal(leafOf(builder), 'a1');
});

test('a message line without content is never the leaf (rules 4 and 10)', () => {
  assert.equal(leafOf(transcript().user('1').assistant('1').user([null])), 'a1');
});

test('a note moves the leaf to the message it hangs on (rules 10 and 15)', () => {
  assert.equal(leafOf(forked().system('turn_duration', { parentUuid: 'a1' })), 'a1');
  assert.equal(leafOf(forked().attachment('file', undefined, { parentUuid: 'u2' })), 'u2');
});

test('a note with no message above it does not count (rule 10)', () => {
  assert.equal(leafOf(forked().system('informational', { parentUuid: null })), 'a3');
  assert.equal(leafOf(forked().boundary()), 'a3');
});

test('a file of notes alone resumes at its last note (rule 10)', () => {
  assert.equal(leafOf(transcript().system('informational').attachment('file')), 'x1');
});

test('children that are before the last line compete by time, and a tie is theirs (rule 11)', () => {
  const child = transcript().assistant('child', { parentUuid: 'u1' });
  assert.equal(leafOf(child.from(null).after(-500).user('parent', { uuid: 'u1' })), 'a1');
  const newer = transcript().assistant('child', { parentUuid: 'u1' }).from(null).after(500).user('parent');
  assert.equal(leafOf(newer), 'u1');
  const tie = transcript().assistant('child', { parentUuid: 'u1' }).from(null).after(0).user('parent');
  assert.equal(leafOf(tie), 'a1');
});

test('a uuid written again comes last in the file, and its children compete with it by time (rules 3 and 11)', () => {
  const again = (pause: number): string =>
    leafOf(transcript().user('1').assistant('1').user('2').after(pause).from('u1').assistant('new', { uuid: 'a1' }));
  assert.deepEqual([again(1000), again(-1000)], ['a1', 'u2']);
});

test('a pin leads to the end of the file where that descends from it, else to exactly the pinned line (rule 12)', () => {
  assert.equal(leafOf(forked().lastPrompt('a1')), 'a3');
  assert.equal(leafOf(forked().lastPrompt('u2')), 'u2');
  assert.equal(leafOf(forked().lastPrompt('u2').lastPrompt('a1')), 'a3');
});

test('descent from a pin goes by real links only (rule 12)', () => {
  const builder = transcript()
    .user('1')
    .assistant('1')
    .user('2', { parentUuid: 'missing' })
    .assistant('2')
    .lastPrompt('a1');
  assert.equal(leafOf(builder), 'a1');
});

test('under a pin a newer child of the last line does not count (rules 11 and 12)', () => {
  const builder = transcript()
    .user('1')
    .assistant('child', { parentUuid: 'a2' })
    .from('u1')
    .after(-500)
    .assistant('last');
  assert.deepEqual([leafOf(builder), leafOf(builder.lastPrompt('u1'))], ['a1', 'a2']);
});

test('an explicit pin is left only for lines after it in the file (rule 13)', () => {
  const explicit = { explicit: true };
  assert.equal(leafOf(forked().lastPrompt('a1', explicit)), 'a1');
  assert.equal(leafOf(forked().lastPrompt('a1', explicit).user('4')), 'u4');
  assert.equal(leafOf(forked().lastPrompt('u2', explicit).user('4')), 'u2');
});

test('a plain pin on the same line keeps an explicit one, on another line it replaces it (rule 13)', () => {
  const explicit = forked().lastPrompt('a1', { explicit: true });
  assert.equal(leafOf(explicit.lastPrompt('a1')), 'a1');
  assert.equal(leafOf(explicit.lastPrompt('u1')), 'a3');
});

test('a later boundary cancels a pin, a later pin on an older line is honoured (rule 14)', () => {
  const compacted = forked().lastPrompt('u2').boundary().summary('so far').assistant('on');
  assert.equal(leafOf(compacted), 'a4');
  assert.equal(leafOf(compacted.lastPrompt('a2')), 'a2');
});

test('a pin on a line that a compaction forgot is ignored (rule 14)', () => {
  const builder = forked()
    .boundary({ preservedMessages: { anchorUuid: 'u4', uuids: ['a3'] } })
    .summary('so far');
  assert.deepEqual([leafOf(builder), leafOf(builder.lastPrompt('a2'))], ['a3', 'a3']);
});

test('a pin on an unknown line cancels the one before, a pin on no line does not (rule 14)', () => {
  assert.equal(leafOf(forked().lastPrompt('u2').lastPrompt('unknown')), 'a3');
  assert.equal(leafOf(forked().lastPrompt('u2').lastPrompt(undefined)), 'u2');
  assert.equal(leafOf(forked().lastPrompt('u2').lastPrompt('')), 'u2');
});

test('a pin on a note without a message above it is ignored (rule 14)', () => {
  assert.equal(leafOf(forked().boundary().summary('so far').lastPrompt('b1')), 'u4');
});

test('a session without a conversation is refused (rule 16)', () => {
  const nothing = 'No conversation found: the file holds no message of a main conversation';
  assert.equal(leafOf(transcript()), nothing);
  assert.equal(leafOf(transcript().aside('summary', { summary: 's' }).progress()), nothing);
  assert.equal(leafOf(transcript().user('side', { isSidechain: true })), nothing);
});

test('a pin on a side line is refused (rule 16)', () => {
  const builder = transcript().user('1').assistant('side', { isSidechain: true }).lastPrompt('a1');
  assert.equal(leafOf(builder), 'No conversation found: the last line belongs to a sub-agent');
});

test('a leaf needs a timestamp that Date.parse accepts, other lines do not (rule 16)', () => {
  const stamped = (timestamp: string | number | null | undefined): string =>
    leafOf(transcript({ timestamp: null }).user('1').assistant('1', { timestamp }));
  for (const timestamp of ['2026-01-03', 'Jan 3 2026', '2026-01-03T10:00:00+02:00'])
    assert.equal(stamped(timestamp), 'a1');
  for (const timestamp of [1767434400000, '', null, undefined, '2026-13-03T10:00:00.000Z', '1767434400000'])
    assert.equal(stamped(timestamp), 'No conversation found: the last message (line 2) has no valid timestamp');
});

test('a valid timestamp on a note after the leaf does not help (rule 16)', () => {
  const builder = transcript().user('1').assistant('1', { timestamp: '' }).system('turn_duration');
  assert.equal(leafOf(builder), 'No conversation found: the last message (line 2) has no valid timestamp');
});
