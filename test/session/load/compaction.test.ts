import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { compactionsOf } from '../../../src/session/load/compaction.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { recordings } from '../../interop/recordings.ts';
import { startTime, type TranscriptBuilder, transcript } from '../../support/transcript-builder.ts';

function compactions(builder: TranscriptBuilder): unknown[] {
  return compactionsOf(builder.session()).map(({ boundary, summary, preservedUuids }) =>
    [boundary?.uuid ?? 'no boundary', summary?.uuid ?? 'no summary', ...preservedUuids].join(' '),
  );
}

function talk(): TranscriptBuilder {
  return transcript().user('1').assistant('1').user('2').assistant('2');
}

test('a compaction is a boundary with its summary and what the boundary says of it', () => {
  const session = talk().boundary({ trigger: 'manual', preTokens: 900, postTokens: 90 }).summary('so far').session();
  const [found, ...others] = compactionsOf(session);
  const { boundary, summary, ...facts } = found ?? {};
  assert.deepEqual([boundary?.uuid, summary?.uuid, others], ['b1', 'u3', []]);
  assert.deepEqual(facts, {
    time: startTime + 4000,
    trigger: 'manual',
    preTokens: 900,
    postTokens: 90,
    preservedUuids: [],
  });
});

test('clients of 1.0 write the summary alone', () => {
  assert.deepEqual(compactions(talk().summary('so far', { parentUuid: null }).assistant('on')), ['no boundary u3']);
});

test('there may be notes between a boundary and its summary', () => {
  assert.deepEqual(compactions(talk().boundary().attachment('custom').summary('so far')), ['b1 u3']);
});

test('compactions come in the order of the file, those of side chains not at all', () => {
  const side = { isSidechain: true };
  const builder = talk().boundary().summary('one').assistant('on').boundary().boundary({}, side).summary('side', side);
  assert.deepEqual(compactions(builder.from('b2').assistant('x').summary('old', { parentUuid: null })), [
    'b1 u3',
    'b2 no summary',
    'no boundary u5',
  ]);
});

test('a boundary says which lines stay, by a list or by a segment', () => {
  const listed = talk()
    .boundary({ preservedMessages: { anchorUuid: 'u3', uuids: ['u2', 'a2'] } })
    .summary('so far');
  const segment = talk()
    .boundary({ preservedSegment: { anchorUuid: 'u3', headUuid: 'a1', tailUuid: 'a2' } })
    .summary('so far');
  const broken = talk()
    .boundary({ preservedSegment: { headUuid: 'gone', tailUuid: 'a2' } })
    .summary('so far');
  assert.deepEqual([listed, segment, broken].flatMap(compactions), ['b1 u3 u2 a2', 'b1 u3 a1 u2 a2', 'b1 u3']);
});

test('real compactions are found with their summaries', async () => {
  const files = [
    '2.0.50/compact/-home-dev-widgets/1cf200a0-c630-4fef-b0ab-908a51f821de.jsonl',
    '2.1.150/compact/-home-dev-widgets/a07eca6d-a4f7-4a12-9bab-83c2627b91db.jsonl',
    '2.1.45/tui-rename-tools-interrupt-rewind-compact-clear/-home-kim-widgets/5a0712ff-1f37-47fa-ae31-0e2d684a69b4.jsonl',
  ];
  const found: unknown[] = [];
  for (const file of files) {
    const session = await loadSession(path.join(recordings, 'real', file));
    found.push(
      compactionsOf(session).map(({ boundary, summary, trigger }) => [boundary?.subtype, summary?.userKind, trigger]),
    );
  }
  assert.deepEqual(found, Array(3).fill([['compact_boundary', 'summary', 'manual']]));
});
