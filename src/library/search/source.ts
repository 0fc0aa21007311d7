// What a search asks: of the local index, or of a team's store. A source knows the filters of its search.
import type { ExchangeSource } from '../exchanges/index.ts';
import type { Answer, DocumentRow, HitSession } from '../text/index.ts';
import type { Scan } from './scan.ts';

export interface ScoredDocument {
  readonly document: DocumentRow;
  /** As BM25 of FTS5: negative, the better the lower. */
  readonly score: number;
}

/** What a hit shows of a document; `undefined` where its line is no longer what it was. */
export interface ReadText {
  readonly text: string;
  readonly uuid: string | undefined;
}

/** `match` is an expression of FTS5. */
export interface SearchSource {
  readonly exchanges: ExchangeSource;
  /** At most `most`, the best first. */
  bestDocuments(match: string, most: number): Answer<readonly ScoredDocument[]>;
  /** Of those that match, the ones in which also `phrase` is: the same with all words next to each other. */
  bestPhrases(phrase: string, match: string, most: number): Answer<readonly ScoredDocument[]>;
  countDocuments(match: string): Answer<number>;
  /** The exchange of each document, as file and line: of a sub-agent's, the one that started it. */
  exchangeKeys(documents: readonly DocumentRow[]): Answer<readonly string[]>;
  /** Of each segment the document that matches best, if one does. */
  bestOfSegments(segments: readonly number[], match: string): Answer<readonly (DocumentRow | undefined)[]>;
  /** The documents that match, in any order. */
  scan(scan: Scan): Answer<readonly DocumentRow[]>;
  sessions(ids: readonly number[]): Answer<readonly (HitSession | undefined)[]>;
  texts(documents: readonly DocumentRow[]): Answer<readonly (ReadText | undefined)[]>;
}
