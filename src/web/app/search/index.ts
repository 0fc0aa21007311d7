export { SearchPage } from './search-results.tsx';
