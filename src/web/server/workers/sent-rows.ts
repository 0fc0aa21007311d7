// All rows of the list, again and again → those that changed since they were last sent.
import type { ListedRow } from '../answers/index.ts';
import type { WorkerEvents } from './worker-methods.ts';

export class SentRows {
  readonly #sent = new Map<string, ListedRow>();

  get size(): number {
    return this.#sent.size;
  }

  /** `rows` are all there are. */
  update(rows: readonly ListedRow[]): WorkerEvents['index']['rows'] {
    const gone = new Set(this.#sent.keys());
    const changed = rows.filter((row) => {
      gone.delete(row.path);
      const before = this.#sent.get(row.path);
      if (before !== undefined && isSame(before, row)) return false;
      this.#sent.set(row.path, row);
      return true;
    });
    for (const path of gone) this.#sent.delete(path);
    return { changed, gone: [...gone], total: null };
  }
}

function isSame(a: ListedRow, b: ListedRow): boolean {
  return rowKeys(a).every((key) => {
    const [one, other] = [a[key], b[key]];
    return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
  });
}

function rowKeys(row: ListedRow): readonly (keyof ListedRow)[] {
  return Object.keys(row) as (keyof ListedRow)[];
}
