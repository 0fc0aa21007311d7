export { type AskOptions, askModel } from './ask.ts';
export {
  isPromptTooLong,
  isThinkingRefused,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  type StreamModel,
  streamFailure,
  type ToolDefinition,
} from './model.ts';
export { makeStreamModel } from './stream-model.ts';
