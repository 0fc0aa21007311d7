export { followRecords, type NewRecord, recordsOf } from './follow.ts';
export { keepCurrent } from './live-index.ts';
export { watchLibrary } from './watch.ts';
