// The text of a document, or the fields of an exchange → their words for the store: the same words in the same order as the
// full text of the local index has them, so that one search finds the same in both.
import { searchable } from '../../library/exchanges/index.ts';
import { indexable } from '../../library/text/index.ts';
import { sqliteWords } from './sqlite-words.ts';
import { forEachToken } from './tokens.ts';
import { VectorBuilder } from './vector.ts';

export interface DocumentWords {
  /** As PostgreSQL reads a `tsvector`. */
  readonly words: string;
  /** Of the whole text, also those that `words` has no room for. */
  readonly tokens: number;
}

/** The words of a document. */
export function documentWords(text: string): DocumentWords {
  const vector = new VectorBuilder();
  let tokens = 0;
  forEachToken(indexable(text), (word) => vector.add(word, ++tokens));
  return { words: vector.toString(), tokens };
}

export interface FieldWords {
  readonly words: string;
  /** By field. */
  readonly tokens: readonly number[];
}

/** Written before each word of a field, in the order of the fields. */
export const fieldLetters = ['p', 'a', 'f', 'c', 'e'] as const;

/** The same for the words of titles, which the first row of a session has. */
export const titleLetter = 't';

/**
 * The stemmed words of the five fields of an exchange; positions begin at 1 in each field. `titles`: of the session, if this
 * is the first of its exchanges.
 */
export function fieldWords(texts: readonly string[], titles: readonly string[] = []): FieldWords {
  const fields = texts.map(searchableWords);
  const named = titles.map(searchableWords);
  const stems = stemsOf([...fields, ...named].flat());
  const vector = new VectorBuilder();
  for (const [field, words] of fields.entries())
    for (const [at, word] of words.entries()) vector.add(`${fieldLetters[field]}${stems.get(word) ?? word}`, at + 1);
  let position = 0;
  for (const words of named) {
    for (const word of words) vector.add(`${titleLetter}${stems.get(word) ?? word}`, ++position);
    // No phrase continues in the next title.
    position++;
  }
  return { words: vector.toString(), tokens: fields.map((words) => words.length) };
}

/** The words of a text, in their order. */
export function plainWords(text: string): readonly string[] {
  const words: string[] = [];
  forEachToken(indexable(text), (word) => words.push(word));
  return words;
}

/** The same, stemmed as in the index of exchanges and titles. */
export function stemmedWords(text: string): readonly string[] {
  const words = plainWords(text);
  const stems = stemsOf(words);
  return words.map((word) => stems.get(word) ?? word);
}

function searchableWords(text: string): readonly string[] {
  return text === '' ? [] : plainWords(searchable(text));
}

const mostKnownStems = 500_000;
let knownStems = new Map<string, string>();

/** SQLite stems only words that were not asked for before. */
function stemsOf(words: readonly string[]): ReadonlyMap<string, string> {
  if (knownStems.size > mostKnownStems) knownStems = new Map();
  const unknown = [...new Set(words)].filter((word) => !knownStems.has(word));
  if (unknown.length === 0) return knownStems;
  for (const [i, stem] of sqliteWords().stemsOf(unknown).entries()) knownStems.set(unknown[i] as string, stem); // as many
  return knownStems;
}
