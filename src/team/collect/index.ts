export { type CollectContext, type CollectedAs, collectSession, type Rules, rulesVersion } from './collect.ts';
export { hashFile } from './file-pieces.ts';
export { type IndexedFile, type LocalSession, type LocalSources, localSessions } from './local-sessions.ts';

export { baseIdOf, loadStoreKey, type StoreKey, secondIdOf } from './store-key.ts';
