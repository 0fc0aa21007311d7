export { digestText, measureText } from './digest.ts';
