// TRACING §3.2, attribute by attribute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWire } from '../../../src/trace/profiles/genai.ts';
import { failedTool, generation, generationDetail, subagent, tool, turn, withPicture } from '../sample-spans.ts';
import { spanValues } from './wire-values.ts';

const options = { mode: 'full', redact: (text: string) => text, nowMs: 0 } as const;

test('a turn invokes the agent', () => {
  assert.deepEqual(spanValues(toWire([turn], options)), {
    name: 'invoke_agent claude-code',
    kind: 1,
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.agent.name': 'claude-code',
    'gen_ai.agent.version': '2.1.45',
    'gen_ai.request.model': 'claude-x',
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"look at it"}]}]',
    'gen_ai.output.messages':
      '[{"role":"assistant","parts":[{"type":"text","content":"it is fine"}],"finish_reason":"stop"}]',
    'gen_ai.conversation.id': 'sess1',
    'session.id': 'sess1',
    'prompt.id': 'p1',
    command_name: 'review',
  });
});

test('a generation is a chat of the client, with cached tokens counted as input', () => {
  const messages = [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { type: 'text', content: 'I look' },
        { type: 'tool_call', id: 't1', name: 'Read', arguments: { file_path: '/a' } },
      ],
      finish_reason: 'tool_call',
    },
  ];
  assert.deepEqual(spanValues(toWire([withPicture], options)), {
    name: 'chat claude-x',
    kind: 3,
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-x',
    'gen_ai.response.model': 'claude-x',
    'gen_ai.response.id': 'm1',
    'gen_ai.response.finish_reasons': ['tool_use'],
    'gen_ai.usage.input_tokens': 160n,
    'gen_ai.usage.output_tokens': 50n,
    'gen_ai.usage.cache_read.input_tokens': 20n,
    'gen_ai.usage.cache_creation.input_tokens': 40n,
    'anthropic.cache_creation.ephemeral_5m_input_tokens': 30n,
    'anthropic.cache_creation.ephemeral_1h_input_tokens': 10n,
    'gen_ai.input.messages': `[{"role":"user","parts":[{"type":"text","content":"look at it"},{"type":"image","media_type":"image/png","bytes":3,"sha256":"${'f'.repeat(64)}"}]}]`,
    'gen_ai.output.messages': JSON.stringify(messages),
    'gen_ai.conversation.id': 'sess1',
    'session.id': 'sess1',
    'prompt.id': 'p1',
    request_id: 'r1',
  });
});

test('stop reasons have the words of the convention', () => {
  const reasons = ['end_turn', 'stop_sequence', 'max_tokens', 'tool_use', 'refusal', undefined];
  const words = reasons.map((stopReason) => {
    const detail = { ...generationDetail, stopReason, toolCalls: [] };
    const sent = spanValues(toWire([{ ...generation, detail }], options))['gen_ai.output.messages'];
    return (JSON.parse(String(sent)) as { finish_reason: string }[])[0]?.finish_reason;
  });
  assert.deepEqual(words, ['stop', 'stop', 'length', 'tool_call', 'content_filter', 'stop']);
});

test('a call that worked has its result, one that failed its error', () => {
  assert.deepEqual(spanValues(toWire([tool], options)), {
    name: 'execute_tool Read',
    kind: 1,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'Read',
    'gen_ai.tool.call.id': 't1',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.arguments': '{"file_path":"/a"}',
    'gen_ai.tool.call.result': 'the file',
    'gen_ai.conversation.id': 'sess1',
    'session.id': 'sess1',
    'prompt.id': 'p1',
    tool_use_id: 't1',
  });
  assert.deepEqual(spanValues(toWire([failedTool], options)), {
    name: 'execute_tool mcp__db__ask',
    kind: 1,
    status: [2, 'no such file'],
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'mcp__db__ask',
    'gen_ai.tool.call.id': 't2',
    'gen_ai.tool.type': 'extension',
    'gen_ai.tool.call.arguments': '{}',
    'gen_ai.conversation.id': 'sess1',
    'session.id': 'sess1',
    'prompt.id': 'p1',
    tool_use_id: 't2',
    'error.type': 'tool_error',
  });
});

test('a sub-agent is invoked by its type', () => {
  assert.deepEqual(spanValues(toWire([subagent], options)), {
    name: 'invoke_agent helper',
    kind: 1,
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.agent.name': 'helper',
    'gen_ai.agent.id': 'a1',
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"count"}]}]',
    'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"two"}],"finish_reason":"stop"}]',
    'gen_ai.conversation.id': 'sess1',
    'session.id': 'sess1',
    'prompt.id': 'p1',
    agent_id: 'a1',
  });
});

test('the provider is derived from the name of the model, unless it is set', () => {
  const models = ['claude-x', 'us.anthropic.claude-x-v1:0', 'claude-x@20250929'];
  const providers = models.map((model) => {
    const detail = { ...generationDetail, model };
    return spanValues(toWire([{ ...generation, detail }], options))['gen_ai.provider.name'];
  });
  assert.deepEqual(providers, ['anthropic', 'aws.bedrock', 'gcp.vertex_ai']);
  assert.equal(spanValues(toWire([turn], { ...options, provider: 'x' }))['gen_ai.provider.name'], 'x');
});
