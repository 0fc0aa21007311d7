export { ByteSearch } from './byte-search.ts';
