// Days with usage → the weeks of a calendar, each from Monday to Sunday, and how strong the colour of a day is.

/** `null`: outside of the range. */
export type Week = readonly (string | null)[];

const maxWeeks = 53;
const dayMs = 86_400_000;

/** At most a year before the last day. */
export function weeksOf(days: readonly string[]): readonly Week[] {
  const sorted = days.filter((day) => !Number.isNaN(timeOf(day))).sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const end = mondayOf(timeOf(last));
  const start = Math.max(mondayOf(timeOf(first)), end - (maxWeeks - 1) * 7 * dayMs);
  const weeks: Week[] = [];
  for (let monday = start; monday <= end; monday += 7 * dayMs) {
    weeks.push(
      Array.from({ length: 7 }, (_, i) => {
        const day = new Date(monday + i * dayMs).toISOString().slice(0, 10);
        return day >= first && day <= last ? day : null;
      }),
    );
  }
  return weeks;
}

/** 0: nothing; 1 to 4: up to a quarter, half, three quarters and all of the largest. */
export function levelOf(amount: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (amount <= 0 || most <= 0) return 0;
  return Math.min(4, Math.max(1, Math.ceil((4 * amount) / most))) as 1 | 2 | 3 | 4;
}

/** The name of the month that begins in a week; empty for other weeks. */
export function monthOf(week: Week, before: Week | undefined): string {
  const [day, earlier] = [firstDay(week), before === undefined ? undefined : firstDay(before)];
  if (day === undefined || day.slice(0, 7) === earlier?.slice(0, 7)) return '';
  return new Date(timeOf(day)).toLocaleString('en', { month: 'short', timeZone: 'UTC' });
}

function firstDay(week: Week): string | undefined {
  return week.find((day) => day !== null) ?? undefined;
}

function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function mondayOf(time: number): number {
  return time - ((new Date(time).getUTCDay() + 6) % 7) * dayMs;
}
