// Moments → calendar days, weeks and months in a time zone. Asking the zone for every message would cost more than
// counting them, and zones only ever change at a quarter of an hour: each quarter is asked for once.
import { UserError } from '../../base/errors/index.ts';

export interface Calendar {
  /** `2026-03-01`; empty for an invalid time. */
  dayOf(timeMs: number): string;
}

/** Without a zone: that of the machine. */
export function createCalendar(timeZone?: string): Calendar {
  const day = timeZone === undefined ? localDay : zonedDay(timeZone);
  const known = new Map<number, string>();
  return {
    dayOf: (timeMs) => {
      const quarter = Math.floor(timeMs / quarterMs);
      if (Number.isNaN(quarter)) return '';
      let found = known.get(quarter);
      if (found === undefined) {
        found = day(quarter * quarterMs);
        known.set(quarter, found);
      }
      return found;
    },
  };
}

const quarterMs = 15 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

/** The Monday that begins the week of a day. */
export function weekOf(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(time)) return '';
  const sinceMonday = (new Date(time).getUTCDay() + 6) % 7;
  return new Date(time - sinceMonday * dayMs).toISOString().slice(0, 10);
}

export function monthOf(day: string): string {
  return day.slice(0, -3);
}

// The day that was asked for last: neighbouring messages are nearly always of one day.
let knownFrom = 0;
let knownTo = 0;
let knownDay = '';

function localDay(timeMs: number): string {
  if (timeMs >= knownFrom && timeMs < knownTo) return knownDay;
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  const two = (value: number): string => String(value).padStart(2, '0');
  knownFrom = new Date(year, month, day).getTime();
  knownTo = new Date(year, month, day + 1).getTime();
  knownDay = `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(day)}`;
  return knownDay;
}

function zonedDay(timeZone: string): (timeMs: number) => string {
  const format = dayFormat(timeZone);
  return (timeMs) => {
    const parts = Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, value]));
    return `${parts.year?.padStart(4, '0')}-${parts.month}-${parts.day}`;
  };
}

function dayFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  } catch {
    throw new UserError(`there is no time zone "${timeZone}"`, 'write it as Europe/Berlin or UTC');
  }
}

export interface Streaks {
  readonly activeDays: number;
  /** Up to today, or up to yesterday if today has no entry yet. */
  readonly current: number;
  readonly longest: number;
  /** The first and the last day, as `2026-03-01`. */
  readonly firstDay: string | undefined;
  readonly lastDay: string | undefined;
}

/** Days as `2026-03-01`, in any order, several times or empty; empty ones are left out. */
export function streaksOf(days: Iterable<string>, today: string): Streaks {
  const active = [...new Set(days)].filter((day) => day !== '').sort();
  let longest = 0;
  let run = 0;
  let before = Number.NaN;
  for (const day of active) {
    const number = dayNumber(day);
    run = number === before + 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
    before = number;
  }
  const isGoingOn = dayNumber(today) - before <= 1;
  const [firstDay, lastDay] = [active[0], active.at(-1)];
  return { activeDays: active.length, current: isGoingOn ? run : 0, longest, firstDay, lastDay };
}

/** Calendar days are counted in UTC, where each has 24 hours. */
function dayNumber(day: string): number {
  return Math.round(Date.parse(`${day}T00:00:00Z`) / 86_400_000);
}
