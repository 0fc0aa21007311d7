export { httpSource } from './http-source.ts';
export { watchPresence } from './watch-presence.ts';
