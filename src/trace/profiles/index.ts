export { type EncodeOptions, encodeBatches, profileOptions, profiles } from './encode-batches.ts';
