// Events → messages: the fields that the types of the Agent SDK 0.3.325 require (sdk.d.ts, written down by hand), and the
// names of errors as the client 2.1.325 gives them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentState } from '../../../src/agent/contract/agent.ts';
import type { AgentHappening } from '../../../src/agent/contract/event.ts';
import { errorNameOf, retryNameOf } from '../../../src/agent/contract/failure.ts';
import type { ModelFailure } from '../../../src/api/client/model.ts';
import { asObject, type JsonObject } from '../../../src/base/json/json.ts';
import { MessageStream } from '../../../src/cli/headless/messages/message-stream.ts';
import { noUsage } from '../../../src/format/entry/usage.ts';

const state: AgentState = {
  sessionId: 's',
  file: 'f',
  title: undefined,
  cwd: '/p',
  model: 'claude-opus-5-5',
  mode: 'default',
  apiKeySource: 'none',
  apiProvider: 'firstParty',
  effort: undefined,
  isBusy: false,
  queued: [],
  backgroundTasks: [],
  todos: [],
  contextTokens: 0,
  contextWindow: 1,
  usage: noUsage,
  usageByModel: new Map([['claude-opus-5-5', noUsage]]),
  costMicros: 1,
  unpricedTokens: 0,
  costMicrosOf: () => 1,
  mcpServers: [{ name: 'm', status: 'needs-approval', tools: [], scope: 'flag' }],
  tools: ['Read', 'Agent'],
  agents: [{ name: 'a', description: 'd' }],
  commands: [{ name: 'c', description: 'd', kind: 'skill' }],
  allowRules: [],
};

const choice = {
  withParts: true,
  withPrompts: true,
  withAgentText: false,
  betas: [],
  limits: {},
  env: {},
} as const;

const failure = (status: number | undefined, kind: string, message = 'x'): ModelFailure => ({
  status,
  kind,
  message,
  requestId: 'r',
  retryAfterMs: undefined,
  isRetryable: false,
});

const uuid = 'u';
const call = { id: 't', name: 'Bash', input: {} };
const outcome = { content: 'no', isError: true, stored: 'Error: no' };
const head = { id: 'm', model: 'claude-opus-5-5', requestId: 'r' };
const happenings: readonly AgentHappening[] = [
  {
    type: 'session-opened',
    sessionId: 's',
    file: 'f',
    cwd: '/p',
    model: 'm',
    mode: 'default',
    tools: [],
    mcpServers: [],
    commands: [],
    agents: [],
    apiKeySource: 'none',
    messageCount: 0,
  },
  { type: 'prompt', uuid, content: 'hi', isMeta: false },
  { type: 'request', model: 'm', attempt: 1 },
  { type: 'retry', uuid, attempt: 1, maxRetries: 2, delayMs: 1, error: failure(529, 'overloaded_error') },
  { type: 'part', index: 0, kind: 'thinking', text: 'Hm, so.', raw: { type: 'content_block_delta' } },
  { type: 'block', uuid, message: head, block: { type: 'text', text: 'a' }, stopReason: 'end_turn', usage: {} },
  { type: 'result', uuid, call, callUuid: uuid, outcome, refused: 'permission' },
  { type: 'prompt', uuid, content: 'go on', isMeta: true, isFeedback: true },
  { type: 'prompt', uuid, content: 'context of a hook', isMeta: true },
  { type: 'compacting', trigger: 'auto', preTokens: 1 },
  { type: 'compacted', trigger: 'auto', preTokens: 1, result: { boundaryUuid: 'b', summaryUuid: 'c', summary: 's' } },
  { type: 'request-failed', uuid, error: failure(undefined, 'refusal') },
  { type: 'interrupted', uuid, during: 'text' },
];

const ended = {
  type: 'turn-end',
  outcome: 'success',
  durationMs: 1,
  apiDurationMs: 1,
  rounds: 1,
  text: 'a',
  denials: [],
} as const;

/** Required by the types, and in which order the messages come. */
const required: readonly (readonly [kind: string, fields: string])[] = [
  [
    'system/init',
    'apiKeySource claude_code_version cwd tools mcp_servers model permissionMode slash_commands output_style skills plugins',
  ],
  ['user', 'message parent_tool_use_id isReplay'],
  ['system/status', 'status'],
  ['system/api_retry', 'attempt max_retries retry_delay_ms error_status error'],
  ['system/thinking_tokens', 'estimated_tokens estimated_tokens_delta'],
  ['stream_event', 'event parent_tool_use_id'],
  ['assistant', 'message parent_tool_use_id'],
  ['system/permission_denied', 'tool_name tool_use_id message'],
  ['user', 'message parent_tool_use_id'],
  ['user', 'message parent_tool_use_id isSynthetic'],
  ['system/status', 'status'],
  ['system/status', 'status compact_result'],
  ['system/compact_boundary', 'compact_metadata'],
  ['user', 'message parent_tool_use_id isSynthetic'],
  ['system/model_refusal_no_fallback', 'original_model request_id content'],
  ['assistant', 'message parent_tool_use_id error'],
  ['user', 'message parent_tool_use_id'],
  [
    'result/success',
    'duration_ms duration_api_ms is_error num_turns result stop_reason total_cost_usd usage modelUsage permission_denials',
  ],
];
const inMessage =
  'id type role model content stop_reason stop_sequence usage container context_management diagnostics stop_details';
const inUsage =
  'cache_creation cache_creation_input_tokens cache_read_input_tokens input_tokens output_tokens server_tool_use ' +
  'service_tier inference_geo iterations speed output_tokens_details fallback_credit';
const inModelUsage =
  'inputTokens outputTokens cacheReadInputTokens cacheCreationInputTokens webSearchRequests costUSD contextWindow maxOutputTokens';

test('every message has the fields that the types of the SDK require, and a session_id and a uuid', () => {
  const stream = new MessageStream(choice);
  const messages = happenings.flatMap((happening) => stream.of({ at: new Date(), ...happening }, state));
  messages.push(stream.result(ended, state));
  const kinds = messages.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`));
  assert.deepEqual(
    kinds,
    required.map(([kind]) => kind),
  );
  for (const [i, [kind, fields]] of required.entries()) assertHas(messages[i], `${fields} session_id uuid`, kind);
  const answers = messages.filter(({ type }) => type === 'assistant').map(({ message }) => asObject(message));
  for (const message of answers) {
    assertHas(message, inMessage, 'assistant.message');
    assertHas(asObject(message?.usage), inUsage, 'assistant.message.usage');
  }
  const { usage, modelUsage, num_turns } = messages.at(-1) ?? {};
  assertHas(asObject(usage), inUsage, 'result.usage');
  assertHas(asObject(asObject(modelUsage)?.['claude-opus-5-5']), inModelUsage, 'result.modelUsage');
  // The prompt, a result, a text that makes the turn continue, and the interrupt.
  assert.equal(num_turns, 4);
});

function assertHas(object: JsonObject | undefined, fields: string, where: string): void {
  const missing = fields.split(' ').filter((field) => object?.[field] === undefined);
  assert.deepEqual(missing, [], where);
}

test('a turn begins with init, also the second one; names are those of the client', () => {
  const stream = new MessageStream(choice);
  const turn = () => [
    ...stream.of({ at: new Date(), type: 'prompt', uuid, content: 'hi', isMeta: false }, state),
    stream.result(ended, state),
  ];
  const messages = [...turn(), ...turn()];
  assert.deepEqual(
    messages.map(({ subtype, result_index }) => subtype ?? result_index),
    ['init', undefined, 'success', 'init', undefined, 'success'],
  );
  assert.deepEqual(
    messages.filter(({ type }) => type === 'result').map(({ result_index }) => result_index),
    [0, 1],
  );
  const [init] = messages;
  assert.deepEqual([init?.tools, init?.skills], [['Read', 'Task'], ['c']]);
  assert.deepEqual(init?.mcp_servers, [{ name: 'm', status: 'pending', source: 'dynamic' }]);
});

test('what sub-agents say is printed once a program asks for it, and their refused calls are those of the turn', () => {
  const stream = new MessageStream({ ...choice, withParts: false });
  const agent = { agentId: 'a1', parentCallId: 't' };
  const block = { type: 'block', uuid, message: head, block: { type: 'text', text: 'a' } } as const;
  const said = { ...block, stopReason: 'end_turn', usage: {}, agent, at: new Date() } as const;
  assert.deepEqual(stream.of(said, state), []);
  stream.showAgentText();
  assert.equal(stream.of(said, state)[0]?.type, 'assistant');
  for (const refused of ['permission', 'hook', 'input'] as const)
    stream.of({ type: 'result', uuid, call, callUuid: uuid, outcome, refused, agent, at: new Date() }, state);
  const denial = { tool_name: 'Bash', tool_use_id: 't', tool_input: {} };
  assert.deepEqual(stream.result(ended, state).permission_denials, [denial, denial]);
  assert.deepEqual(stream.result(ended, state).permission_denials, []);
});

test('a sub-agent in the background is printed with its text and without its prompt, as by 2.1.325', () => {
  const kinds = (isBackground: boolean) => {
    const stream = new MessageStream({ ...choice, withParts: false });
    const agent = { agentId: 'a1', parentCallId: 't' };
    const started = { ...agent, agentType: 'helper', description: 'd', isBuiltIn: false, isBackground };
    const block = { type: 'block', uuid, message: head, block: { type: 'text', text: 'a' } } as const;
    return [
      { at: new Date(), type: 'agent-started', ...started } as const,
      { at: new Date(), type: 'prompt', uuid, content: 'work', isMeta: false, agent } as const,
      { ...block, stopReason: 'end_turn', usage: {}, agent, at: new Date() } as const,
    ].flatMap((event) => stream.of(event, state).map(({ type }) => type));
  };
  assert.deepEqual(kinds(true), ['assistant']);
  assert.deepEqual(kinds(false), ['user']);
});

test('the end by a hook has its own reason, and what makes a turn continue is a block', () => {
  const stream = new MessageStream(choice);
  stream.of({ at: new Date(), type: 'prompt', uuid, content: 'hi', isMeta: false }, state);
  const more = { at: new Date(), type: 'prompt', uuid, content: 'go on', isMeta: true, isFeedback: true } as const;
  assert.deepEqual(asObject(stream.of(more, state)[0]?.message)?.content, [{ type: 'text', text: 'go on' }]);
  assert.equal(stream.result({ ...ended, isStoppedByHook: 'in-calls' }, state).terminal_reason, 'hook_stopped');
  assert.equal(stream.result({ ...ended, isStoppedByHook: 'at-end' }, state).terminal_reason, 'stop_hook_prevented');
});

test('errors have the names that the client gives them, before a retry and at the end', () => {
  const table: readonly (readonly [ModelFailure, retry: string, end: string])[] = [
    [failure(529, 'overloaded_error'), 'overloaded', 'server_error'],
    [failure(500, 'api_error'), 'server_error', 'server_error'],
    [failure(503, 'api_error'), 'server_error', 'server_error'],
    [failure(429, 'rate_limit_error'), 'rate_limit', 'rate_limit'],
    [failure(408, 'timeout_error'), 'server_error', 'unknown'],
    [failure(401, 'authentication_error'), 'authentication_failed', 'authentication_failed'],
    [failure(403, 'permission_error'), 'authentication_failed', 'authentication_failed'],
    [failure(402, 'billing_error'), 'billing_error', 'billing_error'],
    [failure(400, 'invalid_request_error', 'Your credit balance is too low'), 'billing_error', 'billing_error'],
    [failure(400, 'invalid_request_error', 'bad thing'), 'unknown', 'unknown'],
    [failure(400, 'invalid_request_error', 'prompt is too long: 2 > 1'), 'invalid_request', 'invalid_request'],
    [failure(413, 'request_too_large'), 'invalid_request', 'invalid_request'],
    [failure(404, 'not_found_error'), 'model_not_found', 'model_not_found'],
    [failure(undefined, 'connection_error'), 'unknown', 'unknown'],
  ];
  for (const [error, retry, end] of table)
    assert.deepEqual([retryNameOf(error), errorNameOf(error)], [retry, end], `${error.status} ${error.kind}`);
});
