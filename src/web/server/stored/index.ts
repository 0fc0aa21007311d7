export { StoreConnection } from './store-connection.ts';
export { StoredFiles } from './stored-files.ts';
export { readStoredRows } from './stored-rows.ts';
export { searchStored } from './stored-search.ts';
export { StoredUsage } from './stored-usage.ts';
