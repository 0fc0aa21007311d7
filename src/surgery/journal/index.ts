export { missingFolders } from './change-on-disk.ts';
export {
  type FileChange,
  findRecords,
  listRecords,
  newOperationId,
  type OperationRecord,
  operationsFolder,
  type PlannedSource,
  readRecords,
  refuseLinkedTargets,
  removeBackup,
  type SourceState,
  sessionDataFolders,
  writeRecord,
} from './operation-log.ts';
export { mayHaveUnfinished, type Recovered, recoverLocked, recoverOperations } from './recover-operations.ts';
export {
  carriedNotes,
  type LoggedChange,
  type LogOptions,
  logOperation,
  runRecord,
  withRecovery,
} from './run-operation.ts';
export { operationsNamed, refuseUndo, undoOperation, undoTogether } from './undo-operations.ts';
