// Builds the body of POST /v1/messages, with prompt cache marks on the last tool, the last system block and the last
// block of the two newest messages. Between two requests of a conversation only the marks move; the bytes before a mark
// stay, or the cache would never be read.
import { isObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { modelFactsOf } from '../../models/facts.ts';
import { asksForLongContext } from '../../models/model-name.ts';
import { bindingBeta, isBinding } from '../request/thinking-binding.ts';
import type { ModelRequest } from './model.ts';

const mark = { type: 'ephemeral' } as const;
const markedMessages = 2;
const smallestThinkingTokens = 1024;
/** Left for the answer if thinking would use the whole limit. */
const smallestAnswerTokens = 1024;

/** The thinking options that the endpoint supports. */
export interface ThinkingControls {
  readonly hasReport: boolean;
  /** Asks the endpoint to drop mismatched thinking instead of refusing the request. */
  readonly dropsUnfit: boolean;
}

export const noControls: ThinkingControls = { hasReport: false, dropsUnfit: false };

export function requestBody(request: ModelRequest, controls: ThinkingControls = noControls): JsonObject {
  const tools = [...request.tools.map(toolBlock), ...(request.serverTools ?? [])];
  const thinking = thinkingOf(request, controls);
  return {
    model: request.model.replace(/\[1m\]$/i, ''),
    max_tokens: request.maxTokens,
    ...(request.system.length === 0 ? {} : { system: markLast(request.system.map(textBlock)) }),
    ...(tools.length === 0 ? {} : { tools: markLast(tools) }),
    messages: markMessages(request.messages),
    ...(thinking === undefined ? {} : { thinking }),
    stream: true,
  };
}

/** Headers that a request needs in addition to its body. */
export function requestHeaders(
  request: ModelRequest,
  controls: ThinkingControls = noControls,
): Readonly<Record<string, string>> {
  const betas = [
    ...(controls.hasReport ? [bindingBeta] : []),
    ...(asksForLongContext(request.model) ? ['context-1m-2025-08-07'] : []),
    ...(thinkingOf(request)?.type === 'enabled' ? ['interleaved-thinking-2025-05-14'] : []),
  ];
  return betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') };
}

function thinkingOf(request: ModelRequest, controls: ThinkingControls = noControls): JsonObject | undefined {
  const { model, thinkingTokens, maxTokens } = request;
  const facts = modelFactsOf(model);
  const binding = controls.dropsUnfit && isBinding(model) ? dropUnfit : {};
  if (thinkingTokens === undefined || thinkingTokens <= 0) {
    const thinksAnyway = facts?.thinkingDefault === 'always' || facts?.thinkingDefault === 'on';
    return thinksAnyway && binding === dropUnfit ? { type: 'adaptive', ...binding } : undefined;
  }
  switch (facts?.thinking) {
    case 'adaptive':
      return { type: 'adaptive', display: 'summarized', ...binding };
    case 'budget': {
      const budget = Math.min(thinkingTokens, maxTokens - smallestAnswerTokens);
      return budget < smallestThinkingTokens ? undefined : { type: 'enabled', budget_tokens: budget, ...binding };
    }
    default:
      return undefined;
  }
}

const dropUnfit: JsonObject = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };

function toolBlock({ name, description, inputSchema }: ModelRequest['tools'][number]): JsonObject {
  return { name, description, input_schema: inputSchema };
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

function markMessages(messages: ModelRequest['messages']): readonly JsonValue[] {
  return messages.map(({ role, content }, i) => {
    const blocks = typeof content === 'string' ? [textBlock(content)] : content;
    return { role, content: i < messages.length - markedMessages ? blocks : markLast(blocks) };
  });
}

/** The last block that can be marked: the API refuses a mark on thinking and on empty text. */
function markLast(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const at = blocks.findLastIndex(canBeMarked);
  return blocks.map((block, i) => (i === at ? { ...block, cache_control: mark } : block));
}

function canBeMarked(block: JsonObject): boolean {
  if (!isObject(block) || block.type === 'thinking' || block.type === 'redacted_thinking') return false;
  return block.type !== 'text' || (typeof block.text === 'string' && block.text !== '');
}
