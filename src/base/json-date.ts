// Times in JSON output: ISO 8601 in UTC, or null where a transcript has none.

export function isoDate(timeMs: number): string | null {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
