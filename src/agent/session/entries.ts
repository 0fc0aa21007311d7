// Events → the bodies of their lines, in the format of client 2.1.45. The writer adds what all lines share: parent,
// folder, version and time.

import { randomUUID } from 'node:crypto';
import type { ModelFailure } from '../../api/client/index.ts';
import type { JsonObject, JsonValue } from '../../base/json/index.ts';
import { version as clewVersion } from '../../base/version/index.ts';
import { blocksOf, textOf } from '../../format/entry/index.ts';
import { syntheticModel, texts } from '../../session/resume/client/index.ts';
import { resultFor } from '../../session/resume/messages/index.ts';
import {
  type AgentMark,
  type BlockFinished,
  type CallFinished,
  type CallProgressed,
  type Compacted,
  failureText,
  type HookRan,
  type Interrupted,
  type ModelSwitched,
  type PermissionMode,
  type PromptGiven,
  type RequestFailed,
  type RetryPlanned,
  type ThinkingReported,
} from '../contract/index.ts';
import type { LineMoment } from './transcript-writer.ts';
import type { PromptFacts } from './turn-facts.ts';

/** The format of a real client that all others from 1.0.57 to 2.1.325 resume in the same way. */
export const formatVersion = '2.1.45';

export interface EnvelopeOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly gitBranch: string;
  readonly slug: string;
  readonly entrypoint?: string | undefined;
  readonly agentId?: string;
}

export function envelopeOf({ sessionId, cwd, gitBranch, slug, entrypoint, agentId }: EnvelopeOptions): JsonObject {
  return {
    isSidechain: agentId !== undefined,
    userType: 'external',
    ...(entrypoint === undefined ? {} : { entrypoint }),
    cwd,
    sessionId,
    version: formatVersion,
    gitBranch,
    ...(agentId === undefined ? {} : { agentId }),
    slug,
    // Shows who wrote the line; no client reads it.
    writtenBy: `clew ${clewVersion}`,
  };
}

/** What the lines of a turn and of a sub-agent share. */
export interface LineFacts {
  readonly promptId?: string;
  /** The type of the sub-agent that writes the line. */
  readonly agentType?: string | undefined;
}

export function promptBody(
  { content, isMeta }: PromptGiven,
  mode: PermissionMode | undefined,
  { promptId, turn = {} }: Partial<PromptFacts> = {},
): JsonObject {
  return {
    ...given('promptId', promptId),
    type: 'user',
    message: { role: 'user', content },
    ...(isMeta ? { isMeta: true } : given('permissionMode', mode)),
    ...turn,
  };
}

function given(name: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

export function blockBody(event: BlockFinished, { agentType }: LineFacts = {}): JsonObject {
  const { message, block, stopReason, usage, index, streamMs, isAborted } = event;
  return {
    message: {
      model: message.model,
      id: message.id,
      type: 'message',
      role: 'assistant',
      content: [block],
      stop_reason: stopReason,
      stop_sequence: null,
      usage,
    },
    ...(block.type === 'tool_use' ? given('toolInputStreamMs', streamMs) : {}),
    ...(block.type === 'thinking' ? given('thinkingDurationMs', streamMs) : {}),
    ...given('apiBlockIndex', index),
    ...given('requestId', message.requestId),
    ...given('requestedModel', message.requestedModel),
    ...given('effort', message.effort),
    ...given('attributionAgent', agentType),
    ...(isAborted === true ? { isAbortedMidStream: true } : {}),
    ...(message.prefix === undefined ? {} : { clewPrefix: message.prefix }),
    type: 'assistant',
    madeBy: 'model',
  };
}

/** Sub-agents' files contain no `toolUseResult` since 2.1.29. */
export function resultBody(event: CallFinished, isSidechain: boolean, { promptId }: LineFacts = {}): JsonObject {
  const { call, callUuid, outcome, permission, refused } = event;
  const denial = refused === undefined ? undefined : denialKinds[refused];
  const block = {
    tool_use_id: call.id,
    type: 'tool_result',
    content: outcome.content,
    ...(outcome.isError ? { is_error: true } : {}),
  };
  return {
    ...given('promptId', promptId),
    type: 'user',
    message: { role: 'user', content: [block] },
    ...(isSidechain ? {} : { toolUseResult: outcome.stored }),
    ...given('toolDenialKind', permission?.source === 'user_reject' ? 'user-rejected' : denial),
    ...given('sandboxed', outcome.isSandboxed),
    sourceToolAssistantUUID: callUuid,
    ...(permission === undefined ? {} : { permissionDecision: { ...permission } }),
  };
}

/** A call with a wrong input was not denied. */
const denialKinds = {
  permission: 'permission-rule',
  hook: 'permission-rule',
  interrupted: 'user-rejected',
  input: undefined,
};

/** As client 2.1.260 and later write it: no client sends the thinking before it again. */
export function strippedBody(): JsonObject {
  return { type: 'attachment', attachment: { type: 'thinking_stripped', scope: 'all' } };
}

/** A private note about thinking that the API hid from the model. */
export function reportLine({ message, entries }: ThinkingReported, { timestamp }: LineMoment): JsonObject {
  const { id, model, requestId } = message;
  return {
    type: 'clew-thinking-drop',
    messageId: id,
    model,
    ...(requestId === undefined ? {} : { requestId }),
    entries,
    timestamp,
  };
}

export interface OpenCall {
  readonly id: string;
  /** The line of the call, if it has a uuid. */
  readonly callUuid: string | undefined;
}

/** The client's text for a call whose result was never written. */
export function lostResultBody({ id, callUuid }: OpenCall, promptId: string): JsonObject {
  return {
    promptId,
    type: 'user',
    message: { role: 'user', content: [resultFor(id, texts.interrupted)] },
    toolUseResult: `Error: ${texts.interrupted}`,
    ...(callUuid === undefined ? {} : { sourceToolAssistantUUID: callUuid }),
  };
}

/** The client's answer for a conversation that ended with the user, so that the next prompt is a separate message. */
export function unansweredBody(): JsonObject {
  return {
    type: 'assistant',
    message: {
      id: randomUUID(),
      model: syntheticModel,
      role: 'assistant',
      stop_reason: 'stop_sequence',
      stop_sequence: '',
      type: 'message',
      usage: noUsage,
      content: [{ type: 'text', text: texts.noResponse }],
    },
    isApiErrorMessage: false,
    madeBy: 'other',
  };
}

export function interruptedBody({ during }: Interrupted, { promptId }: LineFacts = {}): JsonObject {
  const text = during === 'tool' ? '[Request interrupted by user for tool use]' : '[Request interrupted by user]';
  const message = { role: 'user', content: [{ type: 'text', text }] };
  return { ...given('promptId', promptId), type: 'user', message };
}

export function retryBody({ attempt, maxRetries, delayMs, error }: RetryPlanned): JsonObject {
  return {
    type: 'system',
    subtype: 'api_error',
    level: 'error',
    error: errorBody(error),
    retryInMs: delayMs,
    retryAttempt: attempt,
    maxRetries,
  };
}

/** As client 2.1.325 writes it. */
export function switchBody({ trigger, from, to, text }: ModelSwitched): JsonObject {
  return {
    type: 'system',
    subtype: 'model_fallback',
    content: text,
    level: 'warning',
    trigger,
    originalModel: from,
    fallbackModel: to,
    isMeta: false,
  };
}

/** No client sends it: it has `isApiErrorMessage` and the synthetic model. */
export function failureBody({ error }: RequestFailed): JsonObject {
  return {
    type: 'assistant',
    message: {
      id: randomUUID(),
      model: syntheticModel,
      role: 'assistant',
      stop_reason: 'stop_sequence',
      stop_sequence: '',
      type: 'message',
      usage: noUsage,
      content: [{ type: 'text', text: failureText(error) }],
    },
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
    error: error.kind,
    isApiErrorMessage: true,
    ...given('apiErrorStatus', error.status),
    ...given('apiErrorType', error.kind),
    madeBy: 'model',
  };
}

function errorBody({ status, kind, message, requestId }: ModelFailure): JsonObject {
  return {
    message,
    type: kind,
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

const noUsage: JsonObject = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export function boundaryBody({ trigger, preTokens }: Compacted, { leafUuid }: LineMoment): JsonObject {
  return {
    logicalParentUuid: leafUuid,
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    isMeta: false,
    level: 'info',
    compactMetadata: { trigger, preTokens },
  };
}

export function summaryBody(summary: string, promptId: string): JsonObject {
  return {
    promptId,
    type: 'user',
    message: { role: 'user', content: summary },
    isVisibleInTranscriptOnly: true,
    isCompactSummary: true,
  };
}

export function turnDurationBody(durationMs: number): JsonObject {
  return { type: 'system', subtype: 'turn_duration', durationMs, isMeta: false };
}

/** Where a rewound conversation continues: a line of its own, because clients up to 2.1.45 read no pin. */
export function rewoundBody(): JsonObject {
  return { type: 'system', subtype: 'informational', content: 'Conversation rewound', level: 'info', isMeta: false };
}

export function callProgressBody({ callId, progress }: CallProgressed, count: number): JsonObject | undefined {
  if (progress.kind !== 'output') return undefined;
  const { text, totalLines, elapsedMs } = progress;
  return {
    type: 'progress',
    data: {
      type: 'bash_progress',
      output: text,
      fullOutput: text,
      elapsedTimeSeconds: Math.round(elapsedMs / 1000),
      totalLines,
    },
    toolUseID: `bash-progress-${count}`,
    parentToolUseID: callId,
  };
}

export function agentProgressBody(mark: AgentMark, prompt: string, said: JsonObject, id: string): JsonObject {
  return {
    type: 'progress',
    data: { message: said, type: 'agent_progress', prompt, agentId: mark.agentId },
    toolUseID: `agent_${id}`,
    parentToolUseID: mark.parentCallId,
  };
}

export function hookProgressBody({ event, command, callId }: HookRan): JsonObject {
  return {
    type: 'progress',
    data: { type: 'hook_progress', hookEvent: event, hookName: event, command },
    ...(callId === undefined ? {} : { parentToolUseID: callId, toolUseID: callId }),
  };
}

/** The text of a prompt in a list of sessions. */
export function promptLine(content: PromptGiven['content']): string {
  const text = typeof content === 'string' ? content : textOf(blocksOf(content as JsonValue)); // blocks are JSON
  return [...text.replace(/\s+/g, ' ').trim()].slice(0, 200).join('');
}
