// The table of sessions. It renders only the visible rows; each row is a link to its session. Sorted by age, the rows have
// headings by day, of which the current one stays in view.
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { DateGroup, SessionSort } from '../../wire/index.ts';
import { addressWith, goTo, useStatus } from '../page/index.ts';
import type { LibraryAddress } from './library-address.ts';
import { groupName, type ListLayout } from './list-layout.ts';
import { SessionCells } from './session-cells.tsx';
import type { SessionRows } from './session-rows.ts';

export interface SessionTableProps {
  readonly rows: SessionRows;
  readonly scroll: React.RefObject<HTMLElement | null>;
  readonly address: LibraryAddress;
  /** The index is not complete yet. */
  readonly isReading: boolean;
}

const columns: readonly (readonly [name: string, title: string, sort: SessionSort | null])[] = [
  ['title', 'Session', 'title'],
  ['person', 'Person', null],
  ['project', 'Project', 'project'],
  ['branch', 'Branch', null],
  ['model', 'Model', null],
  ['age', 'Used', 'age'],
  ['turns', 'Turns', 'turns'],
  ['size', 'Size', 'size'],
  ['cost', 'Cost', 'cost'],
];
/** Sorted from the smallest: names from A to Z. */
const ascending: ReadonlySet<SessionSort> = new Set(['title', 'project', 'expires']);

/** As in library.css. */
const heights = { wide: { row: 24, heading: 26 }, narrow: { row: 52, heading: 30 } } as const;

export function SessionTable({ rows, scroll, address, isReading }: SessionTableProps) {
  const listRef = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const { layout } = rows;
  const store = useStatus()?.store ?? null;
  const namesPeople = store?.namesPeople === true;
  const height = heights[useIsNarrow() ? 'narrow' : 'wide'];
  // The height above the list in the scrolled region changes only with the width.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the rows change their height
  useLayoutEffect(() => {
    const [list, region] = [listRef.current, scroll.current];
    if (list === null || region === null) return;
    setTop(list.getBoundingClientRect().top - region.getBoundingClientRect().top + region.scrollTop);
  }, [scroll, height]);
  const current = useRef<number | undefined>(undefined);
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count: layout.lines,
    getScrollElement: () => scroll.current,
    estimateSize: (line) => (layout.isHeading(line) ? height.heading : height.row),
    scrollMargin: top,
    overscan: 12,
    useFlushSync: false,
    rangeExtractor: useCallback(
      (range: Range) => {
        current.current = layout.headingOf(range.startIndex);
        const lines = defaultRangeExtractor(range);
        const heading = current.current;
        return heading === undefined || lines.includes(heading) ? lines : [heading, ...lines];
      },
      [layout],
    ),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are higher on a phone, and headings move
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, height, layout]);
  const items = virtualizer.getVirtualItems();
  const [from, to] = rowsAround(layout, items);
  useEffect(() => rows.need(from, to), [rows, from, to]);
  const now = Date.now();
  const open = new Set(address.open);
  const toggle = useCallback((key: string) => goTo(toggledAddress(key), { replaces: true, keepsScroll: true }), []);
  return (
    <table
      className="session-table"
      data-project={address.project === null ? undefined : 'one'}
      data-people={namesPeople ? '' : undefined}
      data-stored={store === null ? undefined : ''}
      aria-label="Sessions"
      aria-rowcount={layout.lines + 1}
    >
      <TableHead address={address} namesPeople={namesPeople} />
      <tbody className="session-rows" ref={listRef} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, size }) => {
          const line = layout.at(index);
          const style = { height: size, transform: `translateY(${start - top}px)` };
          if (line.kind === 'heading')
            return (
              <GroupHeading
                key={index}
                line={index}
                group={line.group}
                style={index === current.current ? { height: size } : style}
                isCurrent={index === current.current}
              />
            );
          const row = rows.at(line.row);
          return (
            <tr
              key={index}
              aria-rowindex={index + 2}
              className="session-row"
              data-below={row?.isBelow === true ? '' : undefined}
              style={style}
            >
              <SessionCells
                row={row}
                now={now}
                isReading={isReading}
                isOpen={row !== undefined && open.has(row.key)}
                namesPeople={namesPeople}
                onToggle={toggle}
              />
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The first and the last row among the lines; the current heading may be far above them. */
function rowsAround(layout: ListLayout, items: readonly { readonly index: number }[]): readonly [number, number] {
  const rows = items.flatMap(({ index }) => {
    const line = layout.at(index);
    return line.kind === 'row' ? line.row : [];
  });
  return [rows[0] ?? 0, rows.at(-1) ?? 0];
}

function toggledAddress(key: string): string {
  const open = new Set(
    (new URLSearchParams(location.search).get('open') ?? '').split(' ').filter((each) => each !== ''),
  );
  if (!open.delete(key)) open.add(key);
  return addressWith({ open: [...open].join(' ') });
}

interface GroupHeadingProps {
  readonly line: number;
  readonly group: DateGroup;
  readonly style: React.CSSProperties;
  /** Of the rows at the top of the screen: it stays there. */
  readonly isCurrent: boolean;
}

function GroupHeading({ line, group, style, isCurrent }: GroupHeadingProps) {
  return (
    <tr className="group-row" data-current={isCurrent ? '' : undefined} aria-rowindex={line + 2} style={style}>
      <th scope="rowgroup" colSpan={columns.length}>
        {groupName(group.name, new Date())} <span className="quiet">{group.sessions}</span>
      </th>
    </tr>
  );
}

function TableHead({ address, namesPeople }: { readonly address: LibraryAddress; readonly namesPeople: boolean }) {
  return (
    <thead className="session-head">
      <tr aria-rowindex={1} className="session-row">
        {columns.map(([name, title, sort]) => {
          if (name === 'person' && !namesPeople) return null;
          if (sort === null)
            return (
              <th key={name} scope="col" className={`cell-${name}`}>
                {title}
              </th>
            );
          const isSorted = address.sort === sort;
          const isUp = ascending.has(sort) !== address.reverse;
          return (
            <th
              key={name}
              scope="col"
              className={`cell-${name}`}
              aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : 'none'}
            >
              <a href={addressWith({ sort, reverse: isSorted && !address.reverse ? '1' : null })}>
                {title}
                <span aria-hidden="true">{isSorted ? (isUp ? ' ↑' : ' ↓') : ''}</span>
              </a>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

const narrow = matchMedia('(max-width: 899px)');

function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      narrow.addEventListener('change', listener);
      return () => narrow.removeEventListener('change', listener);
    },
    () => narrow.matches,
  );
}
