export {
  type ArchiveOptions,
  type ArchiveReport,
  archiveFolder,
  archiveSessions,
  findOrphans,
  type OrphanSession,
} from './archive.ts';
export { purgeVersions } from './purge.ts';
export { isEmptySession, type RemovedSession, removeSession, whyInUse } from './remove.ts';
export { archivedFolder, type Restored, restoreSession } from './restore.ts';
export { type Verification, verifyArchive } from './verify.ts';
