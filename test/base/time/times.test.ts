// What a user writes for a time, in the words of every command: moments, days, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../../src/base/errors/errors.ts';
import { parseDay, parseMoment, parseTime } from '../../../src/base/time/times.ts';

const nowMs = new Date(2026, 2, 1, 9, 30).getTime(); // the first of March, half past nine

test('an age is a moment, a day is a day of the time zone', () => {
  const cases: readonly (readonly [string, object])[] = [
    ['90m', { time: nowMs - 5_400_000 }],
    ['12h', { time: nowMs - 43_200_000 }],
    ['7d', { time: nowMs - 604_800_000 }],
    [' 2w ', { time: nowMs - 1_209_600_000 }],
    ['today', { day: '2026-03-01' }],
    ['yesterday', { day: '2026-02-28' }],
    ['2024-02-29', { day: '2024-02-29' }],
    ['20240229', { day: '2024-02-29' }],
    ['2026-02-03T04:05:06Z', { time: Date.UTC(2026, 1, 3, 4, 5, 6) }],
  ];
  for (const [text, expected] of cases) assert.deepEqual(parseMoment(text, '--since', { nowMs }), expected, text);
  // In a zone where it is still the day before.
  assert.deepEqual(parseMoment('yesterday', '--since', { nowMs, dayOf: () => '2026-03-01' }), { day: '2026-02-28' });
  assert.deepEqual(parseMoment('today', '--since', { nowMs, dayOf: () => '2026-02-28' }), { day: '2026-02-28' });
});

test('a day begins and ends at midnight of the machine, also if the clocks change', () => {
  assert.equal(parseTime('today', '--since', false, nowMs), new Date(2026, 2, 1).getTime());
  assert.equal(parseTime('2026-03-29', '--until', true), new Date(2026, 2, 30).getTime());
  assert.equal(parseTime('2026-12-31', '--until', true), new Date(2027, 0, 1).getTime());
});

test('everything else is refused, with what to write', () => {
  for (const text of ['', 'noon', '7', '7 d', '-7d', '2026-02-30', '2026-2-3', '7d7d', '2026-02-03 04:05']) {
    assert.throws(() => parseMoment(text, '--since', { nowMs }), UserError, text);
    assert.throws(() => parseDay(text, '--since'), UserError, text);
  }
  assert.throws(() => parseTime('noon', '--since', false), {
    message:
      '--since does not understand "noon"; use a day (2026-03-01), today, yesterday, or an age (10m, 12h, 7d, 2w)',
  });
});
