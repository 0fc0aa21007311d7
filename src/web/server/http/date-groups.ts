// Times in the order of a list → runs of rows by day: today, yesterday, the rest of the week, then months.
import { createCalendar, monthOf, weekOf } from '../../../library/usage/index.ts';
import type { DateGroup } from '../../wire/index.ts';

const dayMs = 86_400_000;

/** A session with its forks. `rows`: itself, and its forks if they are listed. */
export interface DatedItem {
  readonly time: number;
  readonly rows: number;
  readonly sessions: number;
}

/** `items`: by their time, in either direction. */
export function dateGroups(items: readonly DatedItem[], zone: string, now: number): readonly DateGroup[] {
  const calendar = createCalendar(zone);
  const today = calendar.dayOf(now);
  // Noon of the day before, whatever the clock did in between.
  const yesterday = new Date(Date.parse(`${today}T12:00:00Z`) - dayMs).toISOString().slice(0, 10);
  const week = weekOf(today);
  const nameOf = (day: string): DateGroup['name'] => {
    if (day === '') return 'unknown';
    if (day >= today) return 'today';
    if (day === yesterday) return 'yesterday';
    return day >= week ? 'week' : (monthOf(day) as DateGroup['name']); // of a day: `2026-03`
  };
  const groups: DateGroup[] = [];
  for (let from = 0; from < items.length; ) {
    const name = nameOf(calendar.dayOf(timeAt(items, from)));
    // The times are in order, so a group ends where its name does: asking for every row would take much longer.
    let [last, after] = [from, items.length];
    while (after - last > 1) {
      const middle = (last + after) >>> 1;
      if (nameOf(calendar.dayOf(timeAt(items, middle))) === name) last = middle;
      else after = middle;
    }
    let [rows, sessions] = [0, 0];
    for (const item of items.slice(from, after)) {
      rows += item.rows;
      sessions += item.sessions;
    }
    groups.push({ name, rows, sessions });
    from = after;
  }
  return groups;
}

function timeAt(items: readonly DatedItem[], index: number): number {
  return items[index]?.time ?? Number.NaN;
}

export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
