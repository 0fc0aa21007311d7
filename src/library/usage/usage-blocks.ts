// Cells of usage → blocks of five hours, the windows in which a subscription's limits are counted: a block begins at
// the full hour (UTC) of its first message; the first message that is five hours or more after that begins the next.
import type { UsageCell } from './cells.ts';

export interface UsageBlock {
  /** When it begins, as ISO 8601; empty for the messages without a time. */
  readonly key: string;
  readonly endsAt: number;
  /** Messages of now still go into it. */
  readonly isActive: boolean;
  readonly cells: readonly UsageCell[];
}

const hourMs = 60 * 60 * 1000;
const blockMs = 5 * hourMs;

/** Cells are quarters of an hour and blocks begin at full hours, so that no cell is in two. */
export function blocksOf(cells: readonly UsageCell[], nowMs: number): readonly UsageBlock[] {
  const timed = cells.filter(({ time }) => !Number.isNaN(time)).sort((a, b) => a.time - b.time);
  const groups: { start: number; cells: UsageCell[] }[] = [];
  for (const cell of timed) {
    const current = groups.at(-1);
    // A pause of five hours always ends a block: a block is no longer than that itself.
    if (current !== undefined && cell.time < current.start + blockMs) current.cells.push(cell);
    else groups.push({ start: Math.floor(cell.time / hourMs) * hourMs, cells: [cell] });
  }
  const blocks = groups.map(({ start, cells: own }) => ({
    key: new Date(start).toISOString(),
    endsAt: start + blockMs,
    isActive: start <= nowMs && nowMs < start + blockMs,
    cells: own,
  }));
  const untimed = cells.filter(({ time }) => Number.isNaN(time));
  return untimed.length === 0 ? blocks : [{ key: '', endsAt: Number.NaN, isActive: false, cells: untimed }, ...blocks];
}
