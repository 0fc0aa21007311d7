export { missingFolders } from './change-files.ts';
export { type LoggedChange, type LogOptions, logOperation } from './logged.ts';
export { NewIds, nameFor, newSession, originEdits, placedSession, sameSession, sessionIdEdits } from './new-session.ts';
export { type OperateOptions, type Outcome, operate } from './operate.ts';
export {
  type FileChange,
  findRecords,
  listRecords,
  newOperationId,
  type OperationRecord,
  operationsFolder,
  readRecords,
  removeBackup,
  sessionDataFolders,
  writeRecord,
} from './operation-log.ts';
export {
  type Dropped,
  type FileSource,
  idInside,
  loadSource,
  madeLine,
  type OutLine,
  type Plan,
  type PlannedFile,
  type PlannedOtherFile,
  type PlannedSession,
  type PlannedSource,
  type Source,
  type SourceFile,
  type StagedSession,
  sessionOf,
  sourceOf,
  splitLines,
} from './plan.ts';
export {
  mayHaveUnfinished,
  operationsNamed,
  type Recovered,
  recoverOperations,
  refuseUndo,
  undoOperation,
  undoTogether,
} from './recover-operations.ts';
export { addEdits, freshUsageEdits, relinkInto, zeroEdits } from './relink.ts';
export { droppedBy, mergeAllRewrites, pickLines, type Rewrite, rewriteLines } from './rewrite.ts';
export { bytesOf, stagedPath } from './stage.ts';
export { unfitReason, withoutBlocks } from './trim-thinking.ts';
