// Turns → spans: ids, errors, images, and the tokens of each response.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import type { TraceSpan } from '../../../src/trace/span/span.ts';
import { type Fields, text, thinking, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { hash, spansOf, writeSession } from '../trace-kit.ts';

test('ids follow from the ids of the API alone', (context) => {
  const session = transcript().user('go').call('t1').result('t1').assistant('done');
  const copy = transcript({ sessionId: 'other', cwd: '/elsewhere' })
    .user('go')
    .call('t1')
    .result('t1')
    .assistant('done');
  const spans = spansIn(context, session.text());
  const traceId = hash('cct1|trace|m1', 32);
  assert.deepEqual(
    spans.map(({ spanId, parentSpanId }) => [spanId, parentSpanId]),
    [
      [hash(`${traceId}|agent`, 16), undefined],
      [hash(`${traceId}|gen|m1`, 16), hash(`${traceId}|agent`, 16)],
      [hash(`${traceId}|tool|t1`, 16), hash(`${traceId}|gen|m1`, 16)],
      [hash(`${traceId}|gen|m2`, 16), hash(`${traceId}|agent`, 16)],
    ],
  );
  assert.ok(spans.every((span) => span.traceId === traceId));
  assert.deepEqual(idsOf(spansIn(context, copy.text())), idsOf(spans));
});

test('without ids of the API the prompt’s uuid names the turn, and without that its session and line', (context) => {
  const nameless = { message: { id: undefined } };
  const byUuid = spansIn(context, transcript().user('go').assistant('a', nameless).text());
  assert.deepEqual(
    byUuid.map((span) => span.spanId),
    [hash(`${hash('cct1|trace|u1', 32)}|agent`, 16), hash(`${hash('cct1|trace|u1', 32)}|gen#0`, 16)],
  );
  const lines = [
    { type: 'summary' },
    { type: 'user', content: 'go' },
    { message: { role: 'assistant', content: 'a' } },
  ];
  const byLine = spansIn(context, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  assert.equal(byLine[0]?.traceId, hash('cct1|trace|main#2', 32));
});

test('a seed makes trace ids predictable, and copies can be kept apart', (context) => {
  const file = writeSession(context, { 'main.jsonl': transcript().user('go').assistant('a').text() });
  assert.equal(spansOf(file, {}, { traceSeed: 'ci-7' })[0]?.traceId, hash('ci-7:1', 32));
  const kept = spansOf(file, { sessionId: 's2' }, { sessionId: 's2', keepForks: true });
  assert.equal(kept[0]?.traceId, hash('cct1|trace|m1|s2', 32));
});

test('errors of tools, of the API and by interruption are distinguished', (context) => {
  const session = transcript()
    .user('go')
    .call('t1')
    .user([toolResult('t1', 'no such file', { is_error: true })])
    .assistant('API Error: 529', { isApiErrorMessage: true, message: { model: '<synthetic>' } })
    .user('again')
    .call('t2')
    .user([text('[Request interrupted by user]')]);
  const spans = spansIn(context, session.text());
  assert.deepEqual(
    spans.map((span) => [span.kind, span.error, span.errorText]),
    [
      ['turn', 'api_error', 'API Error: 529'],
      ['generation', undefined, undefined],
      ['tool', 'tool_error', 'no such file'],
      ['generation', 'api_error', 'API Error: 529'],
      ['turn', 'interrupted', undefined],
      ['generation', undefined, undefined],
      ['tool', undefined, undefined],
    ],
  );
});

test('a second result for a call is a copy, and no span ends before it starts', (context) => {
  const session = transcript()
    .user('go')
    .call('t1', { timestamp: '2026-01-03T10:00:09.000Z' })
    .result('t1', { timestamp: '2026-01-03T10:00:05.000Z' })
    .user([toolResult('t1', 'again')], { timestamp: '2026-01-03T10:00:12.000Z' });
  const [, , tool] = spansIn(context, session.text());
  const nine = Date.parse('2026-01-03T10:00:09.000Z');
  assert.deepEqual([tool?.detail.output, tool?.startMs, tool?.endMs], ['out t1', nine, nine]);
});

test('images and documents are sent as type, size and hash', (context) => {
  const bytes = Buffer.from('not really a picture');
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } };
  const placeholder = {
    type: 'image',
    media_type: 'image/png',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
  const session = transcript()
    .user([text('what is it?'), image])
    .call('t1')
    .user([toolResult('t1', [text('it is'), image])]);
  const [turn, generation, tool] = spansIn(context, session.text());
  const images = (span: TraceSpan | undefined) =>
    span?.detail.kind === 'turn' || span?.detail.kind === 'generation' ? span.detail.images : undefined;
  assert.deepEqual([images(turn), images(generation)], [[placeholder], [placeholder]]);
  assert.deepEqual(tool?.detail.output, [text('it is'), placeholder]);
});

test('calls that the API answers itself are tool spans with the answer from the same message', (context) => {
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ title: 'T' }] };
  const [, , tool] = spansIn(
    context,
    transcript()
      .user('go')
      .assistant([search, found, text('found')])
      .text(),
  );
  assert.deepEqual(tool?.detail, {
    kind: 'tool',
    agentId: undefined,
    toolUseId: 's1',
    name: 'web_search',
    isExternal: true,
    input: { query: 'q' },
    output: [{ title: 'T' }],
  });
  const failed = { ...found, content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' } };
  const [, , failure] = spansIn(context, transcript().user('go').assistant([search, failed]).text());
  assert.equal(failure?.error, 'tool_error');
});

test('thinking is in the spans only on request', (context) => {
  const file = writeSession(context, {
    'main.jsonl': transcript()
      .user('go')
      .assistant([thinking('hm'), text('yes')])
      .text(),
  });
  const thoughts = (withThinking: boolean) =>
    spansOf(file, {}, { withThinking }).flatMap(({ detail }) =>
      detail.kind === 'generation' ? [detail.thinking] : [],
    );
  assert.deepEqual([thoughts(false), thoughts(true)], [[undefined], ['hm']]);
});

test('two responses that go by one id are two generations', (context) => {
  const session = transcript()
    .user('go')
    .assistant('a', { requestId: 'r1' })
    .assistant('b', { requestId: 'r2', message: { id: 'm1' } });
  const spans = spansIn(context, session.text());
  assert.deepEqual(
    spans.slice(1).map(({ detail }) => detail.output),
    ['a', 'b'],
  );
  assert.equal(new Set(idsOf(spans)).size, 3);
});

test('a message that a client writes again after an interrupt has its text and its calls once', (context) => {
  const session = transcript()
    .user('go')
    .assistant([text('I look')])
    .assistant([toolUse('t1')], { message: { id: 'm1' } })
    .user([text('[Request interrupted by user]')])
    .assistant([text('I look')], { message: { id: 'm1' } })
    .assistant([toolUse('t1')], { message: { id: 'm1' } });
  const [, generation, ...tools] = spansIn(context, session.text());
  assert.equal(generation?.detail.output, 'I look');
  assert.deepEqual(
    tools.map(({ detail }) => detail.kind === 'tool' && detail.toolUseId),
    ['t1'],
  );
});

test('the tokens of a response are those of its line with the most output, cache writes by lifetime', (context) => {
  const line = (usage: JsonObject, fields: Fields = {}) => ({ ...fields, message: { usage, ...fields.message } });
  const again = (id: string | undefined, output_tokens: number) =>
    line({ input_tokens: 3, output_tokens }, { message: { id } });
  const split = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 };
  const session = transcript()
    .user('go')
    .assistant('a', line({ input_tokens: 2, output_tokens: 1, cache_read_input_tokens: 9 }))
    .assistant('b', line({ input_tokens: 2, output_tokens: 40, cache_read_input_tokens: 9 }, { message: { id: 'm1' } }))
    .assistant('c', line({ input_tokens: 2, output_tokens: 7, cache_read_input_tokens: 9 }, { message: { id: 'm1' } }))
    .assistant('d', line({ input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 40, cache_creation: split }))
    .assistant('e', line({ input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 40, speed: 'fast' }))
    .assistant('f', line({ input_tokens: 1, output_tokens: 2 }, { message: { model: '<synthetic>' } }))
    // Lines without an id are a message each, and one generation together.
    .assistant('g', again(undefined, 4))
    .assistant('h', again(undefined, 5));
  const none = {
    cacheReadTokens: undefined,
    cacheWrite5mTokens: undefined,
    cacheWrite1hTokens: undefined,
    cacheWriteTokens: undefined,
    speed: undefined,
    serviceTier: undefined,
  };
  assert.deepEqual(
    spansIn(context, session.text()).flatMap(({ detail }) => (detail.kind === 'generation' ? [detail.usage] : [])),
    [
      { ...none, inputTokens: 2, outputTokens: 40, cacheReadTokens: 9 },
      { ...none, inputTokens: 1, outputTokens: 2, cacheWrite5mTokens: 30, cacheWrite1hTokens: 10 },
      { ...none, inputTokens: 1, outputTokens: 2, cacheWriteTokens: 40, speed: 'fast' },
      undefined,
      { ...none, inputTokens: 6, outputTokens: 9 },
    ],
  );
});

function spansIn(context: TestContext, content: string): readonly TraceSpan[] {
  return spansOf(writeSession(context, { 'main.jsonl': content }));
}

function idsOf(spans: readonly TraceSpan[]): readonly string[] {
  return spans.map((span) => span.spanId);
}
