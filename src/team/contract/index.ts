export { type Level, type LevelNumber, levelName, levelNumber, levels } from './level.ts';
export type { Hello, PushAnswer, PushTarget, RemoveAnswer } from './push-target.ts';
export type { StoredDocument, StoredFacts, StoredTitle } from './session-facts.ts';
export {
  type CallPathRow,
  type CallRow,
  type CellRow,
  type ExchangeRow,
  type Month,
  monthOf,
  noMonth,
  type PackRow,
  type PromptRow,
  packChunkBytes,
  type SessionHead,
  type SessionRows,
  type TextRow,
  type TitleRow,
  type TombstoneReason,
} from './session-rows.ts';
