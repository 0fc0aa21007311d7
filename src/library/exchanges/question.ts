// What the user or an agent typed → the terms to look for. A question is not a list of words that must all occur: words that
// every question has are left out, identifiers also count by their parts, CJK text by pairs of characters, and a few words
// that people use for the same thing stand for one another. The language of `clew find` holds too: "phrases", beginnings*
// and -exclusions.
import { cjkRanges, type QueryPart, queryParts, tokensOf } from '../../base/text/index.ts';
import { quotePhrase } from '../text/index.ts';
import { splitIdentifier } from './searchable.ts';
import { stopWords, synonymsOf } from './vocabulary.ts';

/** One thing to look for. */
export interface QuestionTerm {
  /** For MATCH. */
  readonly match: string;
  /** Words for the same thing, each for MATCH. */
  readonly synonyms: readonly string[];
  /** How much it counts: 1 for a word as it was typed, less for a part of one. */
  readonly weight: number;
  /** Folded, for marking it in a text. */
  readonly words: readonly string[];
  readonly isPrefix: boolean;
  /** Quoted by the user: an exchange without it is not an answer. */
  readonly isRequired: boolean;
}

export interface Question {
  readonly terms: readonly QuestionTerm[];
  /** For MATCH: what an answer must not have. */
  readonly excluded: string | undefined;
}

const partWeight = 0.5;
/** A long question, such as a pasted log, is cut: its first words say what it is about. */
const mostTerms = 24;

export function parseQuestion(text: string): Question {
  const parts = queryParts(text.slice(0, 4000)).map(withoutFlags);
  const wanted = parts.filter((part) => !part.isExcluded);
  const spoken = wanted.filter((part) => !isStopWord(part));
  const terms = distinct((spoken.length > 0 ? spoken : wanted).flatMap((part) => termsOf(part, text)));
  const excluded = parts.filter((part) => part.isExcluded).map((part) => phraseOf(part.text, part.isPrefix));
  return {
    terms: terms.slice(0, mostTerms),
    excluded: excluded.length === 0 ? undefined : excluded.join(' OR '),
  };
}

/** In a question `-p` is a flag, not a letter to leave out. */
function withoutFlags(part: QueryPart): QueryPart {
  return part.isExcluded && part.text.length === 1 ? { ...part, isExcluded: false } : part;
}

function isStopWord({ text, isPrefix }: QueryPart): boolean {
  if (isPrefix) return false;
  const words = [...tokensOf(text)].map(({ word }) => word);
  return words.length > 0 && words.every((word) => stopWords.has(word)) && !/[A-Z]{2}|[_./]\w/.test(text);
}

const cjkRun = new RegExp(`[${cjkRanges}]+`, 'gu');
const anyCjk = new RegExp(`[${cjkRanges}]`, 'u');

function termsOf(part: QueryPart, whole: string): readonly QuestionTerm[] {
  const { text, isPrefix } = part;
  const isRequired = whole.includes(`"${text}"`);
  if (isRequired) return [plainTerm(text, { isPrefix, isRequired })];
  if (anyCjk.test(text)) return [...cjkTerms(text), ...wordTerms(text.replace(cjkRun, ' '), isPrefix)];
  return wordTerms(text, isPrefix);
}

function wordTerms(text: string, isPrefix: boolean): readonly QuestionTerm[] {
  const words = [...tokensOf(text)];
  const [only] = words;
  if (only === undefined) return [];
  const pieces = words.flatMap(({ start, end }) => splitIdentifier(text.slice(start, end)));
  if (pieces.length === 1) return [plainTerm(text, { isPrefix })];
  const named = pieces.filter((piece) => piece.length > 1 && !stopWords.has(piece.toLowerCase()));
  const whole = words.length === 1 ? wholeTerm(only.word, pieces) : plainTerm(text, { isPrefix });
  return [whole, ...named.map((piece) => ({ ...plainTerm(piece, {}), weight: partWeight }))];
}

/** `getUserById`, and what the index has of it if it was written otherwise. */
function wholeTerm(word: string, pieces: readonly string[]): QuestionTerm {
  const match = `${phraseOf(word, false)} OR ${phraseOf(pieces.join(' '), false)}`;
  return { match: `(${match})`, synonyms: [], weight: 1, words: [word], isPrefix: false, isRequired: false };
}

/** Pairs of adjacent characters: nothing says where a word ends. */
function* cjkTerms(text: string): Generator<QuestionTerm> {
  for (const [run] of text.matchAll(cjkRun)) {
    const chars = [...run];
    const size = Math.min(2, chars.length);
    for (let i = 0; i + size <= chars.length; i++)
      yield { ...plainTerm(chars.slice(i, i + size).join(''), {}), weight: cjkWeight };
  }
}

const cjkWeight = 0.6;

interface TermOptions {
  readonly isPrefix?: boolean;
  readonly isRequired?: boolean;
}

function plainTerm(text: string, { isPrefix = false, isRequired = false }: TermOptions): QuestionTerm {
  const words = [...tokensOf(text)].map(({ word }) => word);
  const [only] = words;
  const synonyms = words.length === 1 && only !== undefined && !isPrefix && !isRequired ? synonymsOf(only) : [];
  return {
    match: phraseOf(text, isPrefix),
    synonyms: synonyms.map((word) => phraseOf(word, false)),
    weight: 1,
    words,
    isPrefix,
    isRequired,
  };
}

function phraseOf(text: string, isPrefix: boolean): string {
  return `${quotePhrase(text)}${isPrefix ? ' *' : ''}`;
}

function distinct(terms: readonly QuestionTerm[]): readonly QuestionTerm[] {
  const byMatch = new Map<string, QuestionTerm>();
  for (const term of terms) {
    const key = term.match.toLowerCase();
    const known = byMatch.get(key);
    if (known === undefined || known.weight < term.weight) byMatch.set(key, term);
  }
  return [...byMatch.values()];
}
