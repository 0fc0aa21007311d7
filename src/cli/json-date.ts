// Times in JSON output: ISO 8601, or null where a transcript has none.

export function isoDate(timeMs: number): string | null {
  return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString();
}
