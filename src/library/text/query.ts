// What the user typed → a query of FTS5, and the words to mark in what is found. The language: words (all of them),
// "phrases", beginnings* and -exclusions; adjacent CJK characters are a phrase. Case and diacritics never matter.
import { UserError } from '../../base/errors/index.ts';
import { cjkRanges, queryParts, type Term, termOf } from '../../base/text/index.ts';

export interface WordQuery {
  /** For MATCH. */
  readonly match: string;
  /** The same with all words next to each other, as they were typed; `undefined` if there is only one term. */
  readonly adjacent: string | undefined;
  /** The same with any of the words. */
  readonly any: string;
  /** The wanted terms, for marking. */
  readonly terms: readonly Term[];
}

export function parseWords(text: string): WordQuery {
  const terms = queryParts(text);
  const wanted = terms.filter((term) => !term.isExcluded);
  if (wanted.length === 0) {
    const isOnlyExcluded = terms.length > 0;
    throw new UserError(
      isOnlyExcluded ? 'the query only says what to leave out' : 'the query has no word in it',
      isOnlyExcluded ? 'add a word to look for' : 'use --exact to look for punctuation',
    );
  }
  const all = wanted.map(quoteTerm).join(' AND ');
  const not = terms.filter((term) => term.isExcluded).map(quoteTerm);
  const without = (text: string): string => (not.length === 0 ? text : `(${text}) NOT (${not.join(' OR ')})`);
  return {
    match: without(all),
    adjacent: wanted.length === 1 ? undefined : without(wanted.map(quoteTerm).join(' + ')),
    any: without(wanted.map(quoteTerm).join(' OR ')),
    terms: wanted.map(termOf),
  };
}

/** A text as a phrase of FTS5, whatever characters it has. */
export function quotePhrase(text: string): string {
  return `"${indexable(text).replaceAll('"', ' ')}"`;
}

function quoteTerm(term: { readonly text: string; readonly isPrefix: boolean }): string {
  return `${quotePhrase(term.text)}${term.isPrefix ? ' *' : ''}`;
}

const everyCjk = new RegExp(`[${cjkRanges}]`, 'gu');
/** Without the slow flag `u`: also true for other characters of the higher planes, which does no harm. */
const mayHoldCjk = /[\u3005-\ud7a3\ud800-\udbff\uf900-\ufaff\uff66-\uff9f]/;

/** The text as it is given to FTS5: CJK characters apart, and no NUL, which some binding might take for the end. */
export function indexable(text: string): string {
  const whole = text.includes('\0') ? text.replaceAll('\0', ' ') : text;
  return mayHoldCjk.test(whole) ? whole.replace(everyCjk, ' $& ') : whole;
}

const cjkOrSeparator = new RegExp(`[${cjkRanges}]|[\\0-/:-@[-\`{-\\x7f]`, 'gu');

/**
 * The part of a text that is split into the same words whatever surrounds the text: from the first position at which a
 * word certainly ends to the last. ASCII separators and CJK characters are certain; SQLite and JavaScript may treat other
 * characters differently.
 */
export function innerWords(text: string): string {
  let start = -1;
  let end = -1;
  for (const { 0: found, index } of text.matchAll(cjkOrSeparator)) {
    const isSeparator = found.length === 1 && found < '\x80';
    if (start < 0) start = isSeparator ? index + 1 : index;
    end = isSeparator ? index : index + found.length;
  }
  return start < 0 || end <= start ? '' : text.slice(start, end);
}
