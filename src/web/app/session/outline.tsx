// The outline next to the conversation: a row for each turn with what it took, and the size of the context over time.
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef } from 'react';
import { formatDuration, formatTokens } from '../../../base/text/index.ts';
import type { SessionHead, TurnRow } from '../../../export/wire/index.ts';
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
    row.compactions === 0 ? '' : 'compacted',
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

const width = 280;
const height = 56;
const maxColumns = 140;

export interface ContextChartProps {
  readonly head: SessionHead;
  readonly current: number;
  onTurn(row: TurnRow): void;
}

function ContextChart({ head, current, onTurn }: ContextChartProps) {
  const columns = columnsOf(head.turns);
  const most = Math.max(...columns.map((column) => column.tokens));
  if (columns.length < 2 || most <= 0) return null;
  const step = width / columns.length;
  const line = columns.map(({ tokens }, i) => {
    const y = height - (tokens / most) * (height - 4);
    return `${i === 0 ? 'M' : 'L'}${(i * step).toFixed(1)},${y.toFixed(1)} H${((i + 1) * step).toFixed(1)}`;
  });
  const at = columns.findLastIndex((column) => (column.row?.index ?? 1) <= current);
  const share = head.contextLimit === null ? '' : ` of ${formatTokens(head.contextLimit)}`;
  return (
    <figure className="chart">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label="Context size over the turns"
      >
        <path className="chart-area" d={`${line.join(' ')} V${height} H0 Z`} />
        <path className="chart-line" d={line.join(' ')} />
        {columns.map(({ isCompacted, row }, i) =>
          isCompacted ? (
            <line key={row?.index} className="chart-cut" x1={i * step} x2={i * step} y1={0} y2={height} />
          ) : null,
        )}
        {at < 0 ? null : (
          <rect className="chart-here" x={at * step} y={0} width={Math.max(1.5, step)} height={height} />
        )}
      </svg>
      <div className="chart-columns" aria-hidden="true">
        {columns.map(({ row, tokens }) =>
          row === undefined ? null : (
            <button
              type="button"
              tabIndex={-1}
              key={row.index}
              title={`Turn ${row.index}: ${formatTokens(tokens)} tokens`}
              onClick={() => onTurn(row)}
            />
          ),
        )}
      </div>
      <figcaption>
        Context, at most {formatTokens(most)}
        {share} tokens
      </figcaption>
    </figure>
  );
}

interface Column {
  readonly row: TurnRow | undefined;
  readonly tokens: number;
  readonly isCompacted: boolean;
}

function columnsOf(turns: readonly TurnRow[]): readonly Column[] {
  const size = Math.ceil(turns.length / maxColumns) || 1;
  const columns: Column[] = [];
  let before = 0;
  for (let i = 0; i < turns.length; i += size) {
    const group = turns.slice(i, i + size);
    // A turn without an answer leaves the conversation as it was.
    const tokens = Math.max(...group.map((row) => row.contextTokens ?? before));
    before = tokens;
    columns.push({ row: group[0], tokens, isCompacted: group.some((row) => row.compactions > 0) });
  }
  return columns;
}
