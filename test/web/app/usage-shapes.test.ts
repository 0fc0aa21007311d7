// The shapes of the usage page: bars stacked by model, and the calendar of days.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelOf, monthOf, weeksOf } from '../../../src/web/app/usage/heatmap-days.ts';
import { piecesOf, stackedModels } from '../../../src/web/app/usage/model-stack.ts';

const share = (model: string | null, costMicroUsd: number | null, tokens: number) => ({ model, costMicroUsd, tokens });

test('models are stacked in one order, the largest at the bottom', () => {
  const rows = [
    { models: [share('a', 10, 5), share('b', 1, 900)] },
    { models: [share('b', 20, 900), share(null, null, 50)] },
  ];
  assert.deepEqual(stackedModels(rows, 'cost'), ['b', 'a']);
  assert.deepEqual(stackedModels(rows, 'tokens'), ['b', 'unknown model', 'a']);
  assert.deepEqual(piecesOf(rows[0]?.models ?? [], ['b', 'a'], 'cost'), [
    { colour: 0, amount: 1 },
    { colour: 1, amount: 10 },
  ]);
});

test('models after the fifth share a colour', () => {
  const models = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const pieces = piecesOf([share('e', 3, 0), share('f', 4, 0), share('g', 5, 0)], models, 'cost');
  assert.deepEqual(pieces, [
    { colour: 4, amount: 3 },
    { colour: 5, amount: 9 },
  ]);
});

test('weeks begin on Monday, and days outside of the range are empty', () => {
  // The 4th of March 2026 is a Wednesday.
  assert.deepEqual(weeksOf(['2026-03-10', '2026-03-04', 'no day']), [
    [null, null, '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-07', '2026-03-08'],
    ['2026-03-09', '2026-03-10', null, null, null, null, null],
  ]);
  assert.equal(weeksOf(['2019-01-01', '2026-03-10']).length, 53);
  assert.deepEqual(weeksOf([]), []);
});

test('the colour of a day is its share of the largest; a month is named where it begins', () => {
  assert.deepEqual(
    [0, 1, 25, 26, 50, 75, 100].map((amount) => levelOf(amount, 100)),
    [0, 1, 1, 2, 2, 3, 4],
  );
  const weeks = weeksOf(['2026-02-25', '2026-03-10']);
  assert.deepEqual(
    weeks.map((week, i) => monthOf(week, weeks[i - 1])),
    ['Feb', 'Mar', ''],
  );
});
