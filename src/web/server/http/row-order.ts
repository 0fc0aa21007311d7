// The orders of the list.
import type { SessionSort } from '../../wire/index.ts';
import type { ListedRow } from '../answers/index.ts';

/** Rows that are equal in this order: the most recently written first. */
export function inOrder(rows: Iterable<ListedRow>, sort: SessionSort): ListedRow[] {
  return [...rows].sort((a, b) => orders[sort](a, b) || b.changedAt - a.changedAt);
}

type Order = (a: ListedRow, b: ListedRow) => number;

const orders: Readonly<Record<SessionSort, Order>> = {
  age: (a, b) => lastUse(b) - lastUse(a),
  size: (a, b) => b.sizeBytes - a.sizeBytes,
  turns: (a, b) => (b.turns ?? -1) - (a.turns ?? -1),
  cost: (a, b) => (b.costMicroUsd ?? -1) - (a.costMicroUsd ?? -1),
  damage: (a, b) => severityRank(a) - severityRank(b) || (b.damage ?? -1) - (a.damage ?? -1),
  expires: (a, b) => a.changedAt - b.changedAt,
  title: (a, b) => byName(a.title ?? a.firstPrompt ?? '\u{10ffff}', b.title ?? b.firstPrompt ?? '\u{10ffff}'),
  project: (a, b) => byName(a.project, b.project),
};

/** Most severe first; sessions that were not examined come before sound ones. */
function severityRank({ severity }: ListedRow): number {
  return ['fatal', 'loss', 'warn', null, 'info', 'sound'].indexOf(severity);
}

export function lastUse({ endedAt, changedAt }: ListedRow): number {
  return endedAt ?? changedAt;
}

function byName(a: string, b: string): number {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()];
  return one < other ? -1 : one > other ? 1 : 0;
}
