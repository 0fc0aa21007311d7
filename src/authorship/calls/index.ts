export {
  applyAction,
  type CallAuthor,
  type EditAction,
  type FileEdit,
  type FileMove,
  type SessionCommit,
  type SessionWork,
} from './file-edit.ts';
export { readPatch } from './patch-text.ts';
export { readWork, type WorkOptions } from './session-work.ts';
export { effectsOf } from './shell-effects.ts';
export { toolEdits } from './tool-edit.ts';
