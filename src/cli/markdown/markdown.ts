// Markdown from a transcript → lines for a terminal, wrapped to its width. It never throws and never hides text: what is
// too large or too deep is shown as plain text.
import type { MarkedToken, Token, Tokens } from 'marked';
import { boundMarkdown } from '../../base/markdown/markdown-bounds.ts';
import { lexMarkdown } from '../../base/markdown/markdown-lexer.ts';
import { neutralise } from '../../base/text/hostile-text.ts';
import { formatCount } from '../../base/text/human.ts';
import { wrapSpans } from '../render/wrap.ts';
import { type Paint, plain, type Style } from '../terminal/style.ts';
import { inlineSpans } from './markdown-inline.ts';
import { renderMarkdownTable } from './markdown-table.ts';

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
