export { lastUse } from './render.ts';
