export { alsoLeft, deletedJson } from './deleted.ts';
export { lastUse } from './render.ts';
