// `--since`, as every command takes it: a time span back from now (`10m`, `3h`, `2d`), or a date.
import { UserError } from '../base/errors.ts';

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

export function parseSince(text: string, nowMs: number): number {
  const span = /^(\d+(?:\.\d+)?)\s*([smhdw])$/.exec(text.trim());
  if (span !== null) return nowMs - Number(span[1]) * (unitMs[span[2] ?? ''] ?? Number.NaN);
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text.trim());
  // A bare date is meant where the reader is; JavaScript would take it for midnight in Greenwich.
  const time = day === null ? Date.parse(text) : new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3])).getTime();
  if (!Number.isNaN(time) && /^\d{4}-/.test(text.trim())) return time;
  throw new UserError(
    `--since "${text}" is no time`,
    'give a span such as 10m, 3h or 2d, or a date such as 2026-03-01',
  );
}
