// `--since` and `--until` → a time. Days are local days.
import { UserError } from '../../base/errors/errors.ts';

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Takes `2026-03-01`, an ISO 8601 time, `10m`, `12h`, `7d`, `2w`, `today`, `yesterday`. `isEnd`: a day means its end. */
export function parseTime(value: string, flag: string, isEnd: boolean, nowMs: number = Date.now()): number {
  const ago = /^(\d{1,6})([mhdw])$/.exec(value);
  if (ago !== null) return nowMs - Number(ago[1]) * (unitMs[ago[2] ?? ''] ?? 0);
  const day = dayOf(value, nowMs);
  if (day !== undefined)
    return isEnd ? new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1).getTime() : day.getTime();
  const time = /^\d{4}-\d{2}-\d{2}T/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UserError(
    `${flag} does not understand "${value}"`,
    'use a day (2026-03-01), today, yesterday, or an age (10m, 12h, 7d, 2w)',
  );
}

function dayOf(value: string, nowMs: number): Date | undefined {
  const now = new Date(nowMs);
  if (value === 'today') return new Date(now.getFullYear(), now.getMonth(), now.getDate());
  if (value === 'yesterday') return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (year === undefined) return undefined;
  const day = new Date(Number(year), Number(month) - 1, Number(date));
  // Date turns February 31 into a day of March.
  return day.getMonth() === Number(month) - 1 && day.getDate() === Number(date) ? day : undefined;
}
