// What holds in all three profiles: the input of every generation, tool calls, tags, the names of Claude Code's own
// telemetry, replies of the client, compactions, and a place in another program's trace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toWire as toGenai } from '../../../src/trace/profiles/genai.ts';
import { toWire as toLangfuse } from '../../../src/trace/profiles/langfuse.ts';
import { toWire as toOpeninference } from '../../../src/trace/profiles/openinference.ts';
import type { ProfileOptions } from '../../../src/trace/profiles/profile.ts';
import type { GenerationDetail, TraceSpan } from '../../../src/trace/span/span.ts';
import { all, generation, generationDetail, subagent, tool, turn } from '../sample-spans.ts';
import { spanValues, valuesOf } from './wire-values.ts';

const options: ProfileOptions = { mode: 'full', redact: (text) => text, nowMs: 0 };
const profiles = { langfuse: toLangfuse, genai: toGenai, openinference: toOpeninference };

/** A generation after two tools: no prompt, two results, one call. */
const later = withDetail({
  input: undefined,
  results: [
    { toolUseId: 't1', content: 'the file', isError: false },
    {
      toolUseId: 't2',
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
      isError: true,
    },
  ],
});

test('a later generation has the tool results as its input', () => {
  assert.deepEqual(JSON.parse(String(spanValues(toLangfuse([later], options))['langfuse.observation.input'])), [
    { role: 'tool', tool_call_id: 't1', content: 'the file' },
    { role: 'tool', tool_call_id: 't2', content: 'one\ntwo' },
  ]);
  assert.deepEqual(JSON.parse(String(spanValues(toGenai([later], options))['gen_ai.input.messages'])), [
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 't1', response: 'the file' }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 't2', response: 'one\ntwo' }] },
  ]);
  const sent = spanValues(toOpeninference([later], options));
  assert.deepEqual(entriesWith(sent, 'llm.input_messages.'), {
    'llm.input_messages.0.message.role': 'tool',
    'llm.input_messages.0.message.tool_call_id': 't1',
    'llm.input_messages.0.message.content': 'the file',
    'llm.input_messages.1.message.role': 'tool',
    'llm.input_messages.1.message.tool_call_id': 't2',
    'llm.input_messages.1.message.content': 'one\ntwo',
  });
  assert.equal(sent['input.mime_type'], 'application/json');
});

test('results that come with a prompt follow it', () => {
  const both = withDetail({ results: [{ toolUseId: 't1', content: 'late', isError: false }] });
  assert.deepEqual(JSON.parse(String(spanValues(toLangfuse([both], options))['langfuse.observation.input'])), [
    { role: 'user', content: 'look at it' },
    { role: 'tool', tool_call_id: 't1', content: 'late' },
  ]);
  const sent = spanValues(toOpeninference([both], options));
  assert.equal(sent['llm.input_messages.0.message.role'], 'user');
  assert.equal(sent['llm.input_messages.1.message.role'], 'tool');
});

test('many long results are cut to fit together, and stay JSON', () => {
  const results = [1, 2, 3, 4].map((i) => ({ toolUseId: `t${i}`, content: String(i).repeat(90_000), isError: false }));
  const long = withDetail({ input: undefined, results });
  const input = String(spanValues(toLangfuse([long], options))['langfuse.observation.input']);
  const messages = JSON.parse(input) as { content: string }[];
  assert.deepEqual(
    messages.map(({ content }) => content.slice(25_000)),
    results.map(() => '… [cut: 90000 characters in all]'),
  );
});

test('without tool content a generation keeps its words and the names of its calls, and as metadata nothing', () => {
  const sent = (mode: ProfileOptions['mode'], span: TraceSpan) =>
    Object.values(profiles).map((toWire) => JSON.stringify(toWire([span], { ...options, mode }).spans, noBigints));
  for (const text of sent('no-tool-content', generation)) {
    assert.ok(text.includes('I look') && text.includes('look at it') && text.includes('Read') && text.includes('t1'));
    assert.ok(!text.includes('/a'), text);
  }
  for (const text of sent('no-tool-content', later)) assert.ok(!text.includes('the file') && !text.includes('one'));
  for (const span of [generation, later])
    for (const text of sent('metadata', span))
      assert.doesNotMatch(text, /I look|look at it|the file|\/a|arguments|\btool_calls":/);
});

test('arguments of calls are redacted by the keys they have', () => {
  const redact = (text: string) => text.replace(/("file_path":)"[^"]*"/g, '$1"***"');
  const sent = spanValues(toLangfuse([generation], { ...options, redact }))['langfuse.observation.output'];
  const [call] = (JSON.parse(String(sent)) as { tool_calls: { function: { arguments: string } }[] }).tool_calls;
  assert.equal(call?.function.arguments, '{"file_path":"***"}');
});

test('the original description has no calls, no results and a total', () => {
  const strict = { ...options, strictSeed: true };
  const first = spanValues(toLangfuse([generation], strict));
  assert.equal(first['langfuse.observation.input'], '{"role":"user","content":"look at it"}');
  assert.equal(first['langfuse.observation.output'], '{"role":"assistant","content":"I look"}');
  assert.equal(JSON.parse(String(first['langfuse.observation.usage_details'])).total, 150);
  assert.equal(spanValues(toLangfuse([later], strict))['langfuse.observation.input'], undefined);
});

test('only generations have tokens', () => {
  for (const [name, toWire] of Object.entries(profiles)) {
    const counting = toWire(all, options).spans.filter(({ attributes }) =>
      attributes.some(({ key }) => /usage|token_count/.test(key)),
    );
    assert.deepEqual(
      counting.map(({ spanId }) => spanId),
      [generation.spanId],
      name,
    );
  }
});

test('a reply of the client is not a generation of a model, and a failed request has no model', () => {
  const reply = withDetail({ model: '<synthetic>', toolCalls: [], usage: undefined });
  const failed: TraceSpan = { ...reply, error: 'api_error', errorText: 'API Error: 529' };
  const name = (toWire: typeof toLangfuse, span: TraceSpan) => toWire([span], options).spans[0]?.name;
  assert.deepEqual(
    Object.values(profiles).map((toWire) => [name(toWire, reply), name(toWire, failed)]),
    [
      ['client message', 'API error'],
      ['client message', 'chat'],
      ['client message', 'API error'],
    ],
  );
  for (const toWire of Object.values(profiles))
    for (const span of [reply, failed])
      assert.ok(!JSON.stringify(toWire([span], options).spans, noBigints).includes('<synthetic>'));
  assert.deepEqual(
    [
      spanValues(toLangfuse([reply], options))['langfuse.observation.type'],
      spanValues(toLangfuse([failed], options))['langfuse.observation.type'],
      spanValues(toGenai([reply], options))['gen_ai.operation.name'],
      spanValues(toGenai([reply], options)).kind,
      spanValues(toGenai([failed], options))['gen_ai.operation.name'],
      spanValues(toOpeninference([reply], options))['openinference.span.kind'],
      spanValues(toOpeninference([failed], options))['openinference.span.kind'],
    ],
    ['span', 'generation', undefined, 1, 'chat', 'CHAIN', 'LLM'],
  );
  assert.equal(toLangfuse([reply], { ...options, strictSeed: true }).spans[0]?.name, '<synthetic>');
});

test('a compaction is an event of the generation that follows it', () => {
  const timeMs = Date.parse('2026-01-03T09:59:00.000Z');
  const compacted = withDetail({ compactions: [{ timeMs, trigger: 'auto', preTokens: 150_000 }] });
  for (const [name, toWire] of Object.entries(profiles)) {
    const events = toWire([compacted], options).spans[0]?.events.map((event) => ({
      ...event,
      attributes: valuesOf(event.attributes),
    }));
    const attributes = { trigger: 'auto', pre_tokens: 150_000n };
    assert.deepEqual(
      events,
      [{ name: 'claude_code.compaction', timeNs: BigInt(timeMs) * 1_000_000n, attributes }],
      name,
    );
  }
  assert.equal(
    spanValues(toLangfuse([compacted], options))['langfuse.observation.metadata.compactions'],
    '[{"trigger":"auto","pre_tokens":150000}]',
  );
  assert.equal(spanValues(toGenai([compacted], options))['gen_ai.conversation.compacted'], true);
  assert.equal(spanValues(toGenai([generation], options))['gen_ai.conversation.compacted'], undefined);
});

test('a call of the Skill tool names its skill', () => {
  assert.ok(tool.detail.kind === 'tool');
  const skill = { ...tool, detail: { ...tool.detail, name: 'Skill', input: { skill: 'greet', args: 'Bob' } } };
  for (const toWire of Object.values(profiles)) {
    assert.equal(spanValues(toWire([skill], { ...options, mode: 'metadata' })).skill_name, 'greet');
    assert.equal(spanValues(toWire([tool], options)).skill_name, undefined);
  }
});

test('every profile has the tags and the user', () => {
  const added = { tags: ['a', 'b'], userId: 'kim' };
  const keys = { langfuse: 'langfuse.trace.tags', genai: 'tag.tags', openinference: 'tag.tags' };
  for (const [name, toWire] of Object.entries(profiles)) {
    const wire = toWire([turn, generation, tool, subagent], { ...options, ...added });
    const sent = [0, 1, 2, 3].map((i) => spanValues(wire, i));
    assert.ok(sent.every((values) => values['user.id'] === 'kim'));
    assert.deepEqual(
      sent.map((values) => values[keys[name as keyof typeof keys]]),
      sent.map(() => ['a', 'b']),
    );
  }
});

test('below a span of another program all is in its trace, and the trace stays that program’s', () => {
  const parent = { traceId: 'b'.repeat(32), spanId: 'c'.repeat(16) };
  for (const [name, toWire] of Object.entries(profiles)) {
    const { spans } = toWire([turn, generation], { ...options, parent });
    assert.deepEqual(
      spans.map(({ traceId, spanId, parentSpanId }) => [traceId, spanId, parentSpanId]),
      [
        [parent.traceId, turn.spanId, parent.spanId],
        [parent.traceId, generation.spanId, turn.spanId],
      ],
      name,
    );
  }
  const [turnKeys, generationKeys] = toLangfuse([turn, generation], { ...options, parent }).spans.map(
    ({ attributes }) => attributes.map(({ key }) => key).filter((key) => /^langfuse\.(?:trace|internal)\./.test(key)),
  );
  assert.deepEqual([turnKeys, generationKeys], [[], []]);
  const metadata = spanValues(toLangfuse([turn], { ...options, parent }))['langfuse.observation.metadata.turn_number'];
  assert.equal(metadata, '3');
  const wrapped = toLangfuse([turn], { ...options, parent, wrapperSpan: true }).spans;
  assert.deepEqual(
    wrapped.map(({ parentSpanId }) => parentSpanId),
    [parent.spanId, wrapped[0]?.spanId],
  );
});

test('a cost is sent where it is known, of generations alone', () => {
  const costOf = (span: TraceSpan) => (span.kind === 'generation' ? 0.0125 : undefined);
  const sent = (toWire: typeof toLangfuse) => spanValues(toWire([generation], { ...options, costOf }));
  assert.equal(sent(toLangfuse)['langfuse.observation.cost_details'], '{"total":0.0125}');
  assert.equal(sent(toOpeninference)['llm.cost.total'], 0.0125);
  assert.equal(spanValues(toLangfuse([generation], options))['langfuse.observation.cost_details'], undefined);
});

test('the conventions of OpenTelemetry are named by their schema', () => {
  assert.deepEqual(
    Object.values(profiles).map((toWire) => toWire(all, options).schemaUrl),
    [undefined, 'https://opentelemetry.io/schemas/1.41.0', undefined],
  );
});

function withDetail(detail: Partial<GenerationDetail>): TraceSpan {
  return { ...generation, detail: { ...generationDetail, ...detail } };
}

function entriesWith(values: Readonly<Record<string, unknown>>, prefix: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => key.startsWith(prefix)));
}

function noBigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
