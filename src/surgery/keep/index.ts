export { type ArchivedByName, archiveByName } from './archive.ts';
export { type RemovedWithUndo, removeWithUndo } from './remove.ts';
export { type RestoredWithUndo, restoreWithUndo } from './restore.ts';
export { isStarred, type StarOptions, starSession } from './star.ts';
