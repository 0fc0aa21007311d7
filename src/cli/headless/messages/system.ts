// Events next to the conversation → `system` messages: retries, compactions, refused calls, hooks, thinking.
import { randomUUID } from 'node:crypto';
import {
  type CallFinished,
  type Compacted,
  type ModelSwitched,
  type RetryPlanned,
  retryNameOf,
} from '../../../agent/contract/index.ts';
import type { JsonObject } from '../../../base/json/index.ts';

export function systemMessage(subtype: string, sessionId: string, fields: JsonObject): JsonObject {
  return { type: 'system', subtype, ...fields, session_id: sessionId, uuid: randomUUID() };
}

export function switchMessage({ uuid, trigger, from, to, text }: ModelSwitched, sessionId: string): JsonObject {
  const models = { original_model: from, fallback_model: to };
  return { type: 'system', subtype: 'model_fallback', uuid, trigger, ...models, content: text, session_id: sessionId };
}

export function retryMessage(event: RetryPlanned, sessionId: string): JsonObject {
  const { attempt, maxRetries, delayMs, error } = event;
  return systemMessage('api_retry', sessionId, {
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: error.status ?? null,
    error: retryNameOf(error),
    error_message: error.message,
  });
}

/** `durationMs`: since the compaction began. */
export function compactedMessages(event: Compacted, durationMs: number, sessionId: string): readonly JsonObject[] {
  const { trigger, preTokens, result } = event;
  const status = (fields: JsonObject): JsonObject => systemMessage('status', sessionId, { status: null, ...fields });
  if ('problem' in result) return [status({ compact_result: 'failed', compact_error: result.problem })];
  return [
    status({ compact_result: 'success' }),
    {
      ...systemMessage('compact_boundary', sessionId, {
        compact_metadata: { trigger, pre_tokens: preTokens, duration_ms: durationMs },
      }),
      uuid: result.boundaryUuid,
    },
    {
      type: 'user',
      message: { role: 'user', content: result.summary },
      session_id: sessionId,
      parent_tool_use_id: null,
      uuid: result.summaryUuid,
      isSynthetic: true,
    },
  ];
}

/** A rule, or nobody to ask, refused the call. */
export function deniedMessage(
  { call, outcome }: CallFinished,
  agentId: string | undefined,
  sessionId: string,
): JsonObject {
  return systemMessage('permission_denied', sessionId, {
    tool_name: call.name,
    tool_use_id: call.id,
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    message: typeof outcome.content === 'string' ? outcome.content : 'the call was refused',
  });
}
