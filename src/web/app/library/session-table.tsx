// The table of sessions. It renders only the visible rows; each row is a link to its session.
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { counted, formatAge, formatBytes, formatCount, formatDuration, neutralise } from '../../../base/text/index.ts';
import type { SessionRow, SessionSort } from '../../wire/index.ts';
import { addressWith } from '../page/index.ts';
import { formatKnownMoney, formatTime } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';
import type { LibraryAddress } from './library-address.ts';
import { shortProject } from './project-list.tsx';
import type { SessionRows } from './session-rows.ts';

export interface SessionTableProps {
  readonly rows: SessionRows;
  readonly total: number;
  readonly scroll: React.RefObject<HTMLElement | null>;
  readonly address: LibraryAddress;
  /** The index is not complete yet. */
  readonly isReading: boolean;
}

const columns: readonly (readonly [SessionSort, string])[] = [
  ['title', 'Session'],
  ['project', 'Project'],
  ['age', 'Used'],
  ['turns', 'Turns'],
  ['size', 'Size'],
  ['cost', 'Cost'],
];
/** Sorted from the smallest: names from A to Z. */
const ascending: ReadonlySet<SessionSort> = new Set(['title', 'project', 'expires']);

export function SessionTable({ rows, total, scroll, address, isReading }: SessionTableProps) {
  const listRef = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const rowHeight = useIsNarrow() ? 72 : 40;
  // The height above the list in the scrolled region changes only with the width.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again when the rows change their height
  useLayoutEffect(() => {
    const [list, region] = [listRef.current, scroll.current];
    if (list === null || region === null) return;
    setTop(list.getBoundingClientRect().top - region.getBoundingClientRect().top + region.scrollTop);
  }, [scroll, rowHeight]);
  const virtualizer = useVirtualizer<HTMLElement, HTMLElement>({
    count: total,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    scrollMargin: top,
    overscan: 12,
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are higher on a phone
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  const items = virtualizer.getVirtualItems();
  const from = items[0]?.index ?? 0;
  const to = items.at(-1)?.index ?? 0;
  useEffect(() => rows.need(from, to), [rows, from, to]);
  const now = Date.now();
  return (
    <table className="session-table" aria-label="Sessions" aria-rowcount={total + 1}>
      <TableHead address={address} />
      <tbody className="session-rows" ref={listRef} style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start, size }) => (
          <tr
            key={index}
            aria-rowindex={index + 2}
            className="session-row"
            style={{ height: size, transform: `translateY(${start - top}px)` }}
          >
            <RowCells row={rows.at(index)} now={now} isReading={isReading} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TableHead({ address }: { readonly address: LibraryAddress }) {
  return (
    <thead className="session-head">
      <tr aria-rowindex={1} className="session-row">
        {columns.map(([sort, name]) => {
          const isSorted = address.sort === sort;
          const isUp = ascending.has(sort) !== address.reverse;
          return (
            <th
              key={sort}
              scope="col"
              className={`cell-${sort}`}
              aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : 'none'}
            >
              <a href={addressWith({ sort, reverse: isSorted && !address.reverse ? '1' : null })}>
                {name}
                <span aria-hidden="true">{isSorted ? (isUp ? ' ↑' : ' ↓') : ''}</span>
              </a>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface RowCellsProps {
  readonly row: SessionRow | undefined;
  readonly now: number;
  readonly isReading: boolean;
}

const RowCells = memo(function RowCells({ row, now, isReading }: RowCellsProps) {
  if (row === undefined) return <td className="cell-title quiet">…</td>;
  const usedAt = row.endedAt ?? row.changedAt;
  const unknown = isReading ? '…' : '–';
  const facts: readonly (readonly [string, string, string])[] = [
    ['project', shortProject(row.project), neutralise(row.project)],
    ['age', formatAge(usedAt, now), formatTime(usedAt)],
    ['turns', row.turns === null ? unknown : formatCount(row.turns), ''],
    ['size', formatBytes(row.sizeBytes), ''],
    ['cost', row.costMicroUsd === null ? unknown : formatKnownMoney(row.costMicroUsd, row.costIsPart), ''],
  ];
  return (
    <>
      <td className="cell-title">
        <a href={`/s/${encodeURIComponent(row.key)}`} data-stop="">
          <Words
            text={row.title ?? row.firstPrompt ?? (isReading ? `Session ${row.id.slice(0, 8)}` : 'Untitled session')}
          />
        </a>
        <SessionMarks row={row} now={now} />
      </td>
      {facts.map(([name, text, tip]) => (
        <td key={name} className={`cell-${name}`} title={tip === '' ? undefined : tip}>
          <Words text={text} />
          {name === 'turns' && row.turns !== null ? (
            <span className="unit"> {row.turns === 1 ? 'turn' : 'turns'}</span>
          ) : null}
        </td>
      ))}
    </>
  );
});

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

function SessionMarks({ row, now }: { readonly row: SessionRow; readonly now: number }) {
  const damage = damageOf(row);
  return (
    <>
      {row.isLive ? <span className="mark live-mark">live</span> : null}
      {damage === null ? null : (
        <a className="mark damage-mark" href={`/health?session=${encodeURIComponent(row.key)}`}>
          {damage}
        </a>
      )}
      {row.expiresAt === null ? null : <span className="mark expiry-mark">{expiryText(row.expiresAt - now)}</span>}
    </>
  );
}

function damageOf({ damage, severity }: SessionRow): string | null {
  if (severity === 'fatal') return 'cannot be resumed';
  if (severity === 'loss') return 'resuming loses work';
  if (damage === null || damage === 0) return null;
  return `${counted(damage, 'damaged line')}${severity === null ? ', not examined' : ''}`;
}

const dayMs = 86_400_000;

function expiryText(leftMs: number): string {
  if (leftMs <= 0) return 'deleted at the next start';
  if (leftMs < dayMs) return `deleted in ${formatDuration(leftMs)}`;
  return `deleted in ${counted(Math.floor(leftMs / dayMs), 'day')}`;
}
