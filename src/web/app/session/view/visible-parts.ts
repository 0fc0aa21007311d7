// The parts that a view shows: those that can have something to show, without those that turned out to have nothing. A
// row without height would break the list, so such parts have no row.
import { useMemo, useRef } from 'react';
import type { SessionHead, TurnRow, TurnView } from '../../../../export/wire/index.ts';
import type { PartsStore, ViewFilter } from '../source/index.ts';
import { mayShow, showsAnything } from './shown.ts';

interface Judged {
  readonly view: TurnView | undefined;
  /** A part that has grown since is judged again. */
  readonly signature: string;
  readonly shows: boolean;
}

/** `target`: a part that was jumped to, and is shown in every view. */
export function useVisibleParts(
  head: SessionHead,
  store: PartsStore,
  filter: ViewFilter,
  target: number | null,
): readonly number[] {
  const judged = useRef({ filter, parts: new Map<number, Judged>() });
  if (judged.current.filter !== filter) judged.current = { filter, parts: new Map() };
  const { version } = store;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that the store has other parts
  return useMemo(() => {
    if (filter.view === 'all' && filter.tools.length === 0)
      return Array.from({ length: head.parts }, (_, part) => part);
    const chosen = filter.tools.length === 0 ? null : positionsOf(head, filter);
    const parts: number[] = [];
    for (const row of head.turns) {
      for (const [i, bits] of row.partBits.entries()) {
        const part = row.firstPart + i;
        const isTarget = part === target;
        if (!isTarget && !mayShow(filter, chosen, bits, row.partTools[i] ?? [])) continue;
        if (isTarget || judge(judged.current.parts, part, signatureOf(row, i, bits), store.get(part), filter))
          parts.push(part);
      }
    }
    return parts;
  }, [head, store, version, filter, target]);
}

function judge(
  known: Map<number, Judged>,
  part: number,
  signature: string,
  view: TurnView | undefined,
  filter: ViewFilter,
): boolean {
  const before = known.get(part);
  // A part that was dropped from memory stays as it was found.
  if (before?.signature === signature && (view === undefined || view === before.view)) return before.shows;
  if (view === undefined || view === before?.view) return true;
  const shows = showsAnything(view, filter);
  known.set(part, { view, signature, shows });
  return shows;
}

function positionsOf({ tools }: SessionHead, filter: ViewFilter): ReadonlySet<number> {
  return new Set(tools.flatMap(({ name }, at) => (filter.tools.includes(name) ? [at] : [])));
}

const linesPerPart = 30;

function signatureOf({ lines }: TurnRow, part: number, bits: number): string {
  return `${bits} ${Math.min(linesPerPart, lines - linesPerPart * part)}`;
}

/** The row that shows a part, or the one before its place. */
export function rowOf(parts: readonly number[], part: number): number {
  let low = 0;
  let high = parts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((parts[middle] ?? 0) <= part) low = middle;
    else high = middle - 1;
  }
  return low;
}
