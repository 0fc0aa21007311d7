// The outline next to the conversation: a row for each turn with what it took, and the size of the context over time.
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef } from 'react';
import { formatDuration } from '../../../base/text/index.ts';
import type { SessionHead, TurnRow } from '../../../export/wire/index.ts';
import { ContextChart } from './chart/index.ts';
import { formatKnownMoney, formatTime } from './format/index.ts';
import { Words } from './text/index.ts';

export interface OutlineProps {
  readonly head: SessionHead;
  /** The index of the turn that is on the screen. */
  readonly current: number;
  onTurn(row: TurnRow): void;
}

const rowHeight = 58;

export function Outline({ head, current, onTurn }: OutlineProps) {
  const scrollRef = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: head.turns.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    useFlushSync: false,
  });
  const at = current - (head.turns[0]?.index ?? 1);
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' });
  }, [virtualizer, at]);
  return (
    <>
      <ContextChart head={head} current={current} onTurn={onTurn} />
      <div className="outline-scroll" ref={scrollRef}>
        <ol className="outline-rows" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start, key }) => {
            const row = head.turns[index];
            return row === undefined ? null : (
              <li key={key} style={{ transform: `translateY(${start}px)` }}>
                <OutlineRow row={row} isCurrent={row.index === current} onTurn={onTurn} />
              </li>
            );
          })}
        </ol>
      </div>
    </>
  );
}

interface OutlineRowProps {
  readonly row: TurnRow;
  readonly isCurrent: boolean;
  onTurn(row: TurnRow): void;
}

const OutlineRow = memo(function OutlineRow({ row, isCurrent, onTurn }: OutlineRowProps) {
  const facts = [
    row.calls === 0 ? '' : `${row.calls} ${row.calls === 1 ? 'call' : 'calls'}`,
    row.durationMs >= 1000 ? formatDuration(row.durationMs) : '',
    row.agents === 0 ? '' : `${row.agents} ${row.agents === 1 ? 'agent' : 'agents'}`,
    row.drops.length === 0 ? '' : 'compacted',
  ].filter((fact) => fact !== '');
  return (
    <button
      type="button"
      className="outline-row"
      aria-current={isCurrent ? 'location' : undefined}
      title={formatTime(row.startedAt)}
      onClick={() => onTurn(row)}
    >
      <span className="outline-number">{row.index}</span>
      <span className="outline-prompt">
        <Words text={row.prompt === '' ? 'Before the first prompt' : row.prompt} />
      </span>
      <span className="outline-facts">
        {facts.join(' · ')}
        {row.errors === 0 ? null : (
          <span className="outline-errors">
            {' '}
            {row.errors} {row.errors === 1 ? 'error' : 'errors'}
          </span>
        )}
        {row.costMicros === null ? null : (
          <span className="cost"> {formatKnownMoney(row.costMicros, row.unpriced > 0)}</span>
        )}
      </span>
    </button>
  );
});
