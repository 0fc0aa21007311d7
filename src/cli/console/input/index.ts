export {
  appendHistory,
  type EditorState,
  emptyEditor,
  historyFile,
  pressInEditor,
  readHistory,
  remember,
  setText,
  withBuffer,
} from './editor.ts';
export { mentionPastedPictures } from './pasted-pictures.ts';
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
