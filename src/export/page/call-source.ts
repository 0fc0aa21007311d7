// One tool call with all that the transcript says of it, read once, for the builders of its view.
import { asObject, asString, type JsonObject, type JsonValue } from '../../base/json.ts';
import { type Block, blocksOf, isToolResult, type ToolUseBlock } from '../../format/block.ts';
import { contentOf, type Entry } from '../../format/entry.ts';
import { resultText } from '../../session/call-result.ts';
import type { Node } from '../../session/node.ts';
import type { ToolCall } from '../../session/tool-calls.ts';
import { contentKeys, cutText, refTo, textChars } from './text.ts';
import type { Ref, Text } from './view.ts';

export interface CallSource {
  readonly call: ToolCall;
  readonly input: JsonObject;
  /** Where the input stands. */
  readonly inputKeys: readonly (string | number)[];
  /** The blocks of the result, and where they stand. */
  readonly blocks: readonly Block[];
  readonly blockKeys: readonly (string | number)[];
  /** The text of the result, without the tags of an error. */
  readonly output: string;
  /** What the client keeps beside the result; nothing where one line holds the results of several calls. */
  readonly stored: JsonValue | undefined;
}

export function readCall(
  call: ToolCall,
  block: ToolUseBlock,
  blockIndex: number,
  read: (node: Node) => Entry,
): CallSource {
  const entry = call.result === undefined ? {} : read(call.result);
  const content = contentOf(entry);
  const at = content.findIndex((each) => isToolResult(each) && each.tool_use_id === call.id);
  const result = content[at];
  const blocks = result !== undefined && isToolResult(result) ? blocksOf(result.content) : [];
  const isAlone = content.filter(isToolResult).length === 1;
  return {
    call,
    input: asObject(block.input) ?? {},
    inputKeys: [...contentKeys(read(call.node)), blockIndex, 'input'],
    blocks,
    blockKeys: [...contentKeys(entry), at, 'content'],
    output: resultText(blocks).replace(/<\/?tool_use_error>/g, ''),
    stored: isAlone ? (entry as JsonObject).toolUseResult : undefined,
  };
}

/** A text of the input. */
export function inputText(source: CallSource, key: string, maxChars: number = textChars.output): Text {
  return cutText(asString(source.input[key]) ?? '', maxChars, inputRef(source, key));
}

export function inputRef({ call, inputKeys }: CallSource, ...keys: readonly (string | number)[]): Ref {
  return refTo(call.node, ...inputKeys, ...keys);
}

/** What the model was told. */
export function outputText(source: CallSource, text: string = source.output): Text {
  return cutText(text, textChars.output, outputRef(source));
}

export function outputRef({ call, blockKeys }: CallSource): Ref | null {
  return call.result === undefined ? null : refTo(call.result, ...blockKeys);
}

/** A text of `toolUseResult`. */
export function storedText({ call }: CallSource, text: string, ...keys: readonly (string | number)[]): Text {
  return cutText(
    text,
    textChars.output,
    call.result === undefined ? null : refTo(call.result, 'toolUseResult', ...keys),
  );
}

export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A short text of the transcript: names, paths, headings. */
export function shortText(value: unknown, maxChars = 500): string | null {
  const text = asString(value);
  if (text === undefined) return null;
  return cutText(text, maxChars, null).text;
}
