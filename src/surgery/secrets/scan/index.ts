export { type KeywordTable, keyBits, makeKeywordTable, type TableKeyword, type TableRule } from './keyword-table.ts';
export { compilePattern } from './pattern-program.ts';
export { type LineScan, longestLine, scanRecord, scanText, type TextHit } from './scanner.ts';
