export { type Calendar, createCalendar, monthOf, weekOf } from './calendar.ts';
export {
  cellsOf,
  makeCells,
  type PricedMessage,
  pricedMessages,
  recentCells,
  type UsageCell,
  type UsageSession,
} from './cells.ts';
export { type CountedUsage, readCurrent } from './current-usage.ts';
export { lastTimeOf, sortByAge } from './lineage.ts';
export { loadPrices, type PriceUpdate, updatePrices } from './prices.ts';
export { findReceipts, type Receipt, type Receipts } from './receipts.ts';
export {
  type BlockPace,
  blocksOf,
  byModel,
  makeReport,
  type Placed,
  passes,
  type ReportKind,
  type RowOrder,
  reportKinds,
  rowKey,
  rowOrders,
  sumMessages,
  sumUp,
  type UnpricedModel,
  type UsageBlock,
  type UsageFilter,
  type UsageReport,
  type UsageRow,
  type UsageSum,
} from './report.ts';
export { usageFolder } from './state-file.ts';
export {
  type CallFact,
  collectStats,
  type LibraryStats,
  type LibraryWork,
  type PromptFact,
  type ToolStats,
  type TranscriptFact,
  workInIndex,
} from './stats.ts';
export { UsageStore, type UsageUpdate } from './usage-store.ts';
