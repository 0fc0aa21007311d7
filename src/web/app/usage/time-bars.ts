// Rows of a report by time → one bar for every day, week or month from the first to the last, also where there is no row.

export interface Bar<Row> {
  readonly key: string;
  /** `null`: nothing happened then. */
  readonly row: Row | null;
}

/** A bar that cannot be seen helps nobody, and a wrong date of one line must not draw a million. */
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
  // Keys that do not stand where they were expected, such as weeks that begin on another day, are all shown.
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
