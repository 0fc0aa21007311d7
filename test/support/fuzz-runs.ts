// How often a property is tried: a fifth of the full number, all of it with CLEW_LONG=1.
export function fuzzRuns(full: number): number {
  return process.env.CLEW_LONG === '1' ? full : Math.ceil(full / 5);
}
