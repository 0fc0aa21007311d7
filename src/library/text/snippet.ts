// A document and where it matches → the stretch of it to show, in pieces, so that a match can be painted and each
// piece neutralised by whoever prints it.
import { type Term, type Token, tokensOf } from '../../base/text/index.ts';

/** A part of a snippet that matches, or that does not. */
export interface SnippetPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** A match: [start, end) in the text. */
export type Mark = readonly [start: number, end: number];

const before = 60;
const around = 220;
const maxMarks = 500;

/** The first stretch around the first of the marks that has the most different matches in it. */
export function makeSnippet(text: string, marks: readonly Mark[]): readonly SnippetPiece[] {
  const best = bestMark(text, marks);
  const [start, end] = stretch(text, best);
  const pieces: SnippetPiece[] = [];
  const add = (from: number, to: number, isMatch: boolean): void => {
    if (to > from) pieces.push({ text: text.slice(from, to), isMatch });
  };
  if (start > 0) pieces.push({ text: '…', isMatch: false });
  let done = start;
  for (const [markStart, markEnd] of marks) {
    if (markStart < done || markStart >= end) continue;
    add(done, markStart, false);
    add(markStart, Math.min(markEnd, end), true);
    done = Math.min(markEnd, end);
  }
  add(done, end, false);
  if (end < text.length) pieces.push({ text: '…', isMatch: false });
  return pieces;
}

/** The mark that a snippet shows; the beginning if there is none. */
export function bestMark(text: string, marks: readonly Mark[]): Mark {
  let best: Mark = marks[0] ?? [0, 0];
  let most = 0;
  for (const [i, mark] of marks.entries()) {
    const different = new Set<string>();
    for (let j = i; j < marks.length; j++) {
      const [start, end] = marks[j] as Mark; // j is in range
      if (end > mark[0] + around - before) break;
      different.add(text.slice(start, end).toLowerCase());
    }
    if (different.size > most) {
      most = different.size;
      best = mark;
    }
  }
  return best;
}

/** Begins and ends at white space where there is some nearby, and never inside a surrogate pair. */
function stretch(text: string, [markStart, markEnd]: Mark): Mark {
  let start = Math.max(0, markStart - before);
  if (start > 0) {
    const space = text.slice(start, markStart).search(/\s\S/);
    if (space >= 0 && space < before / 2) start += space + 1;
  }
  const last = Math.min(text.length, Math.max(start + around, Math.min(markEnd, start + 2 * around)));
  let end = last;
  if (end < text.length) {
    const space = text.lastIndexOf(' ', end);
    if (space > Math.max(markEnd, end - 30)) end = space;
  }
  return [isLow(text, start) ? start + 1 : start, isLow(text, end) ? end - 1 : end];
}

function isLow(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Where the terms of a query are in a text, in their order; of a long text only around the first of them. */
export function markTerms(text: string, terms: readonly Term[]): readonly Mark[] {
  const near = firstLikely(text, terms);
  const marks = near === 0 ? [] : marksFrom(text, near, terms);
  return marks.length > 0 ? marks : marksFrom(text, 0, terms);
}

function marksFrom(text: string, from: number, terms: readonly Term[]): readonly Mark[] {
  const longest = terms.reduce((most, term) => Math.max(most, term.words.length), 1);
  const recent: Token[] = [];
  const marks: Mark[] = [];
  for (const token of tokensOf(text, from)) {
    recent.push(token);
    if (recent.length > longest) recent.shift();
    const length = terms.reduce((most, term) => Math.max(most, endsWith(recent, term) ? term.words.length : 0), 0);
    const first = recent[recent.length - length];
    if (first !== undefined) marks.push([first.start, token.end]);
    if (marks.length >= maxMarks || token.start - (marks[0]?.[0] ?? token.start) > lookAhead) break;
  }
  return marks;
}

const shortText = 4000;
const lookAhead = 3000;

/** Splitting a long text into words is slow: a plain search finds where to start, if there is a match. */
function firstLikely(text: string, terms: readonly Term[]): number {
  if (text.length < shortText) return 0;
  const words = terms.map((term) => term.words.join('[^a-z0-9]{0,8}')).filter((word) => word !== '');
  const at = text.search(new RegExp(words.join('|'), 'i'));
  if (at <= 0) return 0;
  // From a white space on, so that no word is cut in two.
  return Math.max(0, text.slice(Math.max(0, at - 200), at).search(/\s\S*$/) + Math.max(0, at - 200));
}

function endsWith(recent: readonly Token[], { words, isPrefix }: Term): boolean {
  const from = recent.length - words.length;
  if (from < 0 || words.length === 0) return false;
  return words.every((word, i) => {
    const found = recent[from + i]?.word;
    return isPrefix && i === words.length - 1 ? found?.startsWith(word) === true : found === word;
  });
}

/** Where an expression with the flag `g` matches, in order. */
export function markPattern(text: string, pattern: RegExp): readonly Mark[] {
  const marks: Mark[] = [];
  for (const match of text.matchAll(pattern)) {
    marks.push([match.index, match.index + match[0].length]);
    if (marks.length >= maxMarks) break;
  }
  return marks;
}
