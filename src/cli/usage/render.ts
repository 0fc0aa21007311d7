// A usage report → the table the user reads: tokens, cost and a bar for each row, totals, and what has no price.
import { homedir } from 'node:os';
import path from 'node:path';
import { counted, formatTokens, oneLine } from '../../base/text/index.ts';
import { sumOfTokens } from '../../format/entry/index.ts';
import { byModel, type ReportKind, type UsageReport, type UsageRow, type UsageSum } from '../../library/usage/index.ts';
import {
  type Cell,
  type Column,
  costText,
  formatCost,
  localTime,
  renderTable,
  shortIds,
  wrapSpans,
} from '../render/index.ts';
import type { Style } from '../terminal/index.ts';

export interface UsageTableOptions {
  readonly kind: ReportKind;
  readonly breakdown: boolean;
  readonly pricesVersion: string;
  readonly width: number;
  /** Of the session report, by session id. */
  readonly titles?: ReadonlyMap<string, string>;
  readonly style: Style;
}

export function usageTable(report: UsageReport, options: UsageTableOptions): string {
  const { width, style, kind, breakdown } = options;
  const columns = columnsFor(kind, report, options).filter(({ fromWidth = 0 }) => width >= fromWidth);
  const lay = (row: Shown): readonly Cell[] => columns.map((column) => column.cell(row));
  const nameOf = rowNames(kind, report.rows);
  const rows = report.rows.flatMap((row) => [
    lay({ name: nameOf(row), sum: row, row }),
    ...(breakdown && kind !== 'model' ? modelRows(row, style).map(lay) : []),
  ]);
  const total = lay({ name: 'total', sum: report.totals, row: undefined }).map((cell) => bold(cell, style));
  const notes = notesFor(report, options).flatMap((note) =>
    wrapSpans([{ text: note, paint: style.muted }], width).map((line) => line.text),
  );
  return `${[renderTable(columns, [...rows, total], { width, style }), '', ...notes].join('\n')}\n`;
}

/** A bar of `cells` characters for a share of 1, in eighths of a character. */
export function barOf(share: number, cells: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, share)) * cells * 8);
  return '█'.repeat(eighths >> 3) + (['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths & 7] ?? '');
}

interface Shown {
  readonly name: Cell;
  readonly sum: UsageSum;
  /** Only rows of the report have a bar. */
  readonly row: UsageRow | undefined;
}

interface UsageColumn extends Column {
  /** Columns a terminal needs for this one to be worth its room. */
  readonly fromWidth?: number;
  cell(shown: Shown): Cell;
}

const headers: Readonly<Record<ReportKind, string>> = {
  daily: 'DAY',
  weekly: 'WEEK OF',
  monthly: 'MONTH',
  session: 'SESSION',
  project: 'PROJECT',
  model: 'MODEL',
  blocks: 'BLOCK',
};

function columnsFor(
  kind: ReportKind,
  report: UsageReport,
  { style, width, titles }: UsageTableOptions,
): readonly UsageColumn[] {
  const weight = weigher(report);
  const barCells = Math.min(20, Math.max(6, width - 82));
  // Titles need the room.
  const isWide = kind !== 'session';
  return [
    { header: headers[kind], flex: true, minWidth: 8, cell: ({ name }) => name },
    ...(kind === 'session' ? [titleColumn(titles, style), folderColumn(style)] : []),
    number('INPUT', isWide ? 46 : 100, ({ inputTokens }) => formatTokens(inputTokens)),
    number('OUTPUT', 0, (sum) => `${sum.outputIsLowerBound ? '≥ ' : ''}${formatTokens(sum.outputTokens)}`),
    number('CACHE READ', isWide ? 64 : 110, ({ cacheReadTokens }) => formatTokens(cacheReadTokens)),
    number('CACHE WRITE', isWide ? 64 : 110, (sum) => formatTokens(sum.cacheWrite5mTokens + sum.cacheWrite1hTokens)),
    number('TOTAL', isWide ? 72 : 60, (sum) => formatTokens(sumOfTokens(sum))),
    { header: 'COST', align: 'right', cell: ({ sum }) => costCell(sum, style) },
    {
      header: '',
      fromWidth: isWide ? 88 : 140,
      cell: ({ row }) => ({ text: row === undefined ? '' : barOf(weight(row), barCells), paint: style.blue }),
    },
  ];
}

function number(header: string, fromWidth: number, text: (sum: UsageSum) => string): UsageColumn {
  return { header, align: 'right', fromWidth, cell: ({ sum }) => text(sum) };
}

function titleColumn(titles: ReadonlyMap<string, string> | undefined, style: Style): UsageColumn {
  return {
    header: 'TITLE',
    flex: true,
    minWidth: 16,
    fromWidth: 50,
    cell: ({ row }) => {
      const title = row === undefined ? '' : oneLine(titles?.get(row.key) ?? '', 200);
      return { text: title, paint: style.muted };
    },
  };
}

function folderColumn(style: Style): UsageColumn {
  return {
    header: 'FOLDER',
    flex: true,
    minWidth: 10,
    fromWidth: 120,
    cell: ({ row }) => {
      const session = row?.cells[0]?.session;
      return { text: session === undefined ? '' : path.basename(session.cwd ?? session.slug), paint: style.muted };
    },
  };
}

function costCell(sum: UsageSum, style: Style): Cell {
  return sum.costMicroUsd === undefined ? { text: 'unpriced', paint: style.yellow } : costText(sum);
}

/** A row's share of the largest: of cost, or of tokens where nothing has a price. */
function weigher({ rows }: UsageReport): (row: UsageSum) => number {
  const hasCost = rows.some((row) => (row.costMicroUsd ?? 0) > 0);
  const weight = hasCost ? (sum: UsageSum): number => sum.costMicroUsd ?? 0 : sumOfTokens;
  const most = rows.reduce((largest, row) => Math.max(largest, weight(row)), 0);
  return (row) => (most === 0 ? 0 : weight(row) / most);
}

function rowNames(kind: ReportKind, rows: readonly UsageRow[]): (row: UsageRow) => string {
  if (kind === 'session') {
    const ids = shortIds(rows.map((row) => row.key));
    return ({ key }) => ids.get(key) ?? key;
  }
  return (row) => {
    if (row.key === '') return kind === 'model' ? '(no model)' : '(no time)';
    if (kind === 'project') return shortFolder(row.key);
    if (kind !== 'blocks') return row.key;
    return `${localTime(Date.parse(row.key))}${row.block?.isActive === true ? ' (active)' : ''}`;
  };
}

function shortFolder(folder: string): string {
  const home = homedir();
  return folder === home || folder.startsWith(home + path.sep) ? `~${folder.slice(home.length)}` : folder;
}

function modelRows(row: UsageRow, style: Style): readonly Shown[] {
  return byModel(row.cells).map((each) => ({
    name: { text: `└ ${each.key || '(no model)'}`, paint: style.muted },
    sum: each,
    row: undefined,
  }));
}

function bold(cell: Cell, style: Style): Cell {
  return typeof cell === 'object' ? cell : { text: cell, paint: style.bold };
}

/** What the active block comes to at the same pace. */
function paceNote(rows: readonly UsageRow[]): readonly string[] {
  const block = rows.findLast((row) => row.block?.pace !== undefined)?.block;
  const pace = block?.pace;
  if (block === undefined || pace === undefined) return [];
  const { costMicroUsdPerHour: cost, projectedCostMicroUsd: atEnd } = pace;
  const now = [...(cost === undefined ? [] : [formatCost(cost)]), `${formatTokens(pace.tokensPerHour)} tokens`];
  const end = [...(atEnd === undefined ? [] : [formatCost(atEnd)]), `${formatTokens(pace.projectedTokens)} tokens`];
  return [`active block: ${now.join(', ')} per hour; at this pace ${end.join(', ')} by ${localTime(block.endsAt)}`];
}

function notesFor(
  { totals, unpriced, rows }: UsageReport,
  { pricesVersion, width }: UsageTableOptions,
): readonly string[] {
  const most = Number.isFinite(width) ? Math.min(60, width - 2) : width;
  const parts = unpriced.map(
    ({ model, tokens }) => `${counted(tokens, 'token')} of ${oneLine(model, most) || '(no model)'}`,
  );
  return [
    ...paceNote(rows),
    `tokens, each message once; prices of ${pricesVersion}`,
    ...(totals.outputIsLowerBound
      ? ['≥: the transcript has no final count for some messages, so it is at least that much']
      : []),
    ...(parts.length > 0 ? [`+ ${parts.join(', ')} without a price; \`clew prices\` shows what has one`] : []),
  ];
}
