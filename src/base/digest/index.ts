export { digestText, measureText, type OnHidden, restoreText } from './digest.ts';
export { sha256 } from './sha256.ts';
