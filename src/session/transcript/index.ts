export { type GrowingTranscript, loadGrowingInSteps } from './growing-transcript.ts';
export {
  callsOf,
  classifyUser,
  isBoundary,
  isMessage,
  isNote,
  kindOfText,
  Node,
  type PromptKind,
  resultsOf,
  SharedValues,
} from './node.ts';
export { noteImages, replaceNoteImages } from './note-images.ts';
export { commandLine, commandName, type PromptPieces, promptText, splitPrompt, spokenText } from './prompt-text.ts';
export {
  isRecognised,
  refuseForeign,
  refuseOtherFile,
  refuseUnreadable,
  type SessionFileOptions,
} from './recognise.ts';
export {
  beginsAsSessionMessage,
  isSessionMessage,
  readSessionMessages,
  type SessionMessage,
} from './session-message.ts';
export {
  bytesOf,
  endOf,
  hashId,
  Loader,
  loadReadable,
  loadTranscript,
  makeTranscript,
  type NeededPart,
  rangesOf,
  reloadTranscript,
  type Transcript,
  type TranscriptOptions,
} from './transcript.ts';
