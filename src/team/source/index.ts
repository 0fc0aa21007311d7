export { storeError } from '../database/index.ts';
export type { PeopleChoice } from './people.ts';
export { openStore, StoreSource } from './store-source.ts';
