export { openLibrary } from './library.ts';
