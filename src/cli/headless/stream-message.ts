// Converts agent events to the messages of `--output-format stream-json`, in the format of Claude Code's Agent SDK.
// Session lines keep their uuid and their message.
import { randomUUID } from 'node:crypto';
import type { AgentEvent, Compacted, RetryPlanned, SessionOpened } from '../../agent/contract/event.ts';
import { blockBody, failureBody, interruptedBody, promptBody, resultBody } from '../../agent/session/entries.ts';
import type { JsonObject } from '../../base/json/json.ts';

export interface MessageChoice {
  readonly withParts: boolean;
  /** Also the prompts, which the reader of the stream knows already. */
  readonly withPrompts: boolean;
  /** The variable that the key came from. */
  readonly keySource: string;
}

/** Returns `undefined` for an event without a message. */
export function messageOf(event: AgentEvent, sessionId: string, choice: MessageChoice): JsonObject | undefined {
  const parent = event.agent?.parentCallId ?? null;
  const common = { parent_tool_use_id: parent, session_id: sessionId };
  switch (event.type) {
    case 'session-opened':
      return { ...initMessage(event, choice.keySource), session_id: sessionId, uuid: randomUUID() };
    case 'prompt': {
      if (event.isSituation || (!event.isMeta && parent === null && !choice.withPrompts)) return undefined;
      const { message } = promptBody(event, 'default');
      return { type: 'user', message, ...common, uuid: event.uuid, ...(event.isMeta ? { isSynthetic: true } : {}) };
    }
    case 'block':
      return { type: 'assistant', message: blockBody(event).message, ...common, uuid: event.uuid };
    case 'result': {
      const { message } = resultBody(event, true);
      const { stored } = event.outcome;
      return { type: 'user', message, ...common, uuid: event.uuid, tool_use_result: stored };
    }
    case 'interrupted':
      return { type: 'user', message: interruptedBody(event).message, ...common, uuid: event.uuid };
    case 'request-failed': {
      const { message, error } = failureBody(event);
      return { type: 'assistant', message, ...common, uuid: event.uuid, error };
    }
    case 'part':
      return choice.withParts ? { type: 'stream_event', event: event.raw, ...common, uuid: randomUUID() } : undefined;
    case 'retry':
      return { ...retryMessage(event), ...common, uuid: event.uuid };
    case 'compacting':
      return { type: 'system', subtype: 'status', status: 'compacting', session_id: sessionId, uuid: randomUUID() };
    case 'compacted':
      return compactedMessage(event, sessionId);
    default:
      return undefined;
  }
}

function initMessage(event: SessionOpened, keySource: string): JsonObject {
  return {
    type: 'system',
    subtype: 'init',
    cwd: event.cwd,
    tools: event.tools,
    mcp_servers: event.mcpServers.map(({ name, status }) => ({ name, status })),
    model: event.model,
    permissionMode: event.mode,
    slash_commands: event.commands,
    agents: event.agents,
    apiKeySource: keySource,
  };
}

function retryMessage({ attempt, maxRetries, delayMs, error }: RetryPlanned): JsonObject {
  return {
    type: 'system',
    subtype: 'api_retry',
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: error.status ?? null,
    error: error.kind,
    error_message: error.message,
  };
}

function compactedMessage({ trigger, preTokens, result }: Compacted, sessionId: string): JsonObject {
  const common = { session_id: sessionId, type: 'system' };
  if ('problem' in result)
    return { ...common, subtype: 'status', status: null, compact_error: result.problem, uuid: randomUUID() };
  return {
    ...common,
    subtype: 'compact_boundary',
    compact_metadata: { trigger, pre_tokens: preTokens },
    uuid: result.boundaryUuid,
  };
}
