// Columns and rows → aligned lines that fit the terminal, without borders. Cells are neutralised here, so that a title
// or a path from a transcript can be passed as it is.
import { displayWidth, oneLine } from '../../base/terminal-text.ts';
import { fitWidths, largest, sum } from './fit.ts';
import type { Paint, Style } from './style.ts';

export interface Column {
  readonly header: string;
  readonly align?: 'left' | 'right';
  /** Columns it keeps when the table has to shrink; the width of the header unless told. */
  readonly minWidth?: number;
  /** Shrinks before any column that is not flexible. */
  readonly flex?: boolean;
}

/** A colour is given beside the text, not in it: the text may have to be cut. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

export interface TableOptions {
  readonly width: number;
  readonly style: Style;
}

/** The table without a last newline. Columns for which there is no room at all are left out from the right. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, style }: TableOptions,
): string {
  const shown = columns.slice(0, Math.max(1, Math.floor((width + gap.length) / (1 + gap.length))));
  const texts = rows.map((row) => shown.map((_, index) => oneLine(cellText(row[index]), width)));
  const natural = shown.map((column, index) =>
    largest(
      texts.map((row) => displayWidth(row[index] ?? '')),
      displayWidth(column.header),
    ),
  );
  const widths = shrink(shown, natural, width - gap.length * (shown.length - 1));
  const header = shown.map((column) => ({ text: column.header, paint: style.muted }));
  return [header, ...rows].map((row) => layLine(shown, row, widths)).join('\n');
}

const gap = '  ';

/** Flexible columns give first, down to their minimum; then the others; then all of them, down to one. */
function shrink(columns: readonly Column[], natural: readonly number[], available: number): number[] {
  const floors = columns.map((column, index) =>
    Math.max(1, Math.min(natural[index] ?? 1, column.minWidth ?? displayWidth(column.header))),
  );
  let widths = [...natural];
  for (const givesWay of [(column: Column) => column.flex === true, () => true]) {
    const excess = sum(widths) - available;
    if (excess <= 0) return widths;
    const slack = widths.map((width, index) => {
      const column = columns[index];
      return column !== undefined && givesWay(column) ? width - (floors[index] ?? 1) : 0;
    });
    const kept = fitWidths(slack, Math.max(0, sum(slack) - excess));
    widths = widths.map((width, index) => width - (slack[index] ?? 0) + (kept[index] ?? 0));
  }
  return fitWidths(widths, available);
}

function layLine(columns: readonly Column[], row: readonly Cell[], widths: readonly number[]): string {
  const cells = columns.map((column, index) => {
    const cell = row[index];
    const width = widths[index] ?? 0;
    const text = oneLine(cellText(cell), width);
    const room = ' '.repeat(Math.max(0, width - displayWidth(text)));
    const painted = typeof cell === 'object' ? cell.paint(text) : text;
    if (column.align === 'right') return room + painted;
    return index === columns.length - 1 ? painted : painted + room;
  });
  return cells.join(gap).trimEnd();
}

function cellText(cell: Cell | undefined): string {
  return typeof cell === 'object' ? cell.text : (cell ?? '');
}
