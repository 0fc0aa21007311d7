// Settings that decide what is sent: content that must be asked for, names of environments, costs, and a place in another
// program's trace.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { readTraceConfig, type TraceConfig } from '../../src/trace/config/config.ts';
import { sendOutbox } from '../../src/trace/outbox/send.ts';
import { traceSession } from '../../src/trace/session/trace-session.ts';
import { assistant, sessionText, user } from '../support/session-text.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { contextFor, homeFor, runOf, toolTurn, traceEnv } from '../support/trace-kit.ts';
import { startReceiver } from '../support/trace-receiver.ts';

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

test('an endpoint for all signals gets no content until content is asked for', (context) => {
  const contents = (env: Readonly<Record<string, string>>, file?: object) =>
    configOf(context, env, file).destinations.map(({ content }) => content);
  assert.deepEqual(contents(collector), ['metadata']);
  assert.deepEqual(contents({ ...collector, CLEW_TRACE_CONTENT: 'full' }), ['full']);
  assert.deepEqual(contents({ ...collector, CLEW_TRACE_PROFILE: 'genai' }), ['metadata']);
  assert.deepEqual(contents(collector, { content: 'no-tool-content' }), ['no-tool-content']);
  assert.deepEqual(contents({ ...collector, CLEW_TRACE_CONTENT: 'full' }, { content: 'metadata' }), ['full']);
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' };
  assert.deepEqual(contents(traces), ['full']);
  assert.deepEqual(contents({ ...collector, ...traces }), ['full']);
  assert.deepEqual(contents({ ...collector, CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:4318' }), ['full']);
  assert.deepEqual(contents({}, { content: 'metadata', destinations: [{ endpoint: 'http://x' }] }), ['metadata']);
});

test('what an endpoint for all signals gets has no word of the session', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  writeTree(home, { 'p/s.jsonl': sessionText(toolTurn('q', 'the prompt'), { sessionId: 's' }) });
  const { CLEW_TRACE_ENDPOINT: _own, CLEW_TRACE_FORMAT: _format, ...env } = traceEnv(home, '');
  const otel = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
  const tracer = contextFor({ ...env, CLEW_TRACE_PROFILE: 'genai', ...otel });
  const { places, config } = tracer;
  await traceSession(runOf(path.join(home, 'p', 's.jsonl')), tracer);
  await sendOutbox({ places, destinations: config.destinations });
  assert.equal(receiver.spans.length, 4);
  assert.doesNotMatch(Buffer.concat(receiver.bodies).toString(), /the prompt|answer q|content of q|\/w\/q/);
});

test('Langfuse accepts only some names of environments', (context) => {
  const langfuse = { CLEW_TRACE_ENDPOINT: 'https://langfuse.example', CLEW_TRACE_PROFILE: 'langfuse' };
  const check = (name: string, more = langfuse) => configOf(context, { ...more, CLEW_TRACE_ENVIRONMENT: name });
  for (const name of ['ci', 'my-stage_2', '-', 'x'.repeat(40)]) assert.equal(check(name).labels.environment, name);
  for (const name of ['Production', 'langfuse-eu', 'a b', 'ü', 'x'.repeat(41)])
    assert.throws(() => check(name), /Langfuse does not accept this name of an environment/, name);
  const other = { ...langfuse, CLEW_TRACE_PROFILE: 'genai' };
  assert.equal(check('Production', other).labels.environment, 'Production');
});

test('a release has three places, the first of them wins', (context) => {
  const release = (env: Readonly<Record<string, string>>, file?: object) => configOf(context, env, file).labels.release;
  assert.equal(release({}), undefined);
  assert.equal(release({}, { release: 'a' }), 'a');
  assert.equal(release({ LANGFUSE_RELEASE: 'b' }, { release: 'a' }), 'b');
  assert.equal(release({ LANGFUSE_RELEASE: 'b', CLEW_TRACE_RELEASE: 'c' }), 'c');
});

const parent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
const parsed = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };

test('a traceparent is read as W3C has it, and anything else is ignored', (context) => {
  const parentOf = (env: Readonly<Record<string, string>>) => configOf(context, env).parent;
  assert.equal(parentOf({}), undefined);
  assert.deepEqual(parentOf({ TRACEPARENT: parent }), parsed);
  assert.deepEqual(parentOf({ CC_LANGFUSE_TRACEPARENT: parent.toUpperCase() }), parsed);
  const other = parent.replace('cd', '11');
  assert.deepEqual(parentOf({ CC_LANGFUSE_TRACEPARENT: parent, TRACEPARENT: other }), parsed);
  const wrong = [
    'x',
    parent.replace('00-', 'ff-'),
    parent.replace('cd'.repeat(8), '0'.repeat(16)),
    parent.slice(0, -4),
  ];
  for (const text of wrong) assert.equal(parentOf({ TRACEPARENT: text }), undefined, text);
  // The client's own span, not the one that started the client.
  assert.equal(parentOf({ TRACEPARENT: parent, CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1' }), undefined);
  const both = { CC_LANGFUSE_TRACEPARENT: parent, CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1' };
  assert.deepEqual(parentOf(both), parsed);
  assert.deepEqual(parentOf({ TRACEPARENT: parent, CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '0' }), parsed);
});

test('two turns of one session are both below the parent, with ids of their own', async (context) => {
  const receiver = await startReceiver(context);
  const home = homeFor(context);
  writeTree(home, { 'p/s.jsonl': sessionText([...toolTurn('a'), ...toolTurn('b')], { sessionId: 's' }) });
  const tracer = contextFor(traceEnv(home, receiver.url, { TRACEPARENT: parent }));
  const { places, config } = tracer;
  await traceSession(runOf(path.join(home, 'p', 's.jsonl')), tracer);
  await sendOutbox({ places, destinations: config.destinations });
  assert.equal(new Set(receiver.spans.map(({ spanId }) => spanId)).size, 8);
  assert.ok(receiver.spans.every(({ traceId }) => traceId === parsed.traceId));
  const roots = receiver.spans.filter(({ parentSpanId }) => parentSpanId === parsed.spanId);
  assert.deepEqual(
    roots.map(({ name }) => name),
    ['Turn 1', 'Turn 2'],
  );
});

test('costs are sent for the models that are named, by the prices of clew usage', async (context) => {
  // Opus 4.5: $5 and $25 for a million tokens in and out, $0.50 read, $6.25 and $10 written for 5 minutes and 1 hour.
  const usage = {
    input_tokens: 1000,
    output_tokens: 2000,
    cache_read_input_tokens: 10_000,
    cache_creation_input_tokens: 4100,
    cache_creation: { ephemeral_5m_input_tokens: 4000, ephemeral_1h_input_tokens: 100 },
  };
  const models = ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-of-nobody'];
  const lines = models.flatMap((model) => [
    user(`ask ${model}`),
    assistant('yes', { message: { id: model, model, usage } }),
  ]);
  const costs = async (setting: string) => {
    const receiver = await startReceiver(context);
    const home = homeFor(context);
    writeTree(home, { 'p/s.jsonl': sessionText(lines, { sessionId: 's' }) });
    const tracer = contextFor(traceEnv(home, receiver.url, { CLEW_TRACE_COST: setting }));
    const { places, config } = tracer;
    await traceSession(runOf(path.join(home, 'p', 's.jsonl')), tracer);
    await sendOutbox({ places, destinations: config.destinations });
    const found = receiver.spans.filter(({ name }) => name.startsWith('claude-'));
    return found.map(({ name, attributes }) => [name, attributes['langfuse.observation.cost_details']]);
  };
  const [opus, sonnet, nobody] = models;
  assert.deepEqual(await costs('all'), [
    [opus, '{"total":0.086}'],
    [sonnet, '{"total":0.0516}'],
    [nobody, undefined],
  ]);
  assert.deepEqual(await costs('claude-opus-*, other'), [
    [opus, '{"total":0.086}'],
    [sonnet, undefined],
    [nobody, undefined],
  ]);
  assert.deepEqual(
    (await costs('off')).map(([, cost]) => cost),
    [undefined, undefined, undefined],
  );
});

function configOf(context: TestContext, env: Readonly<Record<string, string>>, file?: object): TraceConfig {
  const folder = temporaryFolder(context);
  if (file !== undefined) writeTree(folder, { 'trace.json': JSON.stringify(file) });
  return readTraceConfig({ ...env, CLEW_HOME: folder });
}
