// What is sent for one request to the model: the body with its cache marks, and the headers of its features.

import { isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { asksForLongContext, type Effort, takesEffortPerMessage } from '../../models/index.ts';
import { isBinding } from '../request/index.ts';
import type { ModelRequest } from './model.ts';
import { betas, type RequestFeatures } from './request-features.ts';

const markedMessages = 2;

export function requestBody(request: ModelRequest, features: RequestFeatures): JsonObject {
  const mark = markerOf(features);
  const tools = [...request.tools.map(toolBlock), ...(request.serverTools ?? [])];
  const thinking = thinkingOf(request, features);
  const { effort, changes } = effortOf(request, features);
  return {
    model: request.model.replace(/\[1m\]$/i, ''),
    max_tokens: request.maxTokens,
    ...(request.system.length === 0 ? {} : { system: mark(request.system.map(textBlock)) }),
    ...(tools.length === 0 ? {} : { tools: mark(tools) }),
    messages: withEffortChanges(markMessages(request.messages, mark), changes),
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
    ...(keepsThinking(request, features) ? { context_management: keepThinking } : {}),
    stream: true,
  };
}

/** Headers that a request needs in addition to its body. */
export function requestHeaders(request: ModelRequest, features: RequestFeatures): Readonly<Record<string, string>> {
  const { effort, changes } = effortOf(request, features);
  const isThinking = isThinkingOn(request);
  const used: readonly (readonly [feature: keyof typeof betas, isUsed: boolean])[] = [
    ['thinking-controls', features.has('thinking-controls') && request.thinking?.type !== 'disabled'],
    ['interleaved-thinking', isThinking && features.has('interleaved-thinking')],
    ['context-management', keepsThinking(request, features)],
    ['effort', effort !== undefined],
    ['effort-per-message', changes.length > 0],
    ['long-cache', features.cacheMark?.ttl !== undefined],
  ];
  const values = new Set([
    ...used.filter(([, isUsed]) => isUsed).map(([feature]) => betas[feature]),
    ...(asksForLongContext(request.model) ? ['context-1m-2025-08-07'] : []),
    ...(request.betas ?? []),
  ]);
  return values.size === 0 ? {} : { 'anthropic-beta': [...values].join(',') };
}

function isThinkingOn({ thinking }: ModelRequest): boolean {
  return thinking?.type === 'adaptive' || thinking?.type === 'enabled';
}

function thinkingOf({ model, thinking }: ModelRequest, features: RequestFeatures): JsonObject | undefined {
  const binding = features.has('thinking-controls') && isBinding(model) ? dropUnfit : {};
  if (!features.has('thinking') || thinking === undefined) return undefined;
  if (thinking.type === 'disabled') return { ...thinking };
  const { display, ...plain } = thinking;
  return { ...plain, ...(features.has('thinking-display') ? { display } : {}), ...binding };
}

const dropUnfit: JsonObject = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };

/** Otherwise the API leaves out the thinking of earlier turns of some models, and its prompt cache does not fit. */
const keepThinking: JsonObject = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] };

function keepsThinking(request: ModelRequest, features: RequestFeatures): boolean {
  return isThinkingOn(request) && features.has('thinking') && features.has('context-management');
}

interface SentEffort {
  readonly effort: Effort | undefined;
  readonly changes: NonNullable<ModelRequest['effortChanges']>;
}

/** A change of the field invalidates the cached messages; a change in a message does not. */
function effortOf({ model, effort, firstEffort, effortChanges }: ModelRequest, features: RequestFeatures): SentEffort {
  if (!features.has('effort') || effort === undefined) return { effort: undefined, changes: [] };
  if (!takesEffortPerMessage(model) || !features.has('effort-per-message')) return { effort, changes: [] };
  return { effort: firstEffort ?? effort, changes: effortChanges ?? [] };
}

function withEffortChanges(messages: readonly JsonValue[], changes: SentEffort['changes']): readonly JsonValue[] {
  if (changes.length === 0) return messages;
  const byMessage = new Map(changes.map(({ afterMessage, effort }) => [afterMessage, effort]));
  return messages.flatMap((message, i) => {
    const effort = byMessage.get(i);
    return effort === undefined ? [message] : [message, { role: 'system', content: [], output_config: { effort } }];
  });
}

function toolBlock({ name, description, inputSchema }: ModelRequest['tools'][number]): JsonObject {
  return { name, description, input_schema: inputSchema };
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

type Mark = (blocks: readonly JsonObject[]) => readonly JsonObject[];

/** Marks the last block that can be marked: the API refuses a mark on thinking and on empty text. */
function markerOf({ cacheMark }: RequestFeatures): Mark {
  if (cacheMark === undefined) return (blocks) => blocks;
  return (blocks) => {
    const at = blocks.findLastIndex(canBeMarked);
    return blocks.map((block, i) => (i === at ? { ...block, cache_control: cacheMark } : block));
  };
}

function markMessages(messages: ModelRequest['messages'], mark: Mark): readonly JsonValue[] {
  return messages.map(({ role, content }, i) => {
    const blocks = typeof content === 'string' ? [textBlock(content)] : content;
    return { role, content: i < messages.length - markedMessages ? blocks : mark(blocks) };
  });
}

function canBeMarked(block: JsonObject): boolean {
  if (!isObject(block) || block.type === 'thinking' || block.type === 'redacted_thinking') return false;
  return block.type !== 'text' || (typeof block.text === 'string' && block.text !== '');
}
