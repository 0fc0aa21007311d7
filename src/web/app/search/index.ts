export { readSearchAddress } from './search-address.ts';
export { SearchPage } from './search-results.tsx';
