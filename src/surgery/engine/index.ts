export { NewIds, nameFor, newSession, originEdits, placedSession, sameSession, sessionIdEdits } from './new-session.ts';
export { type OperateOptions, type Outcome, operate } from './operate.ts';
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
  type Source,
  type SourceFile,
  type StagedSession,
  sessionOf,
  sourceOf,
  splitLines,
} from './plan.ts';
export { addEdits, freshUsageEdits, relinkInto, zeroEdits } from './relink.ts';
export { droppedBy, mergeAllRewrites, pickLines, type Rewrite, rewriteLines } from './rewrite.ts';
export { bytesOf, stagedPath } from './stage.ts';
export { unfitReason, withoutBlocks } from './trim-thinking.ts';
