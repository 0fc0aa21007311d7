// The public surface of the library.
export { version } from './base/version.ts';
