export type { Evidence, OriginKind } from './find-origin.ts';
export { markedSessions } from './index-marks.ts';
export { type BackgroundJob, readJobs } from './jobs.ts';
export { relationWords } from './relation-words.ts';
export {
  findRelations,
  isOriginKind,
  type MadeBy,
  type Relation,
  type RelationKind,
  type Relations,
} from './relations.ts';
export { type RepositoryOf, repositoryFinder, repositoryInPath } from './repositories.ts';
export { isOfPullRequest, isOnBranch, isPullRequestName } from './session-filter.ts';
export type { MarkedSession } from './session-marks.ts';
