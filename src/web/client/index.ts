export { type Client, keyParam, makeClient, readEvents, readJson, readText, ServerFailure } from './client.ts';
