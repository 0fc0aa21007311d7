export { type ArchiveFound, ArchiveList, type CopyState } from './archive-list.ts';
export { ArchivedFiles, newArchivedFolder, removeAbandoned } from './archived-files.ts';
