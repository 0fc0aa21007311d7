export type { WrittenPart } from './dataset.ts';
export { TableWriter } from './table-writer.ts';
export { type Column, type ColumnType, type Row, tableNames } from './tables.ts';
export { writeParquet } from './write.ts';
