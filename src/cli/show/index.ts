export { type ItemOptions, imageNote, showItem } from './render.ts';
