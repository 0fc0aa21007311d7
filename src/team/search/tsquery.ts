// An expression and some people → what PostgreSQL looks for, and the words whose positions a search needs.
import { personLexeme } from '../database/index.ts';
import { lexemeOf } from '../words/index.ts';
import { type Expression, phrasesOf } from './expression.ts';

export interface QueryLexemes {
  readonly lexemes: readonly string[];
  /** Beginnings of words. */
  readonly prefixes: readonly string[];
}

/** `letters`: of the fields to look in. */
export function lexemesOf(expression: Expression, letters: readonly string[] = ['']): QueryLexemes {
  const tokens = phrasesOf(expression).flatMap((phrase) => phrase.tokens);
  const spelled = (isPrefix: boolean): readonly string[] => {
    const words = tokens.filter((token) => token.isPrefix === isPrefix).map(({ word }) => word);
    return [...new Set(words)].flatMap((word) => letters.map((letter) => lexemeOf(`${letter}${word}`)));
  };
  return { lexemes: spelled(false), prefixes: spelled(true) };
}

/** With more people the index would join their lists for nothing. */
const fewPeople = 3;

/** A `tsquery`, of these people alone if they are few. */
export function queryOfPeople(query: string, people: readonly number[]): string {
  return people.length > fewPeople ? query : `(${people.map(personLexeme).join(' | ')}) & (${query})`;
}
