export { readArchivedWork } from './archived-work.ts';
export { endsWithName, findTranscriptsOf, readTranscripts, type WorkSearch } from './find-work.ts';
