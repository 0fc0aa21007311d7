// The active block → the lines of its live view: time, cost, pace, where it leads, and its models.
import { formatTokens, oneLine } from '../../base/text/index.ts';
import { sumOfTokens } from '../../format/entry/index.ts';
import { byModel, type UsageRow } from '../../library/usage/index.ts';
import { costText, formatCost, localTime, renderTable } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';
import { barOf } from './render.ts';

export interface LiveBlock {
  readonly active: UsageRow | undefined;
  /** The newest block, if none is active. */
  readonly last: UsageRow | undefined;
  readonly pricesVersion: string;
}

export interface LiveOptions {
  readonly width: number;
  readonly style: Style;
  readonly nowMs: number;
  /** Whether keys are read. */
  readonly isLive: boolean;
}

const blockMs = 5 * 60 * 60 * 1000;

export function liveLines({ active, last, pricesVersion }: LiveBlock, options: LiveOptions): readonly string[] {
  const { style, width, isLive, nowMs } = options;
  const quit = isLive ? ['', style.muted('q or Ctrl-C quits')] : [];
  const block = active?.block;
  if (active === undefined || block === undefined) return [...idleLines(last, nowMs), ...quit];
  const start = block.endsAt - blockMs;
  const barCells = Math.max(10, Math.min(40, width - 30));
  const share = (nowMs - start) / blockMs;
  const time = `${localTime(start)} to ${localTime(block.endsAt).slice(-5)}`;
  const facts: [string, string][] = [
    ['block', time],
    ['time', `${padBar(barOf(share, barCells), barCells, style)} ${leftText(block.endsAt - nowMs)} left`],
    ['spent', `${style.bold(costText(active))}, ${formatTokens(sumOfTokens(active))} tokens`],
  ];
  const { pace } = block;
  if (pace !== undefined) {
    const { costMicroUsdPerHour: cost, projectedCostMicroUsd: atEnd } = pace;
    const perHour = cost === undefined ? [] : [`${formatCost(cost)} per hour`];
    const end = atEnd === undefined ? [] : [formatCost(atEnd)];
    facts.push([
      'pace',
      [...perHour, `${formatTokens(Math.round(pace.tokensPerHour / 60))} tokens per minute`].join(', '),
    ]);
    facts.push(['at the end', [...end, `${formatTokens(pace.projectedTokens)} tokens at this pace`].join(', ')]);
  }
  return [
    ...facts.map(([name, text]) => `${style.muted(name.padEnd(11))}${text}`),
    '',
    ...modelTable(active, options).split('\n'),
    '',
    style.muted(`tokens, each message once; prices of ${pricesVersion}`),
    ...quit,
  ];
}

function idleLines(last: UsageRow | undefined, nowMs: number): readonly string[] {
  const none = 'no active block: nothing was used in the last five hours';
  const endsAt = last?.block?.endsAt;
  if (last === undefined || endsAt === undefined || Number.isNaN(endsAt) || endsAt > nowMs) return [none];
  return [none, `the last one ended at ${localTime(endsAt)} with ${costText(last)}`];
}

/** `3 h 05 min`. */
function leftText(ms: number): string {
  const minutes = Math.max(0, Math.ceil(ms / 60_000));
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes} min` : `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
}

function padBar(bar: string, cells: number, style: Style): string {
  return style.blue(bar) + style.muted('·'.repeat(Math.max(0, cells - bar.length)));
}

function modelTable(active: UsageRow, { width, style }: LiveOptions): string {
  const columns = [
    { header: 'MODEL', flex: true, minWidth: 12 },
    { header: 'OUTPUT', align: 'right' },
    { header: 'TOTAL', align: 'right' },
    { header: 'COST', align: 'right' },
  ] as const;
  const rows = byModel(active.cells).map((row) => [
    oneLine(row.key, 60) || '(no model)',
    formatTokens(row.outputTokens),
    formatTokens(sumOfTokens(row)),
    costText(row),
  ]);
  return renderTable(columns, rows, { width, style });
}
