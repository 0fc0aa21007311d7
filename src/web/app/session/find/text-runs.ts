// The text that a part of the page shows, block by block, and the ranges of the browser for places in it. Code is coloured
// word by word and Markdown has elements inside words: the texts of one block are one run.
import type { Matcher } from '../../../../export/wire/index.ts';

/** The text of a block of the page. */
export interface Run {
  readonly text: string;
  readonly nodes: readonly Text[];
}

const blocks =
  'article, bdi, button, code, div, figcaption, h1, h2, h3, h4, h5, h6, li, mark, p, pre, span.number, span.mark, td, th';

/** `isOwn`: leaves out texts that belong to other blocks. */
export function* runsOf(root: Element, isOwn: (text: Text) => boolean = () => true): Generator<Run> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let block: Element | null = null;
  let nodes: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const isBreak = node instanceof HTMLBRElement;
    if (!isBreak && !(node instanceof Text)) continue;
    const own = isBreak ? null : (node.parentElement?.closest(blocks) ?? null);
    if (own !== block || isBreak) {
      if (nodes.length > 0) yield { text: nodes.map((each) => each.data).join(''), nodes };
      nodes = [];
      block = own;
    }
    if (node instanceof Text && isOwn(node)) nodes.push(node);
  }
  if (nodes.length > 0) yield { text: nodes.map((each) => each.data).join(''), nodes };
}

export function rangeIn({ nodes }: Run, start: number, end: number): Range | undefined {
  const [first, last] = [pointAt(nodes, start), pointAt(nodes, end - 1)];
  if (first === undefined || last === undefined) return undefined;
  const range = document.createRange();
  range.setStart(first.text, first.offset);
  range.setEnd(last.text, last.offset + 1);
  return range;
}

function pointAt(nodes: readonly Text[], at: number): { readonly text: Text; readonly offset: number } | undefined {
  let offset = at;
  for (const text of nodes) {
    if (offset < text.length) return { text, offset };
    offset -= text.length;
  }
  return undefined;
}

/** Every place below an element, at most `max`. */
export function rangesIn(root: Element, matcher: Matcher, max: number): Range[] {
  const ranges: Range[] = [];
  for (const run of runsOf(root)) {
    for (const [start, end] of matcher.marksIn(run.text, max - ranges.length)) {
      const range = rangeIn(run, start, end);
      if (range !== undefined) ranges.push(range);
    }
    if (ranges.length >= max) break;
  }
  return ranges;
}
