export { asBuffer, type Bytes, type Environment } from './node-types.ts';
