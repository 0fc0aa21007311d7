export type { LeftOutFile } from './file-history.ts';
export type { Manifest } from './format.ts';
export { type PlannedImport, planImport } from './import.ts';
export type { ClientReach, ReachedLine } from './reach.ts';
export { unpackBundle } from './read.ts';
export { type WrittenBundle, writeBundle } from './write.ts';
