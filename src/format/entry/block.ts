// The content of a message → typed blocks. A block is the parsed JSON value, and the set of types is open: a block that
// is not in the table, or lacks a required field, is kept as an `UnknownBlock`.
import { isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';

/** The static type of a table: required fields as they are, all others optional and unchecked, unknown keys allowed. */
export type Shape<F extends Fields> = {
  readonly [K in keyof F as IsPromised<F[K]> extends true ? K : never]: Promised<F[K]>;
} & {
  readonly [K in keyof F as IsPromised<F[K]> extends true ? never : K]?: Claimed<F[K]>;
};

/** A table: key → kind, or a nested table, which is required if it has a required field. */
export interface Fields {
  readonly [key: string]: Kind | `${Kind}!` | Fields;
}

export type Kind = keyof Kinds;
interface Kinds {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly strings: readonly string[];
  readonly array: readonly JsonValue[];
  readonly object: JsonObject;
  readonly json: JsonValue;
}

declare const odd: unique symbol;
/**
 * What a field that Clew does not check may hold instead of its expected type. It has no members, so the value must be
 * checked first.
 */
export interface Odd extends JsonObject {
  readonly [odd]: never;
}

type IsPromised<F> = F extends string
  ? F extends `${Kind}!`
    ? true
    : false
  : true extends { [K in keyof F]: IsPromised<F[K]> }[keyof F]
    ? true
    : false;

type Promised<F> = F extends `${infer K extends Kind}!` ? Kinds[K] : F extends Fields ? Shape<F> : never;

// A nested table needs no `Odd`: all its fields are optional, and reading a field of any JSON value but null is safe.
type Claimed<F> = F extends Kind ? Kinds[F] | Odd | null : F extends Fields ? Shape<F> | null : never;

/** Whether `value` has every required field of the table, in the right kind. */
export function keepsPromises<F extends Fields>(value: unknown, fields: F): value is Shape<F> & JsonObject {
  if (!isObject(value)) return false;
  for (const key in fields) {
    const field = fields[key] as Fields[string]; // a key of the table itself
    if (typeof field === 'string' ? !keepsKind(value[key], field) : !keepsNested(value[key], field)) return false;
  }
  return true;
}

function keepsKind(value: unknown, field: string): boolean {
  return !field.endsWith('!') || isOfKind(value, field.slice(0, -1) as Kind); // the table's type leaves only a kind
}

function keepsNested(value: unknown, fields: Fields): boolean {
  return isObject(value) ? keepsPromises(value, fields) : !promisesAnything(fields);
}

function promisesAnything(fields: Fields): boolean {
  return Object.values(fields).some((field) =>
    typeof field === 'string' ? field.endsWith('!') : promisesAnything(field),
  );
}

export function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === kind;
    case 'strings':
      return isArray(value) && value.every((element) => typeof element === 'string');
    case 'array':
      return isArray(value);
    case 'object':
      return isObject(value);
    case 'json':
      return value !== undefined;
  }
  return kind satisfies never;
}

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
