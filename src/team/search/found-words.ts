// A `tsvector` with the words of a query only, as PostgreSQL writes it → where the phrases of an expression are in a text, and
// the measure of relevance of FTS5 (BM25), computed as SQLite does it, so that the store orders what it finds as the index does.
import type { Expression, Phrase, Token } from './expression.ts';

/** The positions of each word, from 1. */
export type Positions = ReadonlyMap<string, readonly number[]>;

/** `'word':1A,5A 'other':2A`. */
export function positionsIn(vector: string): Positions {
  const found = new Map<string, readonly number[]>();
  for (const [, word, list] of vector.matchAll(/'([^']*)':([\dA-D,]+)/g))
    found.set(word as string, (list as string).split(',').map(Number.parseFloat)); // both are in the expression
  return found;
}

/** By the letter of the field; without it. */
export function positionsByField(vector: string): ReadonlyMap<string, Positions> {
  const fields = new Map<string, Map<string, readonly number[]>>();
  for (const [word, positions] of positionsIn(vector)) {
    const letter = word.charAt(0);
    const own = fields.get(letter) ?? new Map<string, readonly number[]>();
    fields.set(letter, own.set(word.slice(1), positions));
  }
  return fields;
}

/** Where a phrase begins. */
export function startsOf({ tokens }: Phrase, words: Positions): readonly number[] {
  const [first, ...rest] = tokens;
  if (first === undefined) return [];
  const starts = placesOf(first, words);
  if (rest.length === 0) return starts;
  const others = rest.map((token) => new Set(placesOf(token, words)));
  return starts.filter((start) => others.every((places, i) => places.has(start + i + 1)));
}

function placesOf({ word, isPrefix }: Token, words: Positions): readonly number[] {
  if (!isPrefix) return words.get(word) ?? [];
  const places = new Set<number>();
  for (const [each, positions] of words)
    if (each.startsWith(word)) for (const position of positions) places.add(position);
  return [...places].sort((a, b) => a - b);
}

export function matches(expression: Expression, words: Positions): boolean {
  switch (expression.kind) {
    case 'phrase':
      return startsOf(expression, words).length > 0;
    case 'near':
      return areNear(expression.phrases, expression.distance, words);
    case 'not':
      return matches(expression.wanted, words) && !matches(expression.unwanted, words);
    case 'and':
      return expression.parts.every((part) => matches(part, words));
    case 'or':
      return expression.parts.some((part) => matches(part, words));
  }
}

/** All phrases in a stretch with at most `distance` words between the end of the first and the beginning of the last. */
function areNear(phrases: readonly Phrase[], distance: number, words: Positions): boolean {
  const places = phrases.map((phrase) => startsOf(phrase, words));
  const at = places.map(() => 0);
  for (;;) {
    const starts = places.map((list, i) => list[at[i] as number]); // as many
    if (starts.some((start) => start === undefined)) return false;
    const now = starts as readonly number[]; // none is undefined
    const last = Math.max(...now);
    const firstEnd = Math.min(...now.map((start, i) => start + (phrases[i] as Phrase).tokens.length)); // as many
    if (last - firstEnd <= distance) return true;
    const earliest = now.indexOf(Math.min(...now));
    at[earliest] = (at[earliest] as number) + 1; // an index of `now`
  }
}

/** How rare the phrases are, and how long the texts. */
export interface Weights {
  /** By phrase. */
  readonly rarities: readonly number[];
  /** Words of a text. */
  readonly averageLength: number;
}

const k1 = 1.2;
const b = 0.75;
const leastRarity = 1e-6;

/** How rare a phrase is that `found` of `total` texts have. */
export function rarityOf(total: number, found: number): number {
  const rarity = Math.log((total - found + 0.5) / (found + 0.5));
  return rarity <= 0 ? leastRarity : rarity;
}

/** Negative, the better the lower, as `rank` of FTS5. */
export function bm25(phrases: readonly Phrase[], words: Positions, length: number, weights: Weights): number {
  let score = 0;
  for (const [i, phrase] of phrases.entries()) {
    const frequency = startsOf(phrase, words).length;
    if (frequency === 0) continue;
    const rarity = weights.rarities[i] ?? leastRarity;
    const ratio = weights.averageLength === 0 ? 0 : length / weights.averageLength;
    score += rarity * ((frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * ratio)));
  }
  return -score;
}
