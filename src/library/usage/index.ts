export { type Calendar, createCalendar, parseDay } from './calendar.ts';
export { countLibrary, makeCells, type PricedMessage, type UsageCell, type UsageSession, usageCells } from './cells.ts';
export { lastTimeOf, sortByAge } from './lineage.ts';
export { loadPrices, type PriceUpdate, updatePrices } from './prices.ts';
export { findReceipts, type Receipt, type Receipts } from './receipts.ts';
export {
  byModel,
  makeReport,
  type Placed,
  passes,
  type ReportKind,
  reportKinds,
  rowKey,
  sumMessages,
  type UnpricedModel,
  type UsageFilter,
  type UsageReport,
  type UsageRow,
  type UsageSum,
} from './report.ts';
export { collectStats, type LibraryStats, type ToolStats } from './stats.ts';
