// A calendar → the quarters of an hour at which its days begin, so that PostgreSQL adds up cells by day without knowing time
// zones: one table of zones, that of this program, decides for the local index and for the store.
import type { Calendar } from '../../library/usage/index.ts';

export const quarterMs: number = 15 * 60 * 1000;
export const quartersPerDay = 96;

/** The first quarter of each day from the one that has `fromQuarter` to the one that has `toQuarter`, and of the day after. */
export function dayBounds(calendar: Calendar, fromQuarter: number, toQuarter: number): readonly number[] {
  const bounds: number[] = [];
  let at = firstQuarterOfDay(calendar, calendar.dayOf(fromQuarter * quarterMs), fromQuarter);
  while (at <= toQuarter) {
    bounds.push(at);
    at = nextDay(calendar, at);
  }
  bounds.push(at);
  return bounds;
}

/** Whether the days begin at midnight UTC, where the store keeps sums by day. */
export function areUtcDays(bounds: readonly number[]): boolean {
  return bounds.every((quarter) => quarter % quartersPerDay === 0);
}

/** The first quarter of the first day that is not before `day`. */
export function firstQuarterOfDay(calendar: Calendar, day: string, near?: number): number {
  const guess = near ?? Math.floor(Date.parse(`${day}T00:00:00Z`) / quarterMs);
  // Time zones differ from UTC by 14 hours at most, and a zone that changes sides skips or repeats a day.
  return search(guess - 2 * quartersPerDay, guess + 2 * quartersPerDay, (quarter) => dayOf(calendar, quarter) >= day);
}

function nextDay(calendar: Calendar, first: number): number {
  const day = dayOf(calendar, first);
  const usual = first + quartersPerDay;
  if (dayOf(calendar, usual) > day && dayOf(calendar, usual - 1) === day) return usual;
  return search(first + 1, first + 3 * quartersPerDay, (quarter) => dayOf(calendar, quarter) > day);
}

function dayOf(calendar: Calendar, quarter: number): string {
  return calendar.dayOf(quarter * quarterMs);
}

/** The smallest number for which the test holds; it holds for all after it. */
function search(low: number, high: number, test: (value: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (test(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
