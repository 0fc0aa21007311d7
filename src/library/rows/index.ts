export { joinParts, PackedRows, rowBytes, rowFlags, rowOffsets } from './packed-rows.ts';
export { RowScanner, type RowSource, type ScannedRows } from './row-scanner.ts';
export { findShared, keysOf, meetsOthers } from './shared-keys.ts';
export { type FileFacts, type LineWithUsage, readUsageLines, UsageReader } from './usage-reader.ts';
