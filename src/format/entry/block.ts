// The content of a message → typed blocks. A block is the parsed JSON value, and the set of types is open: a block that
// is not in the table, or lacks a required field, is kept as an `UnknownBlock`.
import { isArray, isObject, type JsonObject } from '../../base/json/json.ts';
import { keepsPromises, type Shape } from './fields.ts';

/** Known block types and their fields (see `fields.ts` for the marks). */
export const blockFields = {
  text: { text: 'string!', citations: 'array' },
  thinking: { thinking: 'string!', signature: 'string' },
  redacted_thinking: { data: 'string!' },
  tool_use: { id: 'string!', name: 'string!', input: 'object', caller: { type: 'string', tool_id: 'string' } },
  tool_result: { tool_use_id: 'string!', content: 'json', is_error: 'boolean' },
  image: { source: { type: 'string!', media_type: 'string', data: 'string', url: 'string', file_id: 'string' } },
  document: {
    source: {
      type: 'string!',
      media_type: 'string',
      data: 'string',
      url: 'string',
      file_id: 'string',
      content: 'json',
    },
    title: 'string',
    context: 'string',
    citations: 'object',
  },
  search_result: { source: 'string', title: 'string', content: 'array', citations: 'object' },
  tool_reference: { tool_name: 'string!' },
  server_tool_use: { id: 'string!', name: 'string!', input: 'object', caller: { type: 'string', tool_id: 'string' } },
  mcp_tool_use: { id: 'string!', name: 'string!', server_name: 'string', input: 'object' },
  mcp_tool_result: { tool_use_id: 'string!', content: 'json', is_error: 'boolean' },
  web_search_tool_result: { tool_use_id: 'string!', content: 'json' },
  web_fetch_tool_result: { tool_use_id: 'string!', content: 'json' },
  code_execution_tool_result: { tool_use_id: 'string!', content: 'json' },
  bash_code_execution_tool_result: { tool_use_id: 'string!', content: 'json' },
  text_editor_code_execution_tool_result: { tool_use_id: 'string!', content: 'json' },
  tool_search_tool_result: { tool_use_id: 'string!', content: 'json' },
  container_upload: { file_id: 'string!' },
  compaction: { content: 'json' },
  fallback: { from: { model: 'string' }, to: { model: 'string' } },
} as const;

/** The type of a content block that Clew knows. */
export type BlockType = keyof typeof blockFields;
/** A content block of one type. */
export type BlockOf<T extends BlockType> = { readonly type: T } & Shape<(typeof blockFields)[T]>;
/** A content block of a type that Clew knows. */
export type KnownBlock = { readonly [T in BlockType]: BlockOf<T> }[BlockType];
/** A content block of any other type. */
export type UnknownBlock = JsonObject;
/** A content block of a message. */
export type Block = KnownBlock | UnknownBlock;

/** A block with text. */
export type TextBlock = BlockOf<'text'>;
/** A block with the model's thinking, readable or redacted. */
export type ThinkingBlock = BlockOf<'thinking'> | BlockOf<'redacted_thinking'>;
/** A block that calls a tool. */
export type ToolUseBlock = BlockOf<'tool_use'>;
/** A block with the result of a tool call. */
export type ToolResultBlock = BlockOf<'tool_result'>;
/** A block with an image. */
export type ImageBlock = BlockOf<'image'>;
export type DocumentBlock = BlockOf<'document'>;
/** A call that the API runs and answers in the same message. */
export type ServerCallBlock = BlockOf<'server_tool_use'> | BlockOf<'mcp_tool_use'>;
export type ServerResultBlock = BlockOf<Exclude<BlockType & `${string}_tool_result`, 'tool_result'>>;

/**
 * Returns the blocks of a message's content. A string becomes one text block; items of an array that are not objects
 * are left out.
 */
export function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!isArray(content)) return [];
  return content.every(isObject) ? content : content.filter(isObject);
}

/** Returns the text of the text blocks. Tool results and thinking are not part of it. */
export function textOf(blocks: readonly Block[]): string {
  return blocks
    .filter(isText)
    .map((block) => block.text)
    .join('\n');
}

/** Whether it is a block of one of these types, with all required fields. */
export function isBlock<T extends BlockType>(block: Block, ...types: readonly T[]): block is BlockOf<T> {
  return types.some((type) => block.type === type && keepsPromises(block, blockFields[type]));
}

export function isKnownBlock(block: Block): block is KnownBlock {
  const { type } = block;
  return typeof type === 'string' && Object.hasOwn(blockFields, type) && isBlock(block, type as BlockType); // hasOwn
}

/** Checks whether a block is text. */
export function isText(block: Block): block is TextBlock {
  return isBlock(block, 'text');
}

/** Checks whether a block is thinking. */
export function isThinking(block: Block): block is ThinkingBlock {
  return isBlock(block, 'thinking', 'redacted_thinking');
}

/** Checks whether a block calls a tool. */
export function isToolUse(block: Block): block is ToolUseBlock {
  return isBlock(block, 'tool_use');
}

/** Checks whether a block is the result of a tool call. */
export function isToolResult(block: Block): block is ToolResultBlock {
  return isBlock(block, 'tool_result');
}

/** Checks whether a block is an image. */
export function isImage(block: Block): block is ImageBlock {
  return isBlock(block, 'image');
}

export function isDocument(block: Block): block is DocumentBlock {
  return isBlock(block, 'document');
}

export function isServerCall(block: Block): block is ServerCallBlock {
  return isBlock(block, 'server_tool_use', 'mcp_tool_use');
}

export function isServerResult(block: Block): block is ServerResultBlock {
  return isBlock(block, ...serverResultTypes);
}

const serverResultTypes: readonly ServerResultBlock['type'][] = [
  'mcp_tool_result',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
];
