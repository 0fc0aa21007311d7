// Words of a transcript → Markdown that stays inside its block: none of their HTML is rendered, no heading breaks the
// outline, no fence or backtick reaches past its own block, whatever they hold.

import { boundMarkdown } from '../../base/markdown/index.ts';
import { formatCount, neutralise, oneLine } from '../../base/text/index.ts';

/** A fenced block; the fence is longer than any run of backticks in it. */
export function fenced(text: string, language = ''): string {
  const body = neutralise(text).replace(/\n+$/, '');
  const longest = longestRun(body);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

/** Inline code on one line. A pipe would end a table's cell, so such a text becomes HTML of ours. */
export function codeSpan(text: string, width = 120): string {
  const line = oneLine(text, width);
  if (line === '') return '';
  if (line.includes('|')) return codeTag(line);
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = /^`|`$/.test(line) ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

/** Plain words on one line of HTML, such as a `<summary>`. */
export function summaryText(text: string, width: number): string {
  return escapeHtml(oneLine(text, width));
}

/** Plain words on one line, in a heading, a cell or a sentence. */
export function plainLine(text: string, width = 200): string {
  return oneLine(text, width)
    .replace(/[\\`*|]|~(?=~)|\[(?!redacted:)|(?<!\w)_|_(?!\w)|^#|#$/g, '\\$&')
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replaceAll('<', '&lt;');
}

export interface SafeMarkdownOptions {
  /** The level of its topmost headings, the others follow; without one headings become plain text. */
  readonly top?: number;
}

/** Markdown from a transcript, unchanged except for what could break out; the rest of a huge text follows in a fence. */
export function safeMarkdown(text: string, options: SafeMarkdownOptions = {}): string {
  const { markdown, rest } = boundMarkdown(text);
  const start = safeStart(markdown, options);
  if (rest === '') return start;
  return `${start}\n\n*The rest is shown as plain text (${formatCount(rest.length)} characters).*\n\n${fenced(rest)}`;
}

/** See `lineText` and `Fence`. */
function safeStart(text: string, { top }: SafeMarkdownOptions): string {
  const lines: string[] = [];
  const page: Page = {
    top,
    demote: (top ?? 0) - topLevel(text),
    // Its address or label may take the first backtick of a span, whose rest would then be text.
    hasLinks: /\][([]/.test(text),
  };
  let fence: Fence | undefined;
  for (const line of neutralise(text).trim().split('\n')) {
    if (fence !== undefined) {
      const body = fenceBody(fence, line);
      if (body !== undefined) {
        lines.push(body.text);
        if (body.isEnd) fence = undefined;
        continue;
      }
      lines.push(fence.prefix + fence.ticks);
      fence = undefined;
    }
    const written = isTooDeep(line) ? `\\${line.trimStart()}` : line;
    const opened = openFence(written);
    if (opened === undefined) lines.push(...lineText(written, lines.at(-1) ?? '', page));
    else {
      fence = opened.fence;
      lines.push(...opened.before, `${fence.prefix}${fence.ticks}${opened.info}`);
    }
  }
  if (fence !== undefined) lines.push(fence.prefix + fence.ticks);
  return lines.join('\n');
}

/** Quotes in quotes and lists in lists, thousands deep, overflow the stack of a renderer. */
function isTooDeep(line: string): boolean {
  return /^(?:\s{0,9}(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s))){31}/.test(line);
}

interface Page {
  readonly top: number | undefined;
  readonly demote: number;
  readonly hasLinks: boolean;
}

interface Fence {
  /** Quote marks and indent that every line of it is written with. */
  readonly prefix: string;
  readonly ticks: string;
  /** How far the line that opened it was indented. */
  readonly indent: number;
  readonly quotes: number;
}

interface OpenedFence {
  readonly fence: Fence;
  readonly before: readonly string[];
  readonly info: string;
}

/**
 * After quote marks and list marks too. Four spaces and more would make it a fence in some lists and text elsewhere;
 * with three it is one everywhere.
 */
function openFence(line: string): OpenedFence | undefined {
  const match = /^((?: {0,3}>)*)(\s*)((?:[-*+]|\d{1,9}[.)])\s+)?(?:(`{3,})([^`]*)|(~{3,})(.*))$/.exec(line);
  if (match === null) return undefined;
  const [, quoteMarks = '', gap = '', mark = '', backticks, afterBackticks, tildes = '', afterTildes] = match;
  const quotes = countQuotes(quoteMarks);
  // One space belongs to the quote mark.
  const space = quotes > 0 && gap.startsWith(' ') ? gap.slice(1) : gap;
  const indent = space.replaceAll('\t', '    ').length + mark.length;
  const ticks = backticks ?? tildes;
  const info = afterBackticks ?? afterTildes ?? '';
  const prefix = '> '.repeat(quotes) + ' '.repeat(Math.min(3, indent));
  return {
    fence: { prefix, ticks, indent, quotes },
    // Without the empty line a mark alone would belong to the paragraph above.
    before:
      mark === '' ? [] : ['> '.repeat(quotes).trimEnd(), `${'> '.repeat(quotes)}${space.slice(0, 3)}${mark.trim()}`],
    info: info.trim().replace(/[^\w+#.-].*$/s, ''),
  };
}

/** The line as part of the fence, `undefined` where its quote has ended before it. */
function fenceBody(fence: Fence, line: string): { readonly text: string; readonly isEnd: boolean } | undefined {
  let rest = line;
  for (let i = 0; i < fence.quotes; i++) {
    const mark = /^ {0,3}> ?/.exec(rest);
    if (mark === null) return undefined;
    rest = rest.slice(mark[0].length);
  }
  const body = withoutIndent(rest, fence.indent);
  const closing = /^\s{0,3}(`{3,}|~{3,})\s*$/.exec(body)?.[1] ?? '';
  const isEnd = closing.startsWith(fence.ticks);
  // Blank lines end no list item; every other line keeps the indent that holds it in one.
  return { text: isEnd ? fence.prefix + closing : body === '' ? fence.prefix.trimEnd() : fence.prefix + body, isEnd };
}

function withoutIndent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && line[at] === ' ') at++;
  return line.slice(at);
}

function lineText(line: string, previous: string, page: Page): string[] {
  const prefix = /^(?: {0,3}> ?|\s*(?:[-*+]|\d{1,9}[.)])(?=\s)|\s+)*/.exec(line)?.[0] ?? '';
  const rest = line.slice(prefix.length);
  const heading = /^(#{1,6})(\s+\S.*|\s*)$/.exec(rest);
  if (heading !== null) {
    const [, marks = '', words = ''] = heading;
    const level = Math.max(page.top ?? 1, Math.min(6, marks.length + page.demote));
    return [`${prefix}${page.top === undefined ? `\\${marks}` : '#'.repeat(level)}${inlineText(words, page)}`];
  }
  // Below a line of text these would make it a heading.
  if (/^=+\s*$/.test(rest)) return [`${prefix}\\${rest}`];
  if (/^\s*-+\s*$/.test(line) && previous.trim() !== '') return ['', line];
  if (/^-+\s*$/.test(rest) && prefix.trim() !== '') return [`${prefix}\\${rest}`];
  return [prefix + inlineText(rest, page)];
}

/**
 * Code spans that end on their line stay. Every other backtick is escaped, so that a renderer sees the same spans as
 * we; outside of them HTML, entities, images and links to scripts become the words they are written with.
 */
function inlineText(text: string, page: Page): string {
  const parts: string[] = [];
  let plain = '';
  const flush = (): void => {
    parts.push(plainMarkdown(plain));
    plain = '';
  };
  const ends = closingRuns(text);
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at);
    if (character === '\\' && /[!-/:-@[-`{-~]/.test(text.charAt(at + 1))) {
      plain += text.slice(at, at + 2);
      at += 2;
    } else if (character === '`') {
      let run = at + 1;
      while (text[run] === '`') run++;
      const end = ends(run - at, run);
      flush();
      parts.push(end === undefined ? '\\`'.repeat(run - at) : spanText(text.slice(at, end), run - at, page));
      at = end ?? run;
    } else {
      plain += character;
      at++;
    }
  }
  flush();
  return parts.join('');
}

/** Where the next run of exactly so many backticks ends, in one walk over the line for all of them. */
function closingRuns(text: string): (length: number, from: number) => number | undefined {
  const byLength = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const starts = byLength.get(run.length);
    if (starts === undefined) byLength.set(run.length, [index]);
    else starts.push(index);
  }
  const passed = new Map<number, number>();
  return (length, from) => {
    const starts = byLength.get(length) ?? [];
    let next = passed.get(length) ?? 0;
    while (next < starts.length && (starts[next] ?? 0) < from) next++;
    passed.set(length, next);
    const start = starts[next];
    return start === undefined ? undefined : start + length;
  };
}

/** In a table a pipe ends the cell even inside code, and the rest would be text again. */
function spanText(span: string, ticks: number, { hasLinks }: Page): string {
  const isSplit = span.includes('|') || (hasLinks && /[)\]]/.test(span));
  return isSplit && /[<&]/.test(span) ? codeTag(span.slice(ticks, -ticks).trim()) : span;
}

function codeTag(text: string): string {
  return `<code>${text.replace(/[^\w\s.,/-]/gu, (character) => `&#${character.codePointAt(0)};`)}</code>`;
}

function plainMarkdown(text: string): string {
  return text
    .replace(/<(https?:\/\/[^\s<>]+)>/g, '$1')
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/~{3,}/g, (run) => '\\~'.repeat(run.length))
    .replace(/!(?=\[)/g, '!\\')
    .replace(/\b(javascript|vbscript|data)(?=\\?:\S)/gi, '$1 ');
}

/** A comment in code may be mistaken for one: headings then go down further than necessary. */
function topLevel(text: string): number {
  let top = 6;
  for (const [, marks = ''] of text.matchAll(/^[ \t>*+.)\d-]*(#{1,6})\s/gm)) top = Math.min(top, marks.length);
  return top;
}

function countQuotes(marks: string): number {
  return marks.replace(/[^>]/g, '').length;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function quoted(text: string): string {
  const lines = safeMarkdown(text).split('\n');
  let isCode = false;
  const shown = lines.map((line, i) => {
    if (isFence.test(line)) isCode = !isCode;
    const next = lines[i + 1] ?? '';
    const isBroken = !isCode && isPlain.test(line) && isPlain.test(next);
    return `> ${line}${isBroken ? '  ' : ''}`.replace(/^> $/, '>');
  });
  return shown.join('\n');
}

const isFence = /^\s*(?:```|~~~)/;
/** Not empty, and no mark of a list, a table, a quote or a fence. */
const isPlain = /^(?!\s*(?:$|[-*+|>]\s|\||\d+[.)]\s|```|~~~))/;
