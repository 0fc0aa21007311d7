// HTML → tags and texts, in one pass over hostile input: nothing is looked for twice, so that a page made of broken tags
// takes no longer than another.
import { decodeEntities } from './html-entities.ts';

export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string };

/** What is inside these is not for readers. */
const skipped: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'select',
  'canvas',
]);
const wantedAttributes: ReadonlySet<string> = new Set(['href', 'src', 'alt', 'start']);

export function* readTokens(html: string): Generator<HtmlToken> {
  const lower = html.toLowerCase();
  const find = makeFinder(lower);
  let at = 0;
  while (at < html.length) {
    const open = find('<', at);
    const end = open < 0 ? html.length : open;
    if (end > at) yield { kind: 'text', text: decodeEntities(html.slice(at, end)) };
    if (open < 0) return;
    if (lower.startsWith('<!--', open)) {
      at = after(find('-->', open + 4), 3, html.length);
    } else if (/[a-z]/.test(lower[open + 1] ?? '')) {
      const tag = readTag(html, lower, open + 1, find);
      at = tag.end;
      if (skipped.has(tag.name)) at = after(find(`</${tag.name}`, at), 0, html.length);
      else yield { kind: 'open', name: tag.name, attributes: tag.attributes };
    } else if (lower[open + 1] === '/' || lower[open + 1] === '!' || lower[open + 1] === '?') {
      const close = find('>', open);
      const name = /^[a-z][a-z0-9]*/.exec(lower.slice(open + 2, open + 22))?.[0];
      if (lower[open + 1] === '/' && name !== undefined) yield { kind: 'close', name };
      at = after(close, 1, html.length);
    } else {
      yield { kind: 'text', text: '<' };
      at = open + 1;
    }
  }
}

function after(found: number, length: number, end: number): number {
  return found < 0 ? end : found + length;
}

type Find = (wanted: string, from: number) => number;

/** `indexOf` that does not search the rest of the page again for what it has not found there, or found further on. */
function makeFinder(text: string): Find {
  const known = new Map<string, { readonly from: number; readonly at: number }>();
  return (wanted, from) => {
    const last = known.get(wanted);
    if (last !== undefined && from >= last.from && (last.at < 0 || last.at >= from)) return last.at;
    const at = text.indexOf(wanted, from);
    known.set(wanted, { from, at });
    return at;
  };
}

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
}

const maxNameChars = 64;

function readTag(html: string, lower: string, start: number, find: Find): Tag {
  const name = /^[a-z][a-z0-9-]*/.exec(lower.slice(start, start + maxNameChars))?.[0] ?? '';
  const attributes = new Map<string, string>();
  let at = start + name.length;
  while (at < html.length && html[at] !== '>') {
    const key = /^[^\s"'<>/=]+/.exec(lower.slice(at, at + maxNameChars))?.[0];
    if (key === undefined) {
      at++;
      continue;
    }
    at += key.length;
    if (html[at] !== '=') continue;
    const value = readValue(html, at + 1, find);
    if (wantedAttributes.has(key)) attributes.set(key, decodeEntities(value.text));
    at = value.end;
  }
  return { name, attributes, end: Math.min(html.length, at + 1) };
}

function readValue(html: string, start: number, find: Find): { readonly text: string; readonly end: number } {
  const quote = html[start];
  if (quote === '"' || quote === "'") {
    const end = find(quote, start + 1);
    if (end >= 0) return { text: html.slice(start + 1, end), end: end + 1 };
  }
  const close = find('>', start);
  const limit = close < 0 ? html.length : close;
  const space = html.slice(start, Math.min(limit, start + maxValueChars)).search(/\s/);
  const end = space < 0 ? limit : start + space;
  return { text: html.slice(start, end), end };
}

const maxValueChars = 4096;
