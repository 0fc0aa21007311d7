// A search of the page → what the store finds.

import type { SearchAsked, SearchFound } from '../answers/index.ts';
import { Refusal } from '../protocol/index.ts';
import type { StoreConnection } from './store-connection.ts';

export function searchStored(_store: StoreConnection, _asked: SearchAsked): Promise<SearchFound> {
  throw new Refusal(501, 'this page does not search a store', 'use `clew find --store`');
}
