export { ExchangeBuilder } from './builder.ts';
export type { RecallSnippets } from './found-reader.ts';
export { type RecallHit, type RecallQuery, type RecallResult, recall } from './recall.ts';
export type { RecallFilter } from './scope.ts';
export { ExchangeWriter, exchangeStarts, openSegment } from './writer.ts';
