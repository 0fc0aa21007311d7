// The context chart: its line, scale, limit, zone and drops, computed by hand for a few turns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompactionDrop, TurnRow } from '../../../src/export/wire/view.ts';
import { chartShape, turnUnder } from '../../../src/web/app/session/chart/chart-shape.ts';

function turn(
  index: number,
  contextTokens: number | null,
  drop?: Partial<CompactionDrop>,
  peakTokens = contextTokens,
): TurnRow {
  const drops = drop === undefined ? [] : [{ line: 1, before: null, after: null, place: 'start' as const, ...drop }];
  return { index, contextTokens, peakTokens, drops } as unknown as TurnRow; // the chart reads nothing else
}

test('sizes are steps on a scale up to the limit, with the zone in which the client compacts', () => {
  const shape = chartShape({ turns: [turn(1, 100_000), turn(2, 200_000)], limit: 200_000, compactsAt: 167_000 });
  assert.ok(shape !== undefined);
  // 94 % of the height is the limit: 100,000 tokens are 47 % above the bottom.
  assert.equal(shape.line, 'M0,53 H50 L50,6 H100');
  assert.deepEqual(shape.ticks, [
    { tokens: 0, at: 100 },
    { tokens: 100_000, at: 53 },
    { tokens: 200_000, at: 6 },
  ]);
  assert.equal(shape.limitAt, 6);
  assert.deepEqual(shape.zone === null ? null : [shape.zone.from, Math.round(shape.zone.to * 100) / 100], [6, 21.51]);
  assert.equal(shape.isBroken, false);
});

test('far below the limit the scale is broken, so that the line is not flat', () => {
  const shape = chartShape({ turns: [turn(1, 10_000), turn(2, 20_000)], limit: 200_000, compactsAt: null });
  assert.ok(shape !== undefined);
  assert.equal(shape.line, 'M0,64 H50 L50,28 H100');
  assert.deepEqual([shape.isBroken, shape.limitAt, shape.zone], [true, 6, null]);
});

test('a compaction in the middle of a turn drops there, one before a turn at its beginning', () => {
  const turns = [
    turn(1, 50_000),
    turn(2, 30_000, { place: 'middle', before: 100_000, after: 29_000 }, 100_000),
    turn(3, null, { place: 'start', before: 30_000, after: 10_000 }),
    turn(4, 20_000),
  ];
  const shape = chartShape({ turns, limit: null, compactsAt: null });
  assert.ok(shape !== undefined);
  // 100,000 tokens are the top, at 6 %.
  assert.equal(shape.line, 'M0,53 H25 L25,6 H37.5 V71.8 H50 L50,90.6 H75 L75,81.2 H100');
  assert.deepEqual(shape.drops, [
    { turn: 2, at: 37.5, from: 6, to: 71.8 },
    { turn: 3, at: 50, from: 71.8, to: 90.6 },
  ]);
  assert.equal(shape.limitAt, null);
});

test('a compaction at the end of the last turn ends the line lower; a turn without an answer keeps the size', () => {
  const turns = [turn(1, 50_000), turn(2, null), turn(3, 100_000, { place: 'end', before: 100_000, after: 50_000 })];
  const shape = chartShape({ turns, limit: null, compactsAt: null });
  assert.equal(shape?.line, 'M0,53 H33.33 L33.33,53 H66.67 L66.67,6 H83.33 V53 H100');
});

test('one turn, or turns without a size, have no chart', () => {
  assert.equal(chartShape({ turns: [turn(1, 5)], limit: null, compactsAt: null }), undefined);
  assert.equal(chartShape({ turns: [turn(1, null), turn(2, null)], limit: 5, compactsAt: null }), undefined);
});

test('the turn under the pointer', () => {
  const turns = [turn(1, 1), turn(2, 1), turn(3, 1), turn(4, 1)];
  assert.deepEqual(
    [-1, 0, 0.24, 0.26, 0.99, 1, 2].map((share) => turnUnder(turns, share)?.index),
    [1, 1, 1, 2, 4, 4, 4],
  );
});
