// The rows of a session → how much text they have. The store adds these up to know how rare a word is and how long a text is on
// average, without reading all rows.
import type { SessionRows } from '../contract/index.ts';

/** Documents and their words; segments of exchanges, fields with a word, and the words of these. */
export type WordSums = readonly [
  documents: number,
  words: number,
  segments: number,
  fields: number,
  fieldWords: number,
];

export function wordSums({ documents, exchanges }: Pick<SessionRows, 'documents' | 'exchanges'>): WordSums {
  const fields = exchanges.flatMap(({ tokens }) => tokens.filter((count) => count > 0));
  return [
    documents.length,
    documents.reduce((sum, { tokens }) => sum + tokens, 0),
    exchanges.length,
    fields.length,
    fields.reduce((sum, count) => sum + count, 0),
  ];
}
