// The text of a document, or the fields of an exchange → their words for the store: the same words in the same order as the
// full text of the local index has them, so that one search finds the same in both.
import { searchable } from '../../library/exchanges/index.ts';
import { indexable } from '../../library/text/index.ts';
import { sqliteWords } from './sqlite-words.ts';
import { wordNumbers } from './tokens.ts';
import { VectorBuilder } from './vector.ts';
import { Vocabulary } from './vocabulary.ts';

export interface DocumentWords {
  /** As PostgreSQL reads a `tsvector`. */
  readonly words: string;
  /** Of the whole text, also those that `words` has no room for. */
  readonly tokens: number;
}

const mostKnownWords = 500_000;
const mostKnownBytes = 16 << 20;
let vocabulary = new Vocabulary();
let vector = new VectorBuilder(vocabulary);

/** Words get their numbers from it until the next call. */
function openVocabulary(): Vocabulary {
  if (vocabulary.size > mostKnownWords || vocabulary.bytes.length > mostKnownBytes) {
    vocabulary = new Vocabulary();
    vector = new VectorBuilder(vocabulary);
  }
  vector.clear();
  return vocabulary;
}

/** The words of a document. */
export function documentWords(text: string): DocumentWords {
  const numbers = wordNumbers(indexable(text), openVocabulary());
  for (let i = 0; i < numbers.length; i++) vector.add(numbers[i] as number, i + 1);
  return { words: vector.toString(), tokens: numbers.length };
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
  const known = openVocabulary();
  const fields = texts.map((text) => stemNumbers(text === '' ? '' : searchable(text), known));
  for (const [field, words] of fields.entries()) {
    vector.beginField(fieldLetters[field] ?? '');
    for (const [at, word] of words.entries()) vector.add(word, at + 1);
  }
  vector.beginField(titleLetter);
  let position = 0;
  for (const title of titles) {
    for (const word of stemNumbers(title === '' ? '' : searchable(title), known)) vector.add(word, ++position);
    // No phrase continues in the next title.
    position++;
  }
  return { words: vector.toString(), tokens: fields.map((words) => words.length) };
}

/** The words of a text, in their order. */
export function plainWords(text: string): readonly string[] {
  const known = openVocabulary();
  return Array.from(wordNumbers(indexable(text), known), (number) => known.wordOf(number));
}

/** The same, stemmed as in the index of exchanges and titles. */
export function stemmedWords(text: string): readonly string[] {
  const known = openVocabulary();
  return Array.from(stemNumbers(indexable(text), known), (number) => known.wordOf(number));
}

/** SQLite stems only words that it was not asked for before. */
function stemNumbers(text: string, known: Vocabulary): Int32Array {
  const words = wordNumbers(text, known);
  const unknown = [...new Set(words.filter((word) => known.stemOf(word) < 0))];
  if (unknown.length > 0) {
    const stems = sqliteWords().stemsOf(unknown.map((word) => known.wordOf(word)));
    for (const [i, word] of unknown.entries()) known.setStem(word, known.numberOf(stems[i] as string)); // as many
  }
  return words.map((word) => known.stemOf(word));
}
