// The rows of the list and its groups by day → the lines that are drawn: a heading before each group, and the rows.
import type { DateGroup } from '../../wire/index.ts';

export type ListLine =
  | { readonly kind: 'heading'; readonly group: DateGroup }
  | { readonly kind: 'row' /** Of the list, from 0. */; readonly row: number };

export class ListLayout {
  readonly lines: number;
  readonly #groups: readonly DateGroup[];
  /** The line of each heading. */
  readonly #headings: readonly number[];

  /** Rows after the last group, which the server did not know yet, have no heading. */
  constructor(rows: number, groups: readonly DateGroup[]) {
    this.#groups = groups;
    const headings: number[] = [];
    let line = 0;
    for (const group of groups) {
      headings.push(line);
      line += 1 + group.rows;
    }
    this.#headings = headings;
    this.lines = Math.max(line, rows + groups.length);
  }

  at(line: number): ListLine {
    const index = this.#groupAt(line);
    const group = this.#groups[index];
    if (group !== undefined && this.#headings[index] === line) return { kind: 'heading', group };
    return { kind: 'row', row: line - index - 1 };
  }

  isHeading(line: number): boolean {
    return this.#headings[this.#groupAt(line)] === line;
  }

  /** The heading of the group that a line is in; `undefined` without groups. */
  headingOf(line: number): number | undefined {
    return this.#headings[this.#groupAt(line)];
  }

  #groupAt(line: number): number {
    let [from, to] = [-1, this.#headings.length];
    while (to - from > 1) {
      const middle = (from + to) >>> 1;
      if ((this.#headings[middle] as number) <= line)
        from = middle; // `middle` is in range
      else to = middle;
    }
    return from;
  }
}

const names = { today: 'Today', yesterday: 'Yesterday', week: 'This week', unknown: 'Unknown' } as const;

/** The name of a month has its year unless that is the current one. */
export function groupName(name: DateGroup['name'], now: Date): string {
  if (name === 'today' || name === 'yesterday' || name === 'week' || name === 'unknown') return names[name];
  const month = new Date(`${name}-15T12:00:00Z`);
  if (Number.isNaN(month.getTime())) return name;
  const isThisYear = month.getUTCFullYear() === now.getFullYear();
  return month.toLocaleDateString('en', {
    month: 'long',
    timeZone: 'UTC',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}
