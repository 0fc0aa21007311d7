export {
  type DeletedContents,
  type FileVersions,
  findDeletedSession,
  type LeftTask,
  readDeleted,
} from './contents.ts';
export type { DeletedList, DeletedOptions, DeletedSession, Remains } from './deleted.ts';
export { listDeleted } from './list.ts';
export { type DeletedPrompt, type DeletedPrompts, deletedPrompts } from './prompts.ts';
export { type DeletedHit, type DeletedHits, type DeletedQuery, type DeletedResult, searchDeleted } from './search.ts';
export type { FileVersion, LeftFile, ListedTrace, Traces } from './traces.ts';
