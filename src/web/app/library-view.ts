// The library and what only it needs: one chunk, with a name that says so.
export { LibraryPage } from './library/index.ts';
