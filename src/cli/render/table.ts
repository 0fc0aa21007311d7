// Columns and rows → aligned lines that fit the terminal, without borders. Cells are neutralised here.
import { displayWidth, displayWidthWithin, longestCluster, oneLine } from '../../base/text/index.ts';
import type { Paint, Style } from '../terminal/index.ts';
import { fitWidths, sum } from './wrap.ts';

export interface Column {
  readonly header: string;
  readonly align?: 'left' | 'right';
  /** Its width in a table that has to shrink; default: the width of the header. */
  readonly minWidth?: number;
  /** Shrinks before the others. */
  readonly flex?: boolean;
}

/** The colour is separate from the text, because the text may be cut. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

export interface TableOptions {
  readonly width: number;
  readonly style: Style;
}

/**
 * The table without a last newline. Numbers are never cut, because a cut number is wrong: right-aligned columns that do
 * not fit are left out, the last one first. With an unlimited width, cells are not cut.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, style }: TableOptions,
): string {
  const shown = columnsThatFit(
    columns.map((column, index) => measure(column, rows, index, width)),
    width,
  );
  const widths = shrink(shown, width - gap.length * (shown.length - 1));
  const header = shown.map(({ header: text }) => ({ text, paint: style.muted }));
  const isCut = Number.isFinite(width);
  const picked = rows.map((row) => shown.map(({ index }) => row[index] ?? ''));
  return [header, ...picked].map((row) => layLine(shown, row, widths, isCut)).join('\n');
}

interface Measured extends Column {
  readonly index: number;
  readonly natural: number;
  /** Its width in a table that has to shrink. */
  readonly floor: number;
}

function measure(column: Column, rows: readonly (readonly Cell[])[], index: number, width: number): Measured {
  const own = displayWidth(column.header);
  const most = Number.isFinite(width) ? width : Math.max(own, widestAligned);
  let natural = own;
  for (const row of rows) {
    // A wide character at the end of a cut text may leave a column empty, so it is cut later.
    const text = oneLine(cellText(row[index]), Number.isFinite(width) ? width : most + longestCluster);
    natural = Math.max(natural, displayWidthWithin(text, most));
  }
  const floor = column.align === 'right' ? natural : Math.max(1, Math.min(natural, column.minWidth ?? own));
  return { ...column, index, natural, floor };
}

const widestAligned = 60;
/** Enough text to recognise a row. */
const leastText = 8;

function columnsThatFit(columns: readonly Measured[], width: number): readonly Measured[] {
  const fits = (some: readonly Measured[]): boolean =>
    sum(some.map(({ floor, align }) => (align === 'right' ? floor : Math.min(floor, leastText)))) +
      gap.length * (some.length - 1) <=
    width;
  let shown = columns;
  while (!fits(shown)) {
    const last = shown.findLastIndex(({ align }) => align === 'right');
    if (last < 0 || shown.length === 1) break;
    shown = shown.filter((_, index) => index !== last);
  }
  return shown.slice(0, Math.max(1, Math.floor((width + gap.length) / (1 + gap.length))));
}

const gap = '  ';

/** First flexible columns shrink to their minimum, then all columns, then text columns to one cell. */
function shrink(columns: readonly Measured[], available: number): number[] {
  const stages: readonly ((column: Measured) => number)[] = [
    ({ flex, floor, natural }) => (flex === true ? floor : natural),
    ({ floor }) => floor,
    ({ align, floor }) => (align === 'right' ? floor : 1),
  ];
  let widths = columns.map(({ natural }) => natural);
  for (const least of stages) {
    const excess = sum(widths) - available;
    if (excess <= 0) return widths;
    const slack = columns.map((column, index) => Math.max(0, (widths[index] ?? 0) - least(column)));
    const kept = fitWidths(slack, Math.max(0, sum(slack) - excess));
    widths = widths.map((width, index) => width - (slack[index] ?? 0) + (kept[index] ?? 0));
  }
  return sum(widths) <= available ? widths : fitWidths(widths, available);
}

function layLine(columns: readonly Column[], row: readonly Cell[], widths: readonly number[], isCut: boolean): string {
  const cells = columns.map((column, index) => {
    const cell = row[index];
    const width = widths[index] ?? 0;
    const text = oneLine(cellText(cell), isCut ? width : Number.POSITIVE_INFINITY);
    const room = ' '.repeat(width - displayWidthWithin(text, width));
    const painted = typeof cell === 'object' ? cell.paint(text) : text;
    if (column.align === 'right') return room + painted;
    return index === columns.length - 1 ? painted : painted + room;
  });
  return cells.join(gap).trimEnd();
}

function cellText(cell: Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}
