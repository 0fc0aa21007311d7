export { httpSource } from './http-source.ts';
export type { ReadNow } from './printable.ts';
export { watchPresence } from './watch-presence.ts';
