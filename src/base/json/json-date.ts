/** ISO 8601 in UTC for JSON output, or null for an unknown time. */
export function isoDate(timeMs: number): string | null {
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
