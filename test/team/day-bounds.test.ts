// The quarters of an hour at which the days of a time zone begin, which PostgreSQL adds up by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCalendar } from '../../src/library/usage/index.ts';
import { areUtcDays, dayBounds, firstQuarterOfDay, quarterMs } from '../../src/team/source/day-bounds.ts';

const quarterAt = (iso: string): number => Date.parse(iso) / quarterMs;
const boundsOf = (zone: string, from: string, to: string): readonly string[] =>
  dayBounds(createCalendar(zone), quarterAt(from), quarterAt(to)).map((quarter) =>
    new Date(quarter * quarterMs).toISOString().replace(':00.000Z', ''),
  );

test('days of UTC begin at midnight, and only they are days of UTC', () => {
  assert.deepEqual(boundsOf('UTC', '2026-03-01T05:00Z', '2026-03-02T05:00Z'), [
    '2026-03-01T00:00',
    '2026-03-02T00:00',
    '2026-03-03T00:00',
  ]);
  const isUtc = (zone: string, from: string, to: string): boolean =>
    areUtcDays(dayBounds(createCalendar(zone), quarterAt(from), quarterAt(to)));
  assert.equal(isUtc('Africa/Abidjan', '2020-01-01T00:00Z', '2026-12-31T00:00Z'), true);
  assert.equal(isUtc('Europe/London', '2026-01-01T00:00Z', '2026-02-01T00:00Z'), true);
  assert.equal(isUtc('Europe/London', '2026-01-01T00:00Z', '2026-04-01T00:00Z'), false);
});

test('the days at which clocks change have 23 and 25 hours', () => {
  assert.deepEqual(boundsOf('Europe/Berlin', '2026-03-28T12:00Z', '2026-03-29T21:45Z'), [
    '2026-03-27T23:00',
    '2026-03-28T23:00',
    '2026-03-29T22:00',
  ]);
  assert.deepEqual(boundsOf('Europe/Berlin', '2026-10-25T00:00Z', '2026-10-25T12:00Z'), [
    '2026-10-24T22:00',
    '2026-10-25T23:00',
  ]);
});

test('zones that are a part of an hour away from UTC, and a day that a zone skipped', () => {
  assert.deepEqual(boundsOf('Asia/Kathmandu', '2026-03-01T00:00Z', '2026-03-01T00:00Z'), [
    '2026-02-28T18:15',
    '2026-03-01T18:15',
  ]);
  // Samoa had no 30 December 2011.
  assert.deepEqual(boundsOf('Pacific/Apia', '2011-12-29T12:00Z', '2011-12-30T12:00Z'), [
    '2011-12-29T10:00',
    '2011-12-30T10:00',
    '2011-12-31T10:00',
  ]);
});

test('every quarter of a year is in the day that the calendar gives it', () => {
  for (const zone of ['America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Africa/Casablanca']) {
    const calendar = createCalendar(zone);
    const bounds = dayBounds(calendar, quarterAt('2025-01-01T00:00Z'), quarterAt('2026-01-01T00:00Z'));
    let day = 0;
    for (let quarter = bounds[0] ?? 0; quarter < (bounds.at(-1) ?? 0); quarter++) {
      while (quarter >= (bounds[day + 1] ?? Number.POSITIVE_INFINITY)) day++;
      const start = bounds[day] ?? Number.NaN;
      assert.equal(calendar.dayOf(quarter * quarterMs), calendar.dayOf(start * quarterMs), `${zone} ${quarter}`);
      if (quarter === start)
        assert.notEqual(calendar.dayOf((quarter - 1) * quarterMs), calendar.dayOf(start * quarterMs));
    }
    assert.ok(bounds.length > 365);
  }
});

test('the first quarter of a day is found from its name', () => {
  const first = (zone: string, day: string): string =>
    new Date(firstQuarterOfDay(createCalendar(zone), day) * quarterMs).toISOString();
  assert.equal(first('Pacific/Kiritimati', '2026-03-01'), '2026-02-28T10:00:00.000Z');
  assert.equal(first('Pacific/Pago_Pago', '2026-03-01'), '2026-03-01T11:00:00.000Z');
});
