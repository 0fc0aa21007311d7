export { sessionIds } from './filter.ts';
export { knownPlaces, openPlaces } from './hit-place.ts';
export type { Place, SessionPlaces } from './place-table.ts';
export { type Hit, type SearchQuery, type SearchResult, type SessionHits, search } from './search.ts';
export { type LineText, leafText, type TextKind, textsOfLine } from './text-extract.ts';
export { type TextReport, updateText } from './text-indexer.ts';
