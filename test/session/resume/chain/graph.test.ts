// Which lines the client reads, and how it links them.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadSession } from '../../../../src/session/load/session.ts';
import { buildResumeGraph } from '../../../../src/session/resume/chain/graph.ts';
import { requestMessages } from '../../../../src/session/resume/request/request.ts';
import { history, outline } from '../../../support/outline.ts';
import { temporaryFolder } from '../../../support/temp-folder.ts';
import { sessionId, type TranscriptBuilder, transcript } from '../../../support/transcript-builder.ts';

/** Each line with its parent, in the client's order. */
function links(builder: TranscriptBuilder): string[] {
  const { nodes, read } = builder.transcript();
  const graph = buildResumeGraph(nodes, read);
  return graph.order.map((node) => `${node.uuid} < ${graph.parentOf(node) ?? '-'}`);
}

async function readBack(context: TestContext, text: string): Promise<unknown> {
  const file = path.join(temporaryFolder(context), `${sessionId}.jsonl`);
  writeFileSync(file, text);
  const request = requestMessages(await loadSession(file));
  return 'refused' in request ? request.refused : outline(request.messages);
}

const asked = { user: ['q'] };

test('of two glued records only the first is read (rule 2)', async (context) => {
  const [u1, a1, a2] = lines(transcript().user('q').assistant('first').assistant('second'));
  assert.deepEqual(await readBack(context, `${u1}\n${a1}${a2}\n`), [asked, { assistant: ['first'] }]);
});

test('junk after a record is harmless, junk before it loses the line (rule 2)', async (context) => {
  const [u1, a1, a2] = lines(transcript().user('q').assistant('first').from('u1').assistant('second'));
  assert.deepEqual(await readBack(context, `${u1}\n${a1} junk\njunk ${a2}\n`), [asked, { assistant: ['first'] }]);
});

test('a record broken over two lines between its tokens is read (rule 2)', async (context) => {
  const [u1, a1] = lines(transcript().user('q').assistant('first'));
  const broken = a1?.replace('"parentUuid"', '\n"parentUuid"');
  assert.deepEqual(await readBack(context, `${u1}\n${broken}\n`), [asked, { assistant: ['first'] }]);
});

test('of the lines without uuid only the last is read, in the place of the first (rule 3)', () => {
  const builder = transcript()
    .user('x', { uuid: undefined, parentUuid: null })
    .user('q')
    .assistant('y', { uuid: undefined, parentUuid: 'u2' });
  assert.deepEqual(links(builder), ['undefined < u2', 'u2 < -']);
});

test('a later line with the same uuid wins in the place of the first (rule 3)', () => {
  const builder = transcript()
    .user('q')
    .assistant('old', { uuid: 'a' })
    .user('u2')
    .assistant('new', { uuid: 'a', parentUuid: 'u1' });
  assert.deepEqual(links(builder), ['u1 < -', 'a < u1', 'u2 < a']);
  assert.deepEqual(history(builder.lastPrompt('a', { explicit: true })), [asked, { assistant: ['new'] }]);
});

test('a message line without content stays a link and is not sent (rule 4)', () => {
  for (const message of [undefined, { content: undefined }, { content: null }, { content: ['text'] }]) {
    const builder = transcript().user('q').assistant('x', { message }).user('more').assistant('answer');
    assert.deepEqual(history(builder), [{ user: ['q\n', 'more'] }, { assistant: ['answer'] }]);
  }
});

test('progress is passed through if it is before its child (rule 5)', () => {
  const builder = transcript().user('q').progress().progress().assistant('answer');
  assert.deepEqual(links(builder), ['u1 < -', 'a1 < u1']);
});

test('progress after its child leaves the child dangling (rule 5)', () => {
  const builder = transcript().user('q').assistant('answer', { parentUuid: 'p1' }).progress({ parentUuid: 'u1' });
  assert.deepEqual(links(builder), ['u1 < -', 'a1 < p1']);
});

test('a line of an unknown type is not a link: its child is bridged by time (rule 6)', () => {
  const builder = transcript()
    .user('q')
    .assistant('answer')
    .entry({ type: 'news', uuid: 'n1', parentUuid: 'u1', timestamp: '2026-01-03T10:00:02.000Z' })
    .user('u2', { parentUuid: 'n1' })
    .assistant('again');
  assert.deepEqual(links(builder), ['u1 < -', 'a1 < u1', 'u2 < n1', 'a2 < u2']);
  assert.deepEqual(history(builder), [asked, { assistant: ['answer'] }, { user: ['u2'] }, { assistant: ['again'] }]);
});

test('titles, modes, summaries and snapshots are not part of the graph (rule 7)', () => {
  const builder = transcript()
    .user('q')
    .aside('summary', { summary: 's', leafUuid: 'u1' })
    .aside('custom-title', { customTitle: 't' })
    .aside('file-history-snapshot', { messageId: 'u1', snapshot: { messageId: 'u1', trackedFileBackups: {} } })
    .assistant('answer');
  assert.deepEqual(links(builder), ['u1 < -', 'a1 < u1']);
});

test('a boundary that lists kept lines moves them after its anchor and forgets the rest (rule 18)', () => {
  const builder = talk()
    .boundary({ preservedMessages: { anchorUuid: 'u3', uuids: ['u2', 'a2'], allUuids: ['u1'] } })
    .summary('so far')
    .assistant('on we go');
  assert.deepEqual(links(builder), ['b1 < -', 'u3 < b1', 'u2 < u3', 'a2 < u2', 'a3 < a2']);
  assert.deepEqual(history(builder), [
    { user: ['so far\n', 'q2'] },
    { assistant: ['second'] },
    { assistant: ['on we go'] },
  ]);
});

test('a boundary that names a segment keeps the way from its tail to its head (rule 18)', () => {
  const builder = talk()
    .boundary({ preservedSegment: { anchorUuid: 'u3', headUuid: 'a1', tailUuid: 'a2' } })
    .summary('so far')
    .assistant('on we go');
  assert.deepEqual(links(builder), ['b1 < -', 'u3 < b1', 'a1 < u3', 'u2 < a1', 'a2 < u2', 'a3 < a2']);
});

test('listed lines win over a segment, lines that hung on forgotten ones hang on the last kept (rule 18)', () => {
  const builder = talk()
    .boundary({
      preservedMessages: { anchorUuid: 'u3', uuids: ['a2'] },
      preservedSegment: { anchorUuid: 'u3', headUuid: 'u1', tailUuid: 'a2' },
    })
    .summary('so far')
    .assistant('on', { parentUuid: 'u1' });
  assert.deepEqual(links(builder), ['b1 < -', 'u3 < b1', 'a2 < u3', 'a3 < a2']);
});

test('what a boundary keeps is ignored if the anchor, a line or the way is missing (rule 18)', () => {
  const metadata = [
    { preservedMessages: { anchorUuid: 'nowhere', uuids: ['u2'] } },
    { preservedMessages: { anchorUuid: 'u3', uuids: ['u2', 'nowhere'] } },
    { preservedMessages: { anchorUuid: 'u3', uuids: ['u2', 'p1'] } },
    { preservedSegment: { anchorUuid: 'u3', headUuid: 'a2', tailUuid: 'u1' } },
  ];
  for (const compactMetadata of metadata) {
    const builder = talk().progress().boundary(compactMetadata).summary('so far').assistant('on');
    assert.deepEqual(links(builder).slice(4), ['b1 < -', 'u3 < b1', 'a3 < u3']);
    assert.deepEqual(history(builder), [{ user: ['so far'] }, { assistant: ['on'] }]);
  }
});

test('kept lines rank directly after the anchor: where the summary is last, the last kept line is the leaf (rule 19)', () => {
  const builder = talk()
    .boundary({ preservedMessages: { anchorUuid: 'u3', uuids: ['u2', 'a2'] } })
    .summary('so far');
  assert.deepEqual(history(builder), [{ user: ['so far\n', 'q2'] }, { assistant: ['second'] }]);
});

function talk(): TranscriptBuilder {
  return transcript().user('q').assistant('first').user('q2').assistant('second');
}

function lines(builder: TranscriptBuilder): string[] {
  return builder.text().trimEnd().split('\n');
}
