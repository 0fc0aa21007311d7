export {
  attachedMessage,
  attachedPrompt,
  deliveredAt,
  findQueuedPrompts,
  promptsWithoutLine,
  type QueuedPrompt,
  typedDuring,
} from './queue.ts';
export { hasFailed, resultBlocks, type ToolCall, toolCallsOf } from './tool-calls.ts';
export { countTurns, type Message, messagesOf, type Turn, turnPromptText, turnStarts, turnsOf } from './turns.ts';
