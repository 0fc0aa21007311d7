import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../../src/base/errors/errors.ts';
import { parseDay } from '../../../src/base/time/times.ts';
import { createCalendar, monthOf, weekOf } from '../../../src/library/usage/calendar.ts';

function days(zone: string, ...times: readonly string[]): string[] {
  const calendar = createCalendar(zone);
  return times.map((time) => calendar.dayOf(Date.parse(time)));
}

test('a moment is of the day that the zone has then', () => {
  assert.deepEqual(days('UTC', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00Z'), ['2026-03-01', '2026-03-02']);
  assert.deepEqual(days('America/New_York', '2026-03-02T04:59:59Z', '2026-03-02T05:00:00Z'), [
    '2026-03-01',
    '2026-03-02',
  ]);
  assert.deepEqual(days('Asia/Kathmandu', '2026-03-01T18:14:59Z', '2026-03-01T18:15:00Z'), [
    '2026-03-01',
    '2026-03-02',
  ]);
  assert.deepEqual(days('Pacific/Kiritimati', '2026-02-28T10:00:00Z'), ['2026-03-01']);
});

test('days begin an hour earlier in UTC once summer time has begun', () => {
  // Berlin goes from +1 to +2 on 2026-03-29, and back on 2026-10-25.
  assert.deepEqual(
    days(
      'Europe/Berlin',
      '2026-03-28T22:59:59Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T21:59:59Z',
      '2026-03-29T22:00:00Z',
      '2026-10-25T22:59:59Z',
      '2026-10-25T23:00:00Z',
    ),
    ['2026-03-28', '2026-03-29', '2026-03-29', '2026-03-30', '2026-10-25', '2026-10-26'],
  );
});

test('an invalid time belongs to no day, week or month', () => {
  const day = createCalendar('UTC').dayOf(Number.NaN);
  assert.deepEqual([day, weekOf(day), monthOf(day)], ['', '', '']);
});

test('weeks begin on Monday, over the ends of months and years', () => {
  assert.deepEqual(['2026-03-01', '2026-03-02', '2026-01-01', '2024-02-29'].map(weekOf), [
    '2026-02-23',
    '2026-03-02',
    '2025-12-29',
    '2024-02-26',
  ]);
  assert.equal(monthOf('2026-03-01'), '2026-03');
});

test('a day is written with or without dashes, and must exist', () => {
  assert.deepEqual([parseDay('2026-03-01', '--since'), parseDay('20260301', '--since')], ['2026-03-01', '2026-03-01']);
  for (const text of ['2026-02-30', '2026-13-01', 'yesterday', '2026-3-1', '']) {
    assert.throws(() => parseDay(text, '--since'), UserError, text);
  }
  assert.throws(() => createCalendar('Mars/Olympus'), UserError);
});
