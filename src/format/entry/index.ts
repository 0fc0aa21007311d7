export {
  type Block,
  blocksOf,
  isBlock,
  isDocument,
  isImage,
  isServerCall,
  isServerResult,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  type ToolUseBlock,
  textOf,
} from './block.ts';
export { asEntry, contentOf, type Entry, roleOf } from './entry.ts';
export { entryFields } from './entry-fields.ts';
export { type Hunk, isHunk, isTodo } from './tool-result.ts';
export {
  addUsage,
  billedTokens,
  makeUsage,
  noUsage,
  readCompactions,
  readUsage,
  sumOfTokens,
  type TokenCounts,
  tokenCount,
  type Usage,
  windowTokensOf,
} from './usage.ts';
