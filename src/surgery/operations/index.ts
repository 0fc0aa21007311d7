export { planCompress } from './compress.ts';
export {
  apiSummary,
  type CompressCut,
  fileSummary,
  findCompressCut,
  offlineSummary,
  type Summary,
} from './compress-summary.ts';
export { type ForeignLines, foreignNotes, planFork, withoutForeignPrompt } from './fork.ts';
export { planGraft } from './graft.ts';
export {
  folderEdits,
  folderFor,
  folderNotes,
  inStyleOf,
  isWindowsPath,
  type MoveOptions,
  planMove,
  type Relocation,
  restBelow,
  sendsTheSame,
  sidePathRewrites,
} from './move.ts';
export { findMovedProject, historyOf, launchFolderOf, listNested } from './moved-projects.ts';
export { labelText, planRename, planTag } from './rename.ts';
export { planRewind, planSplit } from './rewind.ts';
