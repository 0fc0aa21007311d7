// marked's inline tokens → painted spans. Without colour, the marks of code and deletions stay in the text.
import type { MarkedToken, Token } from 'marked';
import { neutralise } from '../../base/text/hostile-text.ts';
import type { Span } from '../render/wrap.ts';
import { type Paint, plain, type Style } from '../terminal/style.ts';

export function inlineSpans(tokens: readonly Token[], style: Style, paint: Paint): Span[] {
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
