export { guardJson, statusPart } from './state-text.ts';
