export { makeWebFetchTool, type WebFetchOptions } from './web-fetch.ts';
export { webSearchTool } from './web-search.ts';
