export { parseLine, serialiseLine } from './line.ts';
export { recoverRecords } from './recover.ts';
export { type RestoredCode, type RestoredLine, restoreLines, utf16HeadBytes, utf16Of } from './restore-lines.ts';
