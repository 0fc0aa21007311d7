export {
  hasThinking,
  holdsBoundThinking,
  type JudgedThinking,
  type LineOrigin,
  placesOf,
  type SourcePlace,
  type ThinkingRule,
  type TrimRule,
  unfitThinking,
} from './bound-thinking.ts';
export {
  describeDifference,
  isBeginning,
  leanRequest,
  leanTrace,
  madeNode,
  openRoundOf,
  outlineOf,
  pinnedRequest,
  pinTo,
  refuseOpenRound,
  requestWithin,
  resumedLines,
  type SentBlock,
  sentBlocks,
  thinkingKey,
} from './request.ts';
export { lookAtResume, type ResumeLook } from './resume-look.ts';
export { type SentMessages, sentMessages } from './sent-messages.ts';
