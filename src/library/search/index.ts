export { planScan } from './scan.ts';
export {
  type Hit,
  type MatchedWords,
  type SearchQuery,
  type SearchResult,
  type SessionHits,
  search,
} from './search.ts';
export { type TextReport, updateText } from './text-indexer.ts';
