// What a reader looks for → its places in a text. The server, the page and an exported page use the same rules, so that
// what is found is also marked.
import {
  exactPattern,
  expressionPattern,
  foldText,
  loosePattern,
  neutralise,
  queryParts,
  termOf,
  termPattern,
} from '../../base/text/index.ts';

/** `text`: as it is, in any case, with any white space. The others are those of the search over all sessions. */
export const findModes = ['text', 'words', 'exact', 'regex'] as const;
export type FindMode = (typeof findModes)[number];

export interface Wanted {
  readonly text: string;
  readonly mode: FindMode;
}

/** A match: [start, end) in the text. */
export type Mark = readonly [start: number, end: number];

export interface Matcher {
  /** Whether a text as a whole answers the question: words must all be there. */
  isIn(text: string): boolean;
  /** The places in their order, at most `max`. */
  marksIn(text: string, max?: number): readonly Mark[];
}

export const maxWantedChars = 500;

/** `undefined`: there is nothing to look for, or it is not an expression. */
export function makeMatcher({ text, mode }: Wanted): Matcher | undefined {
  const words = text.slice(0, maxWantedChars);
  if (words.trim() === '') return undefined;
  if (mode === 'words') return wordMatcher(words);
  if (mode === 'exact') return patternMatcher(exactPattern(words, true));
  if (mode === 'text') return patternMatcher(loosePattern(words));
  try {
    return patternMatcher(expressionPattern(words, true));
  } catch {
    return undefined;
  }
}

function patternMatcher(pattern: RegExp): Matcher {
  const one = new RegExp(pattern.source, pattern.flags.replace('g', ''));
  return { isIn: (text) => one.test(text), marksIn: (text, max) => marksOf(text, pattern, max) };
}

function wordMatcher(words: string): Matcher | undefined {
  const parts = queryParts(words);
  const wanted = parts.filter((part) => !part.isExcluded).map(termOf);
  if (wanted.length === 0) return undefined;
  const isExcluded = parts.filter((part) => part.isExcluded).map((part) => termPattern([termOf(part)]));
  const isWanted = wanted.map((term) => termPattern([term]));
  const any = termPattern(wanted);
  return {
    isIn: (text) => {
      const folded = foldText(text).text;
      return isWanted.every((each) => folded.search(each) >= 0) && isExcluded.every((each) => folded.search(each) < 0);
    },
    marksIn: (text, max) => {
      const { text: folded, offsets } = foldText(text);
      const marks = marksOf(folded, any, max);
      if (offsets === undefined) return marks;
      return marks.map(([start, end]) => [offsets[start] ?? 0, offsets[end] ?? text.length]);
    },
  };
}

function marksOf(text: string, pattern: RegExp, max = Number.POSITIVE_INFINITY): readonly Mark[] {
  const marks: Mark[] = [];
  for (const { index, 0: found } of text.matchAll(pattern)) {
    // An expression may match nothing, which cannot be shown.
    if (found !== '') marks.push([index, index + found.length]);
    if (marks.length >= max) break;
  }
  return marks;
}

/** A match with the text next to it. */
export interface WordMatch {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

const aroundChars = 60;
const matchChars = 300;

export function aroundMark(text: string, [start, end]: Mark): WordMatch {
  const shownEnd = Math.min(end, start + matchChars);
  return {
    before: text.slice(Math.max(0, start - aroundChars), start).toWellFormed(),
    match: text.slice(start, shownEnd).toWellFormed(),
    after: text.slice(shownEnd, shownEnd + aroundChars).toWellFormed(),
  };
}

/** The letters and digits next to a match in its line, whatever the page draws between them. */
export function contextOf({ before, after }: Pick<WordMatch, 'before' | 'after'>): readonly [string, string] {
  const [lastLine = ''] = neutralise(before).split('\n').slice(-1);
  const [firstLine = ''] = neutralise(after).split('\n', 1);
  return [lettersOf(lastLine).slice(-contextChars), lettersOf(firstLine).slice(0, contextChars)];
}

export const contextChars = 12;

export function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
