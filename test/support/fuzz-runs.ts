// How much of a long test runs: a part of it in CI, all of it with CLEW_LONG=1.

/** How often a property is tried: a fifth of the full number. */
export function fuzzRuns(full: number): number {
  return process.env.CLEW_LONG === '1' ? full : Math.ceil(full / 5);
}

/** The cases for one of several tests that together run them all. */
export function shareOf<T>(cases: readonly T[], part: number, parts: number): readonly T[] {
  return process.env.CLEW_LONG === '1' ? cases : cases.filter((_, i) => i % parts === part);
}
