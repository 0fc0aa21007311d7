import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeCells } from '../../../src/library/usage/cells.ts';
import { blocksOf } from '../../../src/library/usage/report.ts';
import { answerLine, makeLibrary, session1 } from '../../support/usage-library.ts';

test('a block begins at the full hour of its first message and lasts five hours', (context) => {
  const times = [
    '2026-03-01T10:45:00.000Z',
    '2026-03-01T14:45:00.000Z',
    '2026-03-01T15:00:00.000Z',
    '2026-03-02T09:30:00.000Z',
  ];
  // The order of the file is not that of time.
  const lines = [...times].reverse().map((time, i) => answerLine({ id: `m${i}`, output: 1, time }));
  const cells = makeCells(makeLibrary(context, { [`-w-p/${session1}.jsonl`]: lines }).count());
  const blocks = blocksOf(cells, Date.parse('2026-03-02T13:59:59.999Z'));
  assert.deepEqual(
    blocks.map(({ key, endsAt, isActive, cells: own }) => [
      key,
      new Date(endsAt).toISOString(),
      isActive,
      own.map(({ time }) => new Date(time).toISOString()),
    ]),
    [
      ['2026-03-01T10:00:00.000Z', '2026-03-01T15:00:00.000Z', false, [times[0], times[1]]],
      ['2026-03-01T15:00:00.000Z', '2026-03-01T20:00:00.000Z', false, [times[2]]],
      ['2026-03-02T09:00:00.000Z', '2026-03-02T14:00:00.000Z', true, [times[3]]],
    ],
  );
  assert.deepEqual(
    blocksOf(cells, Date.parse('2026-03-02T14:00:00.000Z')).map(({ isActive }) => isActive),
    [false, false, false],
  );
});

test('messages without a time are in a block of their own', (context) => {
  const lines = [answerLine({ id: 'a', time: 'never' }), answerLine({ id: 'b' })];
  const cells = makeCells(makeLibrary(context, { [`-w-p/${session1}.jsonl`]: lines }).count());
  assert.deepEqual(
    blocksOf(cells, 0).map(({ key, cells: own }) => [key, own.length]),
    [
      ['', 1],
      ['2026-03-01T10:00:00.000Z', 1],
    ],
  );
});
