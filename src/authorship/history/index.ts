export { type FileHistory, isBinary, mostFileBytes, readHistory, type Version } from './file-history.ts';
export { Git } from './git.ts';
export {
  type CommitFacts,
  commitFacts,
  findCommit,
  listCommits,
  openRepository,
  pathBelow,
  type Repository,
} from './repository.ts';
