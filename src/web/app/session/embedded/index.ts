export { embeddedSource, readPrintable } from './embedded-source.ts';
