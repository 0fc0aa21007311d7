export { type StoreQuery, type StoreResult, type StoreSessionHits, searchStore } from './search-store.ts';
