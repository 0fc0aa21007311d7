export { type Database, insertMany, openDatabase, type Row, type SqlValue } from './database.ts';
export { forgetSegment, rowsPerSegment } from './exchange-tables.ts';
export { IndexHandle, isRecoverable } from './index-handle.ts';
export { type IndexProgress, type IndexReport, updateRows } from './indexer.ts';
export { checkIndex, IndexUnavailable, indexPath, openCurrentIndex, openIndex, removeIndex } from './schema.ts';
export {
  type KnownSession,
  knownSessions,
  type ListedSession,
  listSessions,
  newestSessions,
  type SessionList,
} from './session-list.ts';
export {
  type JudgedSession,
  type ReadSummaries,
  saveVerdicts,
  type Verdict,
  verdictState,
} from './session-summaries.ts';
