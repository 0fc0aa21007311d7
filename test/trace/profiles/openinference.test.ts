// TRACING §3.3, attribute by attribute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWire } from '../../../src/trace/profiles/openinference.ts';
import { failedTool, generation, subagent, tool, turn, withPicture } from '../sample-spans.ts';
import { spanValues, valuesOf } from './wire-values.ts';

const options = { mode: 'full', redact: (text: string) => text, nowMs: 0 } as const;

test('turns and sub-agents are agents with plain text on both sides', () => {
  const added = { userId: 'kim', tags: ['a'], projectName: 'widgets' };
  const wire = toWire([turn, subagent], { ...options, ...added });
  assert.equal(valuesOf(wire.resource)['openinference.project.name'], 'widgets');
  assert.deepEqual(spanValues(wire), {
    name: 'Turn 3',
    kind: 1,
    'openinference.span.kind': 'AGENT',
    'session.id': 'sess1',
    'user.id': 'kim',
    'agent.name': 'claude-code',
    'input.value': 'look at it',
    'input.mime_type': 'text/plain',
    'output.value': 'it is fine',
    'output.mime_type': 'text/plain',
    metadata:
      '{"source":"claude-code","turn_number":3,"version":"2.1.45","cwd":"/home/dev/widgets","git_branch":"main"}',
    'tag.tags': ['a'],
    'prompt.id': 'p1',
    command_name: 'review',
  });
  assert.deepEqual(spanValues(wire, 1), {
    name: 'Subagent: helper',
    kind: 1,
    'openinference.span.kind': 'AGENT',
    'session.id': 'sess1',
    'user.id': 'kim',
    'agent.name': 'helper',
    'input.value': 'count',
    'input.mime_type': 'text/plain',
    'output.value': 'two',
    'output.mime_type': 'text/plain',
    metadata: '{"agent_id":"a1"}',
    'tag.tags': ['a'],
    'prompt.id': 'p1',
    agent_id: 'a1',
  });
});

test('a generation has flattened messages, and all tokens that went in as the prompt', () => {
  assert.deepEqual(spanValues(toWire([generation], options)), {
    name: 'claude-x',
    kind: 1,
    'openinference.span.kind': 'LLM',
    'session.id': 'sess1',
    'llm.system': 'anthropic',
    'llm.provider': 'anthropic',
    'llm.model_name': 'claude-x',
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': 'look at it',
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': 'I look',
    'llm.output_messages.0.message.tool_calls.0.tool_call.id': 't1',
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'Read',
    'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"file_path":"/a"}',
    'input.value': 'look at it',
    'input.mime_type': 'text/plain',
    'output.value':
      '{"role":"assistant","content":"I look","tool_calls":[{"id":"t1","type":"function","function":{"name":"Read","arguments":"{\\"file_path\\":\\"/a\\"}"}}]}',
    'output.mime_type': 'application/json',
    'llm.finish_reason': 'tool_use',
    'llm.token_count.prompt': 160n,
    'llm.token_count.completion': 50n,
    'llm.token_count.total': 210n,
    'llm.token_count.prompt_details.cache_read': 20n,
    'llm.token_count.prompt_details.cache_write': 40n,
    'llm.invocation_parameters': '{"speed":"fast","service_tier":"standard"}',
    metadata: '{"tool_count":1,"message_id":"m1","request_id":"r1"}',
    'prompt.id': 'p1',
    request_id: 'r1',
  });
});

test('images and thinking are parts of their messages', () => {
  const sent = Object.entries(spanValues(toWire([withPicture], options))).filter(([key]) => key.includes('.contents.'));
  const image = `{"type":"image","media_type":"image/png","bytes":3,"sha256":"${'f'.repeat(64)}"}`;
  assert.deepEqual(Object.fromEntries(sent), {
    'llm.input_messages.0.message.contents.0.message_content.type': 'text',
    'llm.input_messages.0.message.contents.0.message_content.text': 'look at it',
    'llm.input_messages.0.message.contents.1.message_content.type': 'text',
    'llm.input_messages.0.message.contents.1.message_content.text': image,
    'llm.output_messages.0.message.contents.0.message_content.type': 'reasoning',
    'llm.output_messages.0.message.contents.0.message_content.text': 'hm',
    'llm.output_messages.0.message.contents.1.message_content.type': 'text',
    'llm.output_messages.0.message.contents.1.message_content.text': 'I look',
  });
});

test('a tool has its input as JSON and its result, and a failure as an exception event', () => {
  assert.deepEqual(spanValues(toWire([tool], options)), {
    name: 'Read',
    kind: 1,
    'openinference.span.kind': 'TOOL',
    'session.id': 'sess1',
    'tool.name': 'Read',
    'tool.id': 't1',
    'tool.parameters': '{"file_path":"/a"}',
    'input.value': '{"file_path":"/a"}',
    'input.mime_type': 'application/json',
    'output.value': 'the file',
    'output.mime_type': 'text/plain',
    metadata: '{"tool_name":"Read","tool_id":"t1"}',
    'prompt.id': 'p1',
    tool_use_id: 't1',
  });
  const [failed] = toWire([failedTool], options).spans;
  assert.deepEqual(failed?.status, { code: 2, message: 'no such file' });
  assert.deepEqual(
    failed?.events.map(({ name, timeNs, attributes }) => [name, timeNs === failed.endNs, valuesOf(attributes)]),
    [['exception', true, { 'exception.type': 'tool_error', 'exception.message': 'no such file' }]],
  );
});
