// One bar for every day, week or month of a report, also for those without a row.

export interface Bar<Row> {
  readonly key: string;
  /** `null`: no usage. */
  readonly row: Row | null;
}

/** One line with a wrong date must not draw a million bars. */
const maxBars = 800;

export function barsOf<Row>(
  by: string,
  rows: readonly { readonly key: string; readonly row: Row }[],
): readonly Bar<Row>[] {
  const known = new Map(rows.map(({ key, row }) => [key, row]));
  const keys = [...known.keys()].sort();
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return [];
  const bars: Bar<Row>[] = [];
  for (let key = first; key <= last; key = nextKey(by, key)) {
    if (bars.length === maxBars || nextKey(by, key) <= key) return keys.map((each) => barOf(known, each));
    bars.push(barOf(known, key));
  }
  // Unexpected keys, such as weeks that begin on another day: show just these.
  const isWhole = bars.filter(({ row }) => row !== null).length === known.size;
  return isWhole ? bars : keys.map((each) => barOf(known, each));
}

function barOf<Row>(known: ReadonlyMap<string, Row>, key: string): Bar<Row> {
  return { key, row: known.get(key) ?? null };
}

function nextKey(by: string, key: string): string {
  const [year = 0, month = 1, day = 1] = key.split('-').map(Number);
  const isMonth = by === 'monthly';
  const next = isMonth ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + (by === 'weekly' ? 7 : 1));
  if (!Number.isFinite(next)) return '';
  return new Date(next).toISOString().slice(0, key.length === 7 ? 7 : 10);
}
