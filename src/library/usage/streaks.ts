// Days on which something was done → the longest run of days without a gap, and the one that is still going on.

export interface Streaks {
  readonly activeDays: number;
  /** Up to today; up to yesterday where today is still young. */
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
