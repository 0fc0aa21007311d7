export type { Manifest } from './format.ts';
export { planImport } from './import.ts';
export { unpackBundle } from './read.ts';
export { type WrittenBundle, writeBundle } from './write.ts';
