// Markdown from a transcript → lines for a terminal, wrapped to its width. It never throws and never hides text: what is
// too large or too deep is shown as plain text.
import type { MarkedToken, Token, Tokens } from 'marked';
import { boundMarkdown, lexMarkdown } from '../../base/markdown/index.ts';
import { formatCount, neutralise } from '../../base/text/index.ts';
import { fitWidths, type Line, largest, type Span, sum, wrapSpans } from '../render/index.ts';
import { type Paint, plain, type Style } from '../terminal/index.ts';

export interface MarkdownOptions {
  /** Including the indent; at least 20. */
  readonly width: number;
  readonly style: Style;
  readonly indent?: number;
}

export function renderMarkdown(text: string, { width, style, indent = 0 }: MarkdownOptions): string {
  const inner = Math.max(minWidth, width - indent);
  const safe = neutralise(text);
  return prefixLines(renderLines(safe, inner, style), ' '.repeat(indent)).join('\n');
}

const minWidth = 20;
/** Nested blocks are indented only while this width remains for their text. */
const minNestedWidth = 16;

interface Context {
  readonly style: Style;
  readonly width: number;
}

function renderLines(text: string, width: number, style: Style): readonly string[] {
  const { markdown, rest } = boundMarkdown(text);
  const lines = renderStart(markdown, width, style);
  if (rest === '') return lines;
  const note = `(the rest is shown as plain text, ${formatCount(rest.length)} characters)`;
  return [...lines, '', ...plainLines(note, width, style.muted), ''].concat(plainLines(rest, width, plain));
}

function renderStart(text: string, width: number, style: Style): readonly string[] {
  try {
    return renderBlocks(lexMarkdown(text), { style, width });
  } catch {
    return plainLines(text, width, plain);
  }
}

function renderBlocks(tokens: readonly Token[], context: Context, tight = false): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = renderBlock(token as MarkedToken, context);
    if (block.length === 0) continue;
    if (lines.length > 0 && !tight) lines.push('');
    for (const line of block) lines.push(line);
  }
  return lines;
}

function renderBlock(token: MarkedToken, context: Context): readonly string[] {
  const { style, width } = context;
  switch (token.type) {
    case 'space':
      return [];
    case 'heading':
      return renderHeading(token, context);
    case 'code':
      return prefixLines(token.text.split('\n').map(style.code), '    ');
    case 'blockquote':
      return renderQuote(token, context);
    case 'list':
      return renderList(token, context);
    case 'table':
      return renderMarkdownTable(token, width, style);
    case 'hr':
      return [style.muted('─'.repeat(width))];
    case 'html':
    case 'def':
      return plainLines(token.raw.trimEnd(), width, style.muted);
    case 'paragraph':
    case 'text':
      return textLines(token.tokens ?? [token], context, plain);
    default:
      return textLines([token], context, plain);
  }
}

function renderHeading({ depth, tokens }: Tokens.Heading, context: Context): string[] {
  const { style } = context;
  if (!style.enabled) {
    const marks = `${'#'.repeat(depth)} `;
    return hang(textLines(tokens, narrow(context, marks.length), plain), marks, marks.length);
  }
  if (depth === 1) return textLines(tokens, context, (text) => style.underline(style.heading(text)));
  return textLines(tokens, context, depth === 2 ? style.heading : style.bold);
}

function renderQuote({ tokens }: Tokens.Blockquote, context: Context): readonly string[] {
  if (context.width - 2 < minNestedWidth) return renderBlocks(tokens, context);
  const lines = renderBlocks(tokens, narrow(context, 2));
  return (lines.length === 0 ? [''] : lines).map((line) => `${context.style.muted('│')} ${line}`.trimEnd());
}

function renderList({ items, loose, ordered, start }: Tokens.List, context: Context): string[] {
  const first = Number(start);
  const digits = String(first + items.length - 1).length;
  const lines: string[] = [];
  for (const [index, item] of items.entries()) {
    const marker = ordered ? `${String(first + index).padStart(digits)}. ` : '- ';
    if (loose && index > 0) lines.push('');
    for (const line of renderItem(item, marker, context)) lines.push(line);
  }
  return lines;
}

function renderItem(item: Tokens.ListItem, marker: string, context: Context): readonly string[] {
  const { style, width } = context;
  const { loose } = item;
  const tokens = joinCheckbox(item.tokens);
  const inner = narrow(context, marker.length);
  const shown = `${style.accent(marker.trimEnd())} `;
  if (inner.width >= minNestedWidth) return hang(renderBlocks(tokens, inner, !loose), shown, marker.length);
  // Too deep to indent further: nested lists start in the same column as this one.
  const nested = tokens.findIndex((token) => token.type === 'list' || token.type === 'blockquote');
  const own = nested === -1 ? tokens : tokens.slice(0, nested);
  const rest = nested === -1 ? [] : tokens.slice(nested);
  return [
    ...hang(renderBlocks(own, inner, !loose), shown, marker.length),
    ...renderBlocks(rest, { style, width }, !loose),
  ];
}

/** In a tight list marked puts the checkbox before the text token, not into it. */
function joinCheckbox(tokens: readonly Token[]): readonly Token[] {
  const [checkbox, text, ...rest] = tokens;
  if (checkbox?.type !== 'checkbox' || text === undefined) return tokens;
  return [{ ...text, tokens: [checkbox, ...('tokens' in text ? (text.tokens ?? []) : [])] }, ...rest];
}

function textLines(tokens: readonly Token[], { style, width }: Context, paint: Paint): string[] {
  return wrapSpans(inlineSpans(tokens, style, paint), width).map((line) => line.text);
}

function plainLines(text: string, width: number, paint: Paint): string[] {
  return wrapSpans([{ text, paint, keepSpaces: true }], width).map((line) => line.text);
}

function narrow(context: Context, columns: number): Context {
  return { ...context, width: context.width - columns };
}

/** The first line follows the marker; the others are aligned with its text. */
function hang(lines: readonly string[], marker: string, columns: number): string[] {
  const [first = '', ...rest] = lines;
  return [`${marker}${first}`.trimEnd(), ...prefixLines(rest, ' '.repeat(columns))];
}

function prefixLines(lines: readonly string[], prefix: string): string[] {
  return lines.map((line) => (line === '' ? '' : prefix + line));
}

function inlineSpans(tokens: readonly Token[], style: Style, paint: Paint): Span[] {
  const spans: Span[] = [];
  for (const token of tokens) addSpans(spans, token as MarkedToken, style, paint);
  // Neutralised again, because decoding turns `&#27;` into an escape.
  return spans.map((span) => ({ ...span, text: neutralise(span.text) }));
}

/** Decodes common character references; marked only decodes numeric ones in ordinary text. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,6}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
  });
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['copy', '©'],
]);

function addSpans(spans: Span[], token: MarkedToken, style: Style, paint: Paint): void {
  const nest = (tokens: readonly Token[], inner: Paint): void => {
    for (const child of tokens) addSpans(spans, child as MarkedToken, style, (text) => paint(inner(text)));
  };
  switch (token.type) {
    case 'strong':
      nest(token.tokens, style.bold);
      return;
    case 'em':
      nest(token.tokens, style.italic);
      return;
    case 'del':
      spans.push({ text: '~~', paint: style.muted });
      nest(token.tokens, style.muted);
      spans.push({ text: '~~', paint: style.muted });
      return;
    case 'codespan':
      spans.push({
        text: style.enabled ? token.text : token.raw.trim(),
        paint: (text) => paint(style.code(text)),
        keepSpaces: true,
      });
      return;
    case 'br':
      spans.push({ text: '\n', paint });
      return;
    case 'checkbox':
      spans.push({ text: token.checked ? '[x] ' : '[ ] ', paint: token.checked ? style.ok : style.muted });
      return;
    case 'image':
      spans.push({ text: `[image: ${decodeEntities(token.text) || token.href}]`, paint: style.muted });
      return;
    case 'link':
      if (token.autolink === true) {
        spans.push({ text: token.text, paint: (text) => paint(style.underline(text)) });
        return;
      }
      nest(token.tokens, style.underline);
      if (token.text !== token.href) spans.push({ text: ` (${decodeEntities(token.href)})`, paint: style.muted });
      return;
    case 'text':
      if (token.tokens !== undefined) nest(token.tokens, plain);
      else spans.push({ text: decodeEntities(token.text), paint });
      return;
    case 'escape':
      spans.push({ text: token.text, paint });
      return;
    default:
      spans.push({ text: token.raw, paint });
  }
}

const gap = '  ';
/** Narrower columns are unreadable. */
const minColumn = 6;

function renderMarkdownTable(table: Tokens.Table, width: number, style: Style): string[] {
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
