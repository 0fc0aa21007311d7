export { digestText, measureText } from './digest.ts';
export { sha256 } from './sha256.ts';
