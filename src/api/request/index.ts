export {
  decodedByteLength,
  type ImageSize,
  type ImageType,
  isCutSignature,
  readImageSize,
  readImageType,
} from './image-size.ts';
export { estimateTextTokens, jsonByteLength } from './json-size.ts';
export {
  type BlockView,
  blocksOfType,
  type CheckableRequest,
  type ImageView,
  type MessageView,
  type Place,
  type RequestView,
  viewRequest,
} from './request-view.ts';
export { newTokenizerFactor, textTokens } from './text-tokens.ts';
export {
  bindingBeta,
  hasThinkingBudget,
  isBinding,
  loadedTools,
  type SentBlock,
  sentBlocks,
  shortHash,
  systemHash,
  thinkingId,
  toolsHash,
} from './thinking-prefix.ts';
