// The address of the people page → the range of days and the order, and the address of someone's sessions.
import type { GroupRow, PersonRow } from '../../wire/index.ts';

export const ranges = [
  { range: '7d', name: '7 days', days: 7 },
  { range: '30d', name: '30 days', days: 30 },
  { range: '90d', name: '90 days', days: 90 },
  { range: 'all', name: 'All time', days: null },
] as const;
export type Range = (typeof ranges)[number]['range'];

export const sorts = ['name', 'pushed', 'sessions', 'prompts', 'tokens', 'cost'] as const;
export type PeopleSort = (typeof sorts)[number];

export interface PeopleAddress {
  readonly range: Range;
  readonly sort: PeopleSort;
  readonly reverse: boolean;
}

export const defaultRange: Range = '30d';
export const defaultSort: PeopleSort = 'cost';

export function readPeopleAddress(search: string): PeopleAddress {
  const query = new URLSearchParams(search);
  return {
    range: ranges.find(({ range }) => range === query.get('range'))?.range ?? defaultRange,
    sort: sorts.find((sort) => sort === query.get('sort')) ?? defaultSort,
    reverse: query.get('reverse') === '1',
  };
}

/** Names from A to Z, numbers from the largest. */
export function inOrder<Row extends PersonRow | GroupRow>(
  rows: readonly Row[],
  { sort, reverse }: Pick<PeopleAddress, 'sort' | 'reverse'>,
): readonly Row[] {
  const names = new Intl.Collator();
  const sorted = rows.toSorted(
    (a, b) => (sort === 'name' ? 0 : numberOf(b, sort) - numberOf(a, sort)) || names.compare(a.name, b.name),
  );
  return reverse ? sorted.reverse() : sorted;
}

function numberOf(row: PersonRow | GroupRow, sort: Exclude<PeopleSort, 'name'>): number {
  if (sort === 'cost') return row.costMicroUsd ?? 0;
  if (sort !== 'pushed') return row[sort];
  return 'machines' in row ? (row.machines[0]?.pushedAt ?? 0) : 0;
}

/** The filter of the library that only the sessions of this person pass. */
export function sessionsAddress(name: string): string {
  // A name with quotes cannot be in quotes: its first word is looked for.
  const value = name.includes('"') ? (name.split(/["\s]/).find((word) => word !== '') ?? '') : `"${name}"`;
  return `/?${new URLSearchParams({ text: `person:${value}` })}`;
}
