// The client against the scripted server: its requests, its events, and its failure for each fault of the connection.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isPromptTooLong, type ModelEvent, type ModelRequest } from '../../../src/api/client/model.ts';
import { makeStreamModel, type StreamModelOptions } from '../../../src/api/client/stream-model.ts';
import { startScriptedServer } from '../../../src/api/server/messages-server.ts';
import type { ReplyBlock, Script, ScriptStep } from '../../../src/api/server/script.ts';
import { asObject, isArray, isObject, type JsonObject, type JsonValue } from '../../../src/base/json/json.ts';

const key = ['test', 'key'].join('-');
const blocks: readonly ReplyBlock[] = [
  { type: 'thinking', thinking: 'Read it first. '.repeat(9), signature: 'c2ln' },
  { type: 'text', text: `${'x'.repeat(39)}😀 and more, ünd so on` },
  { type: 'redacted_thinking', data: 'b3BhcXVl' },
  { type: 'text', text: 'cited', citations: [{ type: 'char_location', cited_text: 'a' }] },
  { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/w/a.ts', deep: { a: [1, null] } } },
  { type: 'tool_use', id: 'toolu_2', name: 'List', input: {} },
];

test('an answer arrives block by block, with its id, its request and its final usage', async (t) => {
  const { ask } = await start(t, [{ blocks, id: 'msg_1', usage: { input_tokens: 7, output_tokens: 99 } }]);
  const events = await ask(request('hi'));
  assert.deepEqual(
    events.flatMap((event) => (event.type === 'block' ? [event.block] : [])),
    blocks,
  );
  const [first, last] = [events[0], events.at(-1)];
  assert.ok(first?.type === 'start' && last?.type === 'end');
  assert.equal(first.id, 'msg_1');
  assert.match(first.requestId ?? '', /^req_/);
  assert.equal(last.stopReason, 'tool_use');
  assert.deepEqual([last.usage.input_tokens, last.usage.output_tokens], [7, 99]);
  const spoken = events
    .flatMap((event) => (event.type === 'part' && event.kind === 'text' ? [event.text] : []))
    .join('');
  assert.equal(spoken, blocks.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join(''));
});

test('the marks move from request to request, and the bytes before them stay', async (t) => {
  const { ask, bodies } = await start(t, () => text('ok'));
  const messages: ModelRequest['messages'][number][] = [];
  for (let turn = 0; turn < 4; turn++) {
    messages.push({ role: 'user', content: [{ type: 'text', text: `question ${turn}` }] });
    await ask({ ...request('unused'), messages: [...messages] });
    messages.push({ role: 'assistant', content: [{ type: 'text', text: 'ok' }] });
  }
  const sent = bodies();
  assert.deepEqual(sent.map(marksOf), [
    ['system 1', 'tool 1', 'message 0'],
    ['system 1', 'tool 1', 'message 1', 'message 2'],
    ['system 1', 'tool 1', 'message 3', 'message 4'],
    ['system 1', 'tool 1', 'message 5', 'message 6'],
  ]);
  for (const [i, body] of sent.slice(1).entries()) {
    const before = withoutMarks(sent[i] ?? {});
    const after = withoutMarks(body);
    assert.deepEqual([after.system, after.tools], [before.system, before.tools]);
    assert.ok(isArray(after.messages) && isArray(before.messages));
    assert.equal(JSON.stringify(after.messages.slice(0, before.messages.length)), JSON.stringify(before.messages));
  }
});

test('thinking is sent as the request has it; without it the API decides', async (t) => {
  const { ask, bodies } = await start(t, () => text('ok'), 'ignore');
  const budget = { type: 'enabled', budget_tokens: 4000, display: 'omitted' } as const;
  await ask({ ...request('hi'), model: 'claude-sonnet-4-5', thinking: budget });
  await ask({ ...request('hi'), thinking: { type: 'adaptive', display: 'summarized' } });
  await ask({ ...request('hi'), model: 'claude-opus-4-8', thinking: { type: 'disabled' } });
  await ask(request('hi'));
  assert.deepEqual(
    bodies().map(({ thinking }) => thinking),
    [budget, { type: 'adaptive', display: 'summarized' }, { type: 'disabled' }, undefined],
  );
});

const faults: readonly { readonly name: string; readonly step: ScriptStep; readonly failure: Partial<Failure> }[] = [
  {
    name: 'a limit that names its time',
    step: { status: 429, type: 'rate_limit_error', message: 'slow down', headers: { 'retry-after': '7' } },
    failure: { status: 429, kind: 'rate_limit_error', message: 'slow down', retryAfterMs: 7000, isRetryable: true },
  },
  {
    name: 'an overload',
    step: { status: 529, type: 'overloaded_error', message: 'Overloaded' },
    failure: { status: 529, kind: 'overloaded_error', retryAfterMs: undefined, isRetryable: true },
  },
  {
    name: 'an overload that must not be retried',
    step: { status: 529, type: 'overloaded_error', message: 'Overloaded', headers: { 'x-should-retry': 'false' } },
    failure: { status: 529, isRetryable: false },
  },
  {
    name: 'a wrong key',
    step: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
    failure: { status: 401, kind: 'authentication_error', message: 'invalid x-api-key', isRetryable: false },
  },
  {
    name: 'a cut before the first event',
    step: { blocks, cutAfterEvents: 0 },
    failure: { kind: 'stream_cut', isRetryable: true },
  },
  {
    name: 'a cut in the middle',
    step: { blocks, cutAfterEvents: 6 },
    failure: { kind: 'stream_cut', isRetryable: true },
  },
  {
    name: 'a cut inside an event',
    step: { blocks, cutAfterBytes: 500 },
    failure: { kind: 'stream_cut', isRetryable: true },
  },
  {
    name: 'a hang in the middle',
    step: { blocks, hangAfterEvents: 6 },
    failure: { kind: 'stream_stalled', isRetryable: true },
  },
  { name: 'a hang before the answer', step: { hang: true }, failure: { kind: 'stream_stalled', isRetryable: true } },
  {
    name: 'an event that is not JSON',
    step: { blocks, malformedAfterEvents: 5 },
    failure: { kind: 'malformed_stream', isRetryable: true },
  },
  {
    name: 'an error in the middle',
    step: { blocks, errorAfterEvents: 5 },
    failure: { status: undefined, kind: 'overloaded_error', message: 'Overloaded', isRetryable: true },
  },
  {
    name: 'an error in the middle that will not pass',
    step: { blocks, errorAfterEvents: 5, error: { type: 'invalid_request_error', message: 'no' } },
    failure: { kind: 'invalid_request_error', message: 'no', isRetryable: false },
  },
];
type Failure = Extract<ModelEvent, { readonly type: 'failed' }>['failure'];

for (const { name, step, failure } of faults) {
  test(`${name} ends in one clear failure`, async (t) => {
    const hangs = 'hang' in step || ('blocks' in step && step.hangAfterEvents !== undefined);
    const { ask } = await start(t, [step], 'enforce', hangs ? { idleTimeoutMs: 300 } : {});
    const events = await ask(request('hi'));
    const last = events.at(-1);
    assert.ok(last?.type === 'failed');
    assert.deepEqual({ ...last.failure, ...failure }, last.failure);
    assert.equal(events.filter(({ type }) => type === 'failed' || type === 'end').length, 1);
  });
}

test('a missing server, and an environment without a key, are failures', async () => {
  const gone = await startScriptedServer({ script: [] });
  await gone.close();
  const nowhere = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: gone.url };
  const [lost] = await collect(makeStreamModel({ env: nowhere })(request('hi'), new AbortController().signal));
  assert.ok(lost?.type === 'failed');
  assert.deepEqual([lost.failure.kind, lost.failure.isRetryable], ['connection_error', true]);
  assert.match(lost.failure.message, /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)$/);
  const [keyless] = await collect(makeStreamModel({ env: {} })(request('hi'), new AbortController().signal));
  assert.ok(keyless?.type === 'failed');
  assert.deepEqual([keyless.failure.kind, keyless.failure.isRetryable], ['authentication_error', false]);
});

test('an abort ends the answer without an event', async (t) => {
  const { model } = await start(t, [{ blocks, hangAfterEvents: 6 }]);
  const stop = new AbortController();
  const events: ModelEvent[] = [];
  for await (const event of model(request('hi'), stop.signal)) {
    events.push(event);
    if (event.type === 'part' && event.kind === 'thinking') stop.abort();
  }
  assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['start', 'part']));
});

test('a history over the context window is distinguished from other refusals', async (t) => {
  const { ask } = await start(t, () => text('ok'));
  const [tooLong] = await ask({ ...request('x '.repeat(2_000_000)), model: 'claude-sonnet-4-5' });
  assert.ok(tooLong?.type === 'failed');
  assert.equal(isPromptTooLong(tooLong.failure), true, tooLong.failure.message);
  const [other] = await ask({ ...request('hi'), messages: [] });
  assert.ok(other?.type === 'failed');
  assert.equal(isPromptTooLong(other.failure), false);
});

function text(said: string): ScriptStep {
  return { blocks: [{ type: 'text', text: said }] };
}

function request(said: string): ModelRequest {
  const inputSchema = { type: 'object', properties: {} };
  return {
    model: 'claude-sonnet-4-5',
    system: ['You help.', 'Today.'],
    messages: [{ role: 'user', content: said }],
    tools: ['Read', 'List'].map((name) => ({ name, description: `${name}s`, inputSchema })),
    maxTokens: 32_000,
  };
}

async function start(
  t: TestContext,
  script: Script,
  rules: 'enforce' | 'ignore' = 'enforce',
  options: Partial<StreamModelOptions> = {},
) {
  const server = await startScriptedServer({ script, rules, apiKey: key });
  t.after(() => server.close());
  const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url };
  const model = makeStreamModel({ env, ...options });
  return {
    model,
    ask: (asked: ModelRequest) => collect(model(asked, new AbortController().signal)),
    bodies: () => server.requests.map(({ body }) => asObject(body) ?? {}),
  };
}

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function marksOf(body: JsonObject): string[] {
  const has = (value: JsonValue | undefined) => asObject(value)?.cache_control !== undefined;
  const list = (value: JsonValue | undefined) => (isArray(value) ? value : []);
  return [
    ...list(body.system).flatMap((block, i) => (has(block) ? [`system ${i}`] : [])),
    ...list(body.tools).flatMap((tool, i) => (has(tool) ? [`tool ${i}`] : [])),
    ...list(body.messages).flatMap((message, i) =>
      list(asObject(message)?.content).some(has) ? [`message ${i}`] : [],
    ),
  ];
}

function withoutMarks(value: JsonObject): JsonObject {
  const clean = (inner: JsonValue | undefined): JsonValue | undefined => {
    if (isArray(inner)) return inner.map((item) => clean(item) ?? null);
    if (!isObject(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner).flatMap(([name, item]) => (name === 'cache_control' ? [] : [[name, clean(item)]])),
    );
  };
  return clean(value) as JsonObject;
}
