// What the user typed → a query of FTS5, and the words to mark in what is found. The language: words (all of them),
// "phrases", beginnings* and -exclusions; adjacent CJK characters are a phrase. Case and diacritics never matter.
import { UserError } from '../../base/errors/errors.ts';
import { hasTokens, indexable, tokensOf } from './text-tokens.ts';

export interface WordQuery {
  /** For MATCH. */
  readonly match: string;
  /** The same with all words next to each other, as they were typed; `undefined` where there is but one term. */
  readonly adjacent: string | undefined;
  /** The wanted terms, for marking. */
  readonly terms: readonly Term[];
}

/** A word or a phrase. */
export interface Term {
  readonly words: readonly string[];
  /** The last word may go on. */
  readonly isPrefix: boolean;
}

export function parseWords(text: string): WordQuery {
  const parts = [...text.matchAll(/(?<=^|\s)(-)?(?:"([^"]*)"?(\*)?|(\S+))/g)].map(
    ([, minus, phrase, phraseStar, word]) => ({
      isExcluded: minus !== undefined,
      text: phrase ?? word ?? '',
      isPrefix: phraseStar !== undefined || word?.endsWith('*') === true,
    }),
  );
  const terms = parts.filter((part) => hasTokens(part.text));
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
    terms: wanted.map((term) => ({
      words: [...tokensOf(term.text)].map((token) => token.word),
      isPrefix: term.isPrefix,
    })),
  };
}

/** A text as a phrase of FTS5, whatever characters it has. */
export function quotePhrase(text: string): string {
  return `"${indexable(text).replaceAll('"', ' ')}"`;
}

function quoteTerm(term: { readonly text: string; readonly isPrefix: boolean }): string {
  return `${quotePhrase(term.text)}${term.isPrefix ? ' *' : ''}`;
}
