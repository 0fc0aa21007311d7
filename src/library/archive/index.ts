export {
  type ArchiveOptions,
  type ArchiveReport,
  archiveSessions,
  findOrphans,
  type OrphanSession,
} from './archive.ts';
export { archiveFolder } from './archive-folder.ts';
export { archivedFolder, archivedPrompt, archivedTitle } from './archived-title.ts';
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
export { type ArchiveRepair, type RepairOptions, repairArchive } from './repair.ts';
export {
  type ArchivedPlace,
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
export type { ArchiveStep } from './settle.ts';
export { isDamaged, type SessionVerdict, type Verification, verifyArchive } from './verify.ts';
