export { UsedIds } from './conversation.ts';
export { blockBody, failureBody, interruptedBody, promptBody, resultBody } from './entries.ts';
export { PromptKeeper, type PromptSource } from './frozen-prompt.ts';
export { type OpenSession, openSession } from './open-session.ts';
export { previewRewind, rewind, rewindPoints, typedPrompts } from './rewind.ts';
export {
  fitThinking,
  hasThinking,
  markOf,
  type PrefixMark,
  type ThinkingMarks,
  withEffortHistory,
  withoutThinking,
} from './thinking.ts';
export { entrypointOf } from './turn-facts.ts';
