export type { WrittenPart } from './dataset.ts';
export { tableNames } from './tables.ts';
export { writeParquet } from './write.ts';
