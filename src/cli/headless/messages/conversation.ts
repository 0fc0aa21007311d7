// Events of the conversation → `assistant`, `user` and `stream_event` messages. A message that is a line of the session
// has its uuid.
import { randomUUID } from 'node:crypto';
import { type AgentEvent, errorNameOf } from '../../../agent/contract/index.ts';
import { blockBody, failureBody, interruptedBody, promptBody, resultBody } from '../../../agent/session/index.ts';
import { asObject, isArray, isObject, type JsonObject } from '../../../base/json/index.ts';
import { answerUsage, syntheticUsage } from './usage.ts';

type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: T }>;

/** What every message of a conversation has. */
export type Common = JsonObject & { readonly parent_tool_use_id: string | null; readonly session_id: string };

/** `usage`: that of the answer's first block, which all blocks of an answer repeat. */
export function assistantMessage(event: EventOf<'block'>, usage: JsonObject, common: Common): JsonObject {
  const { requestId } = event.message;
  return {
    type: 'assistant',
    message: {
      ...asObject(blockBody(event).message),
      content: [typedBlock(event.block)],
      // The answer continues, and its end is known only later.
      stop_reason: null,
      stop_details: null,
      usage: answerUsage(usage),
      container: null,
      context_management: null,
      diagnostics: null,
    },
    ...common,
    uuid: event.uuid,
    timestamp: event.at.toISOString(),
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
}

export function failedMessage(event: EventOf<'request-failed'>, common: Common): JsonObject {
  const { error } = event;
  const message = asObject(failureBody(event).message);
  return {
    ...syntheticMessage(message?.content ?? [], 'stop_sequence', common, event.uuid, event.at),
    error: errorNameOf(error),
    ...(error.requestId === undefined ? {} : { request_id: error.requestId }),
    is_api_error_message: true,
    ...(error.status === undefined ? {} : { api_error_status: error.status, api_error_type: error.kind }),
  };
}

/** A message that no model wrote. */
export function syntheticMessage(
  content: JsonObject['content'],
  stopReason: string,
  common: Common,
  uuid: string,
  at: Date,
): JsonObject {
  return {
    type: 'assistant',
    message: {
      id: randomUUID(),
      type: 'message',
      role: 'assistant',
      model: '<synthetic>',
      content: isArray(content) ? content.filter(isObject).map(typedBlock) : content,
      stop_reason: stopReason,
      stop_sequence: stopReason === 'stop_sequence' ? '' : null,
      stop_details: null,
      usage: syntheticUsage,
      container: null,
      context_management: null,
      diagnostics: null,
    },
    ...common,
    uuid,
    timestamp: at.toISOString(),
  };
}

/** The API leaves out the citations of a text that has none; the types require them. */
function typedBlock(block: JsonObject): JsonObject {
  return block.type === 'text' ? { citations: null, ...block } : block;
}

/** `isReplay`: the reader of the stream wrote it. */
export function promptMessage(event: EventOf<'prompt'>, isReplay: boolean, common: Common): JsonObject {
  const { role, content } = asObject(promptBody(event, 'default').message) ?? {};
  // The client prints the prompt of a sub-agent, and what makes a turn continue, as a block.
  const isBlock = (event.agent !== undefined || event.isFeedback === true) && typeof content === 'string';
  return {
    type: 'user',
    message: { role: role ?? 'user', content: isBlock ? [{ type: 'text', text: content }] : (content ?? '') },
    ...common,
    uuid: event.uuid,
    timestamp: event.at.toISOString(),
    ...(event.isMeta ? { isSynthetic: true } : {}),
    ...(isReplay ? { isReplay: true } : {}),
  };
}

export function resultMessage(event: EventOf<'result'>, common: Common): JsonObject {
  return {
    type: 'user',
    message: resultBody(event, true).message,
    ...common,
    uuid: event.uuid,
    timestamp: event.at.toISOString(),
    // The client leaves it out for what a sub-agent's call returned, but not for its failures.
    ...(event.agent === undefined || event.outcome.isError ? { tool_use_result: event.outcome.stored } : {}),
  };
}

export function interruptedMessage(event: EventOf<'interrupted'>, common: Common): JsonObject {
  return {
    type: 'user',
    message: interruptedBody(event).message,
    ...common,
    uuid: event.uuid,
    timestamp: event.at.toISOString(),
  };
}

export function partMessage(event: EventOf<'part'>, startedMs: number | undefined, common: Common): JsonObject {
  const isStart = event.raw.type === 'message_start' && startedMs !== undefined;
  return {
    type: 'stream_event',
    event: event.raw,
    ...common,
    uuid: randomUUID(),
    ...(isStart ? { ttft_ms: Math.max(0, event.at.getTime() - startedMs) } : {}),
  };
}
