export {
  type ArchiveOptions,
  type ArchiveReport,
  archiveFolder,
  archiveSessions,
  findOrphans,
  type OrphanSession,
} from './archive.ts';
export { archivedTitle } from './archived-title.ts';
export { type ArchivedCopy, archivedCopies, forgetCopy, newCopies, refuseOnlyCopy } from './copies.ts';
export { purgeVersions } from './purge.ts';
export {
  isEmptySession,
  type KeptSession,
  keepSession,
  type RemovedSession,
  type RemoveOptions,
  removeSession,
  whyInUse,
} from './remove.ts';
export {
  type ArchivedPlace,
  archivedFolder,
  archivedPrompt,
  archivedSource,
  findArchivedFile,
  listArchive,
  type RestorableFile,
  type Restored,
  type RestoredFile,
  type RestoreOptions,
  type RestoreSource,
  restoreArchivedFile,
  restoreFrom,
  restoreSession,
} from './restore.ts';
export { type Verification, verifyArchive } from './verify.ts';
