export { ExchangeBuilder } from './builder.ts';
export { type ExchangeName, exchangeTexts } from './exchange-texts.ts';
export type { RecallSnippets } from './found-reader.ts';
export { OwnerFinder } from './owners.ts';
export { parseQuestion } from './question.ts';
export { type ExchangeScope, type RankedExchange, rankExchanges } from './rank.ts';
export { type RecallHit, type RecallQuery, type RecallResult, recall } from './recall.ts';
export type { RecallFilter } from './scope.ts';
export { ExchangeWriter, exchangeStarts, openSegment } from './writer.ts';
