export { appendLines, type FileIdentity, identify, refuseIfChanged } from './append.ts';
export {
  discoverSessions,
  type FoundSession,
  type FoundSessions,
  findSession,
  NoSessionError,
  refuseUnlessTranscript,
} from './discover.ts';
export { diskError, makeFolder, privateFileMode, syncFile, syncPath } from './durable.ts';
export { namesIn, readText, renameDurably, syncFolder, writeAll, writeDurably } from './durable-files.ts';
export { bytesForProof, type FileProof, proofOfBytes, proveFile } from './file-proof.ts';
export { type FileState, matchState, readFileState, type StateMatch } from './file-state.ts';
export {
  keepText,
  type Line,
  type LineOptions,
  linesOfBytes,
  maxLineBytes,
  RangeReader,
  readLineBatches,
  readLines,
  readWholeFile,
  wholeFileBytes,
} from './lines.ts';
export {
  abandonedNote,
  holderOfLock,
  importsFolder,
  isAlive,
  isHeld,
  type LockOptions,
  removeAbandonedLocks,
  withLock,
  withWorkFolder,
} from './lock.ts';
export {
  boundaryFor,
  compareNames,
  type DiskProblem,
  isBelow,
  isProjects,
  type LeftOut,
  listFolder,
  listOwned,
  type OwnedFiles,
  readProblem,
  realPlace,
  refuseLeaving,
  staysIn,
  whyLeaving,
  whySessionLeaves,
} from './owned-files.ts';
export { removeStaleTemps, replaceFile, writeNewFile } from './replace.ts';
export {
  encodeOldSlug,
  encodeSlug,
  isInLibrary,
  type ProjectsFolder,
  projectsFolder,
  projectsFolders,
  resolveRoots,
  slugMatches,
  slugsFor,
  stateFolder,
} from './roots.ts';
export { agentIdOf, ownedFiles, ProjectListings, type SessionFiles, sessionFiles } from './session-files.ts';
export { carryLines, isOnSameDisk, isSameFile, parkFile, placeFile, swapFile, takeFile } from './swap.ts';
export {
  bornMsOf,
  findNamedTranscripts,
  findTranscripts,
  findTranscriptsInSteps,
  projectNames,
  type TranscriptFile,
  type TranscriptFiles,
  type TranscriptPlace,
  transcriptPlace,
} from './transcripts.ts';
