// Single blocks of a turn: the id of a call, its result, and the key that recognizes a repeated block.
import { asObject, asString, type JsonObject } from '../../base/json/json.ts';
import { type Block, isServerCall, isToolUse } from '../../format/entry/block.ts';
import type { TraceCompaction } from '../span/span.ts';
import type { TraceLine } from './trace-line.ts';
import type { TraceResult } from './turn.ts';

export function resultOf(line: TraceLine, block: JsonObject): TraceResult {
  const report = asObject((line.entry as { readonly toolUseResult?: unknown }).toolUseResult);
  return {
    timeMs: line.timeMs,
    content: block.content,
    isError: block.is_error === true,
    agentId: asString(report?.agentId) ?? asString(report?.agent_id),
    isBackground: report?.isAsync === true,
  };
}

export function compactionOf({ entry, timeMs }: TraceLine): TraceCompaction {
  const metadata = asObject((entry as { readonly compactMetadata?: unknown }).compactMetadata);
  const preTokens = metadata?.preTokens;
  return {
    timeMs,
    trigger: asString(metadata?.trigger),
    preTokens: typeof preTokens === 'number' && Number.isFinite(preTokens) ? preTokens : undefined,
  };
}

export function callId(block: Block): string | undefined {
  return isToolUse(block) || isServerCall(block) ? block.id : undefined;
}

export function serverCalls(blocks: readonly Block[]): readonly string[] {
  return blocks.filter(isServerCall).map((block) => block.id);
}

export function blockKey(block: Block): string {
  const id = callId(block);
  if (id !== undefined) return `call ${id}`;
  const { text, thinking, data, tool_use_id } = block as JsonObject;
  const texts = [text, thinking, data, tool_use_id].map(asString);
  const said = texts.find((each) => each !== undefined && each !== '');
  // A block without any content to compare is never a copy.
  return said === undefined ? `new ${unnamed++}` : `${String(block.type)} ${said}`;
}

let unnamed = 0;
