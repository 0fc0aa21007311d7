export { endsWithName, findTranscriptsOf, readTranscripts, type WorkSearch } from './find-work.ts';
