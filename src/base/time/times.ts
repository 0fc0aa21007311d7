// What a user writes for a time (`--since 7d`, `--until today`) → a moment or a calendar day. Every command and tool that
// takes a time uses this parser, so that a word means the same everywhere.
import { UserError } from '../errors/index.ts';

/** A moment, or a whole day of the time zone that the command uses. */
export type TimeWords = { readonly time: number; readonly day?: undefined } | { readonly day: string };

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/**
 * Takes `2026-03-01`, `20260301`, an ISO 8601 time, `10m`, `12h`, `7d`, `2w`, `today`, `yesterday`. `dayOf` gives the day
 * of a moment in another time zone than that of the machine.
 */
export function parseMoment(
  value: string,
  flag: string,
  {
    nowMs = Date.now(),
    dayOf = localDay,
  }: { readonly nowMs?: number; readonly dayOf?: (timeMs: number) => string } = {},
): TimeWords {
  const text = value.trim();
  const ago = /^(\d{1,6})([mhdw])$/.exec(text);
  if (ago !== null) return { time: nowMs - Number(ago[1]) * (unitMs[ago[2] ?? ''] ?? 0) };
  if (text === 'today') return { day: dayOf(nowMs) };
  if (text === 'yesterday') return { day: dayBefore(dayOf(nowMs)) };
  const day = dayNamed(text);
  if (day !== undefined) return { day };
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return { time };
  throw new UserError(
    `${flag} does not understand "${value}"`,
    'use a day (2026-03-01), today, yesterday, or an age (10m, 12h, 7d, 2w)',
  );
}

/** The same as a moment: a day is its start in the time zone of the machine, or with `isEnd` its end. */
export function parseTime(value: string, flag: string, isEnd: boolean, nowMs: number = Date.now()): number {
  const found = parseMoment(value, flag, { nowMs });
  if (found.day === undefined) return found.time;
  const [year = 0, month = 0, date = 0] = found.day.split('-').map(Number);
  return new Date(year, month - 1, isEnd ? date + 1 : date).getTime();
}

/** `2026-03-01` or `20260301` only. */
export function parseDay(value: string, flag: string): string {
  const day = dayNamed(value.trim());
  if (day === undefined) throw new UserError(`${flag} "${value}" is not a day`, 'write it as 2026-03-01');
  return day;
}

function dayNamed(text: string): string | undefined {
  const [, year, month, date] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(text) ?? [];
  const day = `${year}-${month}-${date}`;
  const time = Date.parse(`${day}T00:00:00Z`);
  // Date turns February 31 into a day of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : undefined;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

function localDay(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
