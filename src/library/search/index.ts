export { planScan, type Scan } from './scan.ts';
export {
  type Hit,
  type MatchedWords,
  type SearchQuery,
  type SearchResult,
  type SessionHits,
  search,
  searchIn,
} from './search.ts';
export type { ReadText, ScoredDocument, SearchSource } from './source.ts';
export { type TextReport, updateText } from './text-indexer.ts';
