export {
  type EditorState,
  emptyEditor,
  isShellCommand,
  pressInEditor,
  remember,
  replaceText,
  type Submitted,
  setText,
  wholeText,
  withBuffer,
} from './editor.ts';
export { appendHistory, type HistoryEntry, historyFile, readHistory } from './history.ts';
export { type HistorySearch, openSearch, pressInSearch } from './history-search.ts';
export { mentionPastedPictures } from './pasted-pictures.ts';
export { foldPastes, noPastes, type Pastes } from './pastes.ts';
export {
  gitBranch,
  listProjectFiles,
  type Mention,
  mentionAt,
  moveSuggestion,
  type Suggestions,
  suggestCommands,
  suggestFiles,
} from './suggestions.ts';
export { editBuffer, emptyBuffer, insertText, layOutBuffer, replaceRange, type TextBuffer } from './text-buffer.ts';
