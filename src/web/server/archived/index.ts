export { type ArchiveFound, ArchiveList, type CopyState } from './archive-list.ts';
export { ArchivedFiles, newArchivedFolder, removeAbandoned } from './archived-files.ts';
export { recoverFile } from './recover-file.ts';
