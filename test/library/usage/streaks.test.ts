// Runs of days without a gap.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { streaksOf } from '../../../src/library/usage/calendar.ts';

test('the longest run and the current one', () => {
  const days = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-01', '', '2026-03-04', '2026-03-05'];
  const facts = { activeDays: 5, longest: 3, firstDay: '2026-02-27', lastDay: '2026-03-05' };
  assert.deepEqual(streaksOf(days, '2026-03-05'), { ...facts, current: 2 });
  assert.deepEqual(streaksOf(days, '2026-03-06'), { ...facts, current: 2 });
  assert.deepEqual(streaksOf(days, '2026-03-07'), { ...facts, current: 0 });
  assert.deepEqual(streaksOf([], '2026-03-07'), {
    activeDays: 0,
    current: 0,
    longest: 0,
    firstDay: undefined,
    lastDay: undefined,
  });
});

test('no run is longer than the longest, whatever the days', () => {
  const start = Date.UTC(2026, 2, 20);
  const name = (number: number) => new Date(start + number * 86_400_000).toISOString().slice(0, 10);
  fc.assert(
    fc.property(fc.array(fc.nat(30), { maxLength: 40 }), (numbers) => {
      const active = new Set(numbers);
      let longest = 0;
      for (const first of active) {
        let length = 0;
        while (active.has(first + length)) length++;
        longest = Math.max(longest, length);
      }
      let current = 0;
      for (let at = active.has(30) ? 30 : 29; active.has(at); at--) current++;
      const streaks = streaksOf(numbers.map(name), name(30));
      assert.deepEqual([streaks.activeDays, streaks.longest, streaks.current], [active.size, longest, current]);
    }),
  );
});
