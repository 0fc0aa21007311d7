// The size of the context over the turns, with its limit, the zone in which the client compacts, and each compaction. The
// pointer and the arrow keys show a turn; a click and the arrow keys go to it.
import { type MouseEvent, useMemo, useState } from 'react';
import { formatTokens } from '../../../../base/text/index.ts';
import type { SessionHead, TurnRow } from '../../../../export/wire/index.ts';
import { Words } from '../text/index.ts';
import { chartShape, turnUnder } from './chart-shape.ts';

export interface ContextChartProps {
  readonly head: SessionHead;
  readonly current: number;
  onTurn(row: TurnRow): void;
}

export function ContextChart({ head, current, onTurn }: ContextChartProps) {
  const { turns, contextLimit: limit, compactsAt } = head;
  const shape = useMemo(() => chartShape({ turns, limit, compactsAt }), [turns, limit, compactsAt]);
  const [pointed, setPointed] = useState<TurnRow | null>(null);
  const [isFocused, setFocused] = useState(false);
  if (shape === undefined) return null;
  const at = turns.findIndex((row) => row.index === current);
  const shown = pointed ?? (isFocused ? turns[at] : undefined);
  const under = (event: MouseEvent<HTMLElement>): TurnRow | undefined => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return turnUnder(turns, (event.clientX - left) / Math.max(1, width));
  };
  const here = shown === undefined ? -1 : turns.indexOf(shown);
  return (
    <figure className="chart">
      <div className="chart-plot">
        <div className="chart-axis" aria-hidden="true">
          {shape.ticks.map(({ tokens, at: top }) => (
            <span key={tokens} style={{ top: `${top}%` }}>
              {tokens === 0 ? '0' : formatTokens(tokens).replace('.0', '')}
            </span>
          ))}
        </div>
        <div className="chart-area-box">
          <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
            {shape.zone === null ? null : (
              <rect
                className="chart-zone"
                x={0}
                width={100}
                y={shape.zone.from}
                height={shape.zone.to - shape.zone.from}
              />
            )}
            {shape.ticks.map(({ tokens, at: y }) => (
              <line key={tokens} className="chart-grid" x1={0} x2={100} y1={y} y2={y} />
            ))}
            <path className="chart-area" d={`${shape.line} V100 H0 Z`} />
            <path className="chart-line" d={shape.line} />
            {shape.drops.map(({ turn, at: x, from, to }) => (
              <line key={turn} className="chart-cut" x1={x} x2={x} y1={from} y2={to} />
            ))}
            {shape.limitAt === null ? null : (
              <line className="chart-limit" x1={0} x2={100} y1={shape.limitAt} y2={shape.limitAt} />
            )}
            <Column at={at} count={turns.length} className="chart-here" />
            <Column at={here} count={turns.length} className="chart-pointed" />
          </svg>
          {limit === null ? null : (
            <span className="chart-limit-name" aria-hidden="true">
              {shape.isBroken ? '⋮ ' : ''}limit {formatTokens(limit).replace('.0', '')}
            </span>
          )}
          {/* For the pointer; the range below is the same for keys and screen readers. */}
          <button
            type="button"
            tabIndex={-1}
            aria-hidden="true"
            className="chart-pointer"
            onMouseMove={(event) => setPointed(under(event) ?? null)}
            onMouseLeave={() => setPointed(null)}
            onClick={(event) => {
              const row = under(event);
              if (row !== undefined) onTurn(row);
            }}
          />
          <input
            type="range"
            className="chart-range"
            aria-label="Turn, by the size of the context"
            min={1}
            max={turns.length}
            value={Math.max(1, at + 1)}
            aria-valuetext={at < 0 ? undefined : turnText(turns[at] as TurnRow, limit)}
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
            onChange={(event) => {
              const row = turns[Number(event.currentTarget.value) - 1];
              if (row !== undefined) onTurn(row);
            }}
          />
        </div>
      </div>
      <figcaption>
        {shown === undefined ? (
          `Context, at most ${formatTokens(shape.most)}${limit === null ? '' : ` of ${formatTokens(limit)}`} tokens`
        ) : (
          <Words text={turnText(shown, limit)} />
        )}
      </figcaption>
      {compactsAt === null ? null : <p className="chart-note">The client compacts above {formatTokens(compactsAt)}</p>}
    </figure>
  );
}

interface ColumnProps {
  readonly at: number;
  readonly count: number;
  readonly className: string;
}

function Column({ at, count, className }: ColumnProps) {
  return at < 0 ? null : (
    <rect className={className} x={(100 * at) / count} width={Math.max(0.5, 100 / count)} y={0} height={100} />
  );
}

function turnText({ index, contextTokens, peakTokens, drops, model }: TurnRow, limit: number | null): string {
  const size = peakTokens ?? contextTokens;
  const share = size === null || limit === null ? '' : ` (${Math.round((100 * size) / limit)} %)`;
  const facts = [
    `Turn ${index}`,
    size === null ? 'no request' : `${formatTokens(size)} tokens${share}`,
    ...drops.map(({ before, after }) => `compacted ${sizeText(before)} → ${sizeText(after)}`),
    model ?? '',
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

function sizeText(tokens: number | null): string {
  return tokens === null ? '?' : formatTokens(tokens);
}
