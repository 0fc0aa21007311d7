// A bar chart of usage over time, and the same numbers as an accessible table. Days without usage keep their place, so
// that a gap is visible.
import { formatTokens } from '../../../base/text/index.ts';
import type { UsageAnswer, UsageQuery } from '../../wire/index.ts';
import { addressWith } from '../page/index.ts';
import { formatMoney } from '../session/format/index.ts';
import { Words } from '../session/text/index.ts';
import { maxModels, type Piece, piecesOf, stackedModels } from './model-stack.ts';
import { barsOf } from './time-bars.ts';
import { amountOf, amountText, inputOf, type Measure } from './usage-address.ts';

export interface TimeChartProps {
  readonly report: UsageAnswer;
  readonly measure: Measure;
  /** `undefined`: there are none to show. */
  readonly onReceipts: ((title: string, query: UsageQuery) => void) | undefined;
}

const height = 100;

export function TimeChart({ report, measure, onReceipts }: TimeChartProps) {
  const rows = report.rows.filter(({ key }) => key !== null);
  const bars = barsOf(
    report.by,
    rows.map((row) => ({ key: row.key ?? '', row })),
  );
  const models = stackedModels(rows, measure);
  const top = Math.max(1, ...rows.map((row) => amountOf(row, measure)));
  const name = `${measure === 'cost' ? 'Cost' : 'Tokens'} ${periodWord(report.by)}`;
  return (
    <section className="time-chart" aria-label={name}>
      <h2>{name}</h2>
      {/* A few bars must not fill the whole width. */}
      <figure style={{ maxWidth: `${Math.max(8, bars.length) * 3}rem` }}>
        <span className="chart-top">{measure === 'cost' ? formatMoney(top) : formatTokens(top)}</span>
        <svg viewBox={`0 0 ${Math.max(1, bars.length)} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {bars.map(({ key, row }, index) => {
            if (row === null) return null;
            // Even the smallest usage is visible.
            const size = Math.max(1.5, (height * amountOf(row, measure)) / top);
            return (
              <Stack
                key={key}
                pieces={piecesOf(row.models, models, measure)}
                x={index + 0.1}
                size={size}
                title={`${key}: ${amountText(row, measure)}`}
              />
            );
          })}
        </svg>
        <figcaption aria-hidden="true">
          <span>{bars[0]?.key}</span>
          {bars.length > 8 ? <span>{bars[Math.floor(bars.length / 2)]?.key}</span> : null}
          <span>{bars.length > 1 ? bars.at(-1)?.key : ''}</span>
        </figcaption>
      </figure>
      <Legend models={models} />
      <details>
        <summary>As a table</summary>
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{report.by === 'daily' ? 'Day' : 'From'}</th>
                <th scope="col">Cost</th>
                <th scope="col">Input</th>
                <th scope="col">Output</th>
                <th scope="col">Cached</th>
                <th scope="col">Messages</th>
                <th scope="col">{onReceipts === undefined ? null : <span className="unseen">Receipts</span>}</th>
              </tr>
            </thead>
            <tbody>
              {rows.toReversed().map((row) => {
                const key = row.key ?? '';
                const isDay = report.by === 'daily';
                return (
                  <tr key={key}>
                    <th scope="row">{isDay ? <a href={addressWith({ since: key, until: key })}>{key}</a> : key}</th>
                    <td className="cost">{amountText(row, 'cost')}</td>
                    <td>{formatTokens(inputOf(row))}</td>
                    <td>{formatTokens(row.outputTokens)}</td>
                    <td>{row.cacheHitRate === null ? '–' : `${Math.round(100 * row.cacheHitRate)} %`}</td>
                    <td>{row.messages}</td>
                    <td>
                      {isDay && onReceipts !== undefined ? (
                        <button type="button" onClick={() => onReceipts(key, { since: key, until: key })}>
                          Receipts<span className="unseen"> of {key}</span>
                        </button>
                      ) : null}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

interface StackProps {
  readonly pieces: readonly Piece[];
  readonly x: number;
  readonly size: number;
  readonly title: string;
}

/** The pieces of the models, from the bottom up. */
function Stack({ pieces, x, size, title }: StackProps) {
  const whole = pieces.reduce((sum, { amount }) => sum + amount, 0);
  let below = 0;
  return (
    <g>
      <title>{title}</title>
      {whole === 0 ? <rect className="bar" x={x} width={0.8} y={height - size} height={size} /> : null}
      {pieces.map(({ colour, amount }) => {
        const own = (size * amount) / whole;
        below += own;
        return <rect key={colour} className={`model-${colour}`} x={x} width={0.8} y={height - below} height={own} />;
      })}
    </g>
  );
}

function Legend({ models }: { readonly models: readonly string[] }) {
  const shown = models.slice(0, maxModels);
  return (
    <ul className="legend" aria-label="Models">
      {shown.map((model, i) => (
        <li key={model}>
          <span className={`legend-mark model-${i}`} aria-hidden="true" />
          <Words text={model} />
        </li>
      ))}
      {models.length > shown.length ? (
        <li>
          <span className={`legend-mark model-${maxModels}`} aria-hidden="true" />
          {models.length - shown.length} more
        </li>
      ) : null}
    </ul>
  );
}

function periodWord(by: UsageAnswer['by']): string {
  return by === 'weekly' ? 'by week' : by === 'monthly' ? 'by month' : 'by day';
}
