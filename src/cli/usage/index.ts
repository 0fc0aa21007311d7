export { sumJson } from './json.ts';
export { barOf } from './render.ts';
