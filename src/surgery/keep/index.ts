export { type ArchivedByName, archiveByName } from './archive.ts';
export { type CheckedOperations, type CheckFinding, checkOperations } from './check-operations.ts';
export { type RemovedWithUndo, removeWithUndo } from './remove.ts';
export { type RestoredWithUndo, restoreWithUndo } from './restore.ts';
export { isStarred, type StarOptions, starSession } from './star.ts';
