// A Markdown table → aligned lines within the width. Cells wrap and are never cut; a table with too many columns becomes
// a short list for each row.
import type { Tokens } from 'marked';
import { fitWidths, largest, sum } from '../render/fit.ts';
import { type Line, type Span, wrapSpans } from '../render/wrap.ts';
import { plain, type Style } from '../terminal/style.ts';
import { inlineSpans } from './markdown-inline.ts';

const gap = '  ';
/** Narrower columns are unreadable. */
const minColumn = 6;

export function renderMarkdownTable(table: Tokens.Table, width: number, style: Style): string[] {
  const header = table.header.map((cell) => inlineSpans(cell.tokens, style, style.bold));
  const rows = table.rows.map((row) => row.map((cell) => inlineSpans(cell.tokens, style, plain)));
  const natural = header.map((cell, column) =>
    largest(
      rows.map((row) => naturalWidth(row[column])),
      naturalWidth(cell),
    ),
  );
  const available = width - gap.length * (natural.length - 1);
  if (available < sum(natural.map((columns) => Math.min(columns, minColumn)))) {
    return rows.length === 0
      ? rowLines(header, width)
      : rows.flatMap((row, index) => record(header, row, index, width));
  }
  const widths = fitWidths(natural, available);
  const wrapped = rows.map((row) => layRow(row, widths, table.align));
  const rule = style.muted(widths.map((columns) => '─'.repeat(columns)).join(gap));
  // An empty line separates rows of several lines.
  const between = wrapped.some((lines) => lines.length > 1) ? [''] : [];
  return [
    ...layRow(header, widths, table.align),
    rule,
    ...wrapped.flatMap((lines, index) => (index === 0 ? lines : [...between, ...lines])),
  ];
}

type Row = readonly (readonly Span[])[];

function naturalWidth(cell: readonly Span[] | undefined): number {
  return largest(
    wrapSpans(cell ?? [], Number.POSITIVE_INFINITY).map((line) => line.width),
    1,
  );
}

function layRow(row: Row, widths: readonly number[], align: Tokens.Table['align']): string[] {
  const cells = widths.map((width, column) => wrapSpans(row[column] ?? [], width, true));
  const height = largest(
    cells.map((lines) => lines.length),
    1,
  );
  return Array.from({ length: height }, (_, index) =>
    cells
      .map((lines, column) => pad(lines[index] ?? { text: '', width: 0 }, widths[column] ?? 0, align[column]))
      .join(gap)
      .trimEnd(),
  );
}

function pad(line: Line, width: number, align: Tokens.TableCell['align'] | undefined): string {
  const room = Math.max(0, width - line.width);
  const left = align === 'right' ? room : align === 'center' ? Math.floor(room / 2) : 0;
  return ' '.repeat(left) + line.text + ' '.repeat(room - left);
}

function record(header: Row, row: Row, index: number, width: number): string[] {
  const labelled = row.map((cell, column) => [...(header[column] ?? []), { text: ': ', paint: plain }, ...cell]);
  return [...(index === 0 ? [] : ['']), ...rowLines(labelled, width)];
}

function rowLines(row: Row, width: number): string[] {
  return row.flatMap((cell) => wrapSpans(cell, width)).map((line) => line.text);
}
