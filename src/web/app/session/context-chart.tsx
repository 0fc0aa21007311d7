// The size of the conversation after each turn: one small chart, with marks for compactions. A click goes to
// the turn. If there are more turns than columns, turns share a column, and the largest of them is drawn.
import { formatTokens } from '../../../base/text/human.ts';
import type { SessionHead, TurnRow } from '../../../export/wire/view.ts';

const width = 280;
const height = 56;
const maxColumns = 140;

export interface ContextChartProps {
  readonly head: SessionHead;
  readonly current: number;
  onTurn(row: TurnRow): void;
}

export function ContextChart({ head, current, onTurn }: ContextChartProps) {
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
