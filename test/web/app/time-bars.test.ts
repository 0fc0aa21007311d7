// The bars of the usage chart, including days without usage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf } from '../../../src/web/app/usage/time-bars.ts';

function rows(...keys: readonly string[]) {
  return keys.map((key) => ({ key, row: key }));
}

test('days without a row have a bar too, across the end of a month and a leap day', () => {
  assert.deepEqual(barsOf('daily', rows('2028-03-02', '2028-02-27')), [
    { key: '2028-02-27', row: '2028-02-27' },
    { key: '2028-02-28', row: null },
    { key: '2028-02-29', row: null },
    { key: '2028-03-01', row: null },
    { key: '2028-03-02', row: '2028-03-02' },
  ]);
});

test('weekly and monthly reports step by weeks and months', () => {
  assert.deepEqual(
    barsOf('weekly', rows('2026-12-21', '2027-01-04')).map(({ key }) => key),
    ['2026-12-21', '2026-12-28', '2027-01-04'],
  );
  assert.deepEqual(
    barsOf('monthly', rows('2026-11', '2027-02')).map(({ key }) => key),
    ['2026-11', '2026-12', '2027-01', '2027-02'],
  );
});

test('a wrong date does not draw a million bars, and no row is lost', () => {
  const keys = ['1970-01-01', '2026-03-01', '2026-03-02'];
  assert.deepEqual(
    barsOf('daily', rows(...keys)).map(({ key }) => key),
    keys,
  );
  assert.deepEqual(
    barsOf('daily', rows('not a day', '2026-03-01')).map(({ row }) => row),
    ['2026-03-01', 'not a day'],
  );
  assert.deepEqual(barsOf('daily', []), []);
});
