export { type Answer, type Asking, answerLater, answerNow, ask } from './asking.ts';
export { comparePaths, DocumentReader, type DocumentRow, documentColumns, documentRow } from './document.ts';
export {
  filesOf,
  type HitSession,
  kindsOfRole,
  type Scope,
  type SearchFilter,
  scopeOf,
  sessionIds,
  sessionOf,
  touchedCondition,
} from './filter.ts';
export { indexable, innerWords, parseWords, quotePhrase, type WordQuery } from './query.ts';
export { bestMark, type Mark, makeSnippet, markPattern, markTerms, type SnippetPiece } from './snippet.ts';
export { type LineText, leafText, type TextKind, textsOfLine } from './text-extract.ts';
export { isNamedAnywhere, type TouchingTranscript, transcriptsNaming, transcriptsTouching } from './touching.ts';
