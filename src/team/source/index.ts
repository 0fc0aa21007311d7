export { storeError } from '../database/index.ts';
export type { PackedFile, PackedSession } from './packed-session.ts';
export type { PeopleChoice } from './people.ts';
export type { StoredSession } from './sessions.ts';
export { openStore, StoreSource } from './store-source.ts';
