// The thinking controls of the client: the beta and the setting for known endpoints only, and not again after a
// refusal.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ModelEvent } from '../../../src/api/client/model.ts';
import { makeStreamModel } from '../../../src/api/client/stream-model.ts';
import { hostOf } from '../../../src/api/connection/credentials.ts';
import { startScriptedServer } from '../../../src/api/server/messages-server.ts';
import type { Script } from '../../../src/api/server/script.ts';
import { asObject } from '../../../src/base/json/json.ts';

const beta = 'thinking-binding-controls-2026-08-01';
const drop = { prefix_mismatch_behavior: 'drop_block' };
const ok = { blocks: [{ type: 'text', text: 'ok' }] };

async function start(t: TestContext, script: Script, controls: string | undefined) {
  const server = await startScriptedServer({ script });
  t.after(() => server.close());
  const env = {
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: server.url,
    ...(controls === undefined ? {} : { CLEW_THINKING_CONTROLS: controls }),
  };
  const stream = makeStreamModel({ env });
  const ask = async (model: string, isThinking = true): Promise<ModelEvent | undefined> => {
    const thinking = isThinking ? { thinking: { type: 'adaptive', display: 'omitted' } as const } : {};
    const messages = [{ role: 'user', content: 'hi' }] as const;
    const request = { model, system: [], messages, tools: [], maxTokens: 9000, ...thinking };
    let last: ModelEvent | undefined;
    for await (const event of stream(request, new AbortController().signal)) last = event;
    return last;
  };
  const sent = () =>
    server.requests.map(({ headers, body }) => [headers['anthropic-beta'], asObject(body)?.thinking ?? 'none']);
  return { ask, sent };
}

test('only api.anthropic.com is known to have the controls', () => {
  const table = [
    [undefined, 'anthropic'],
    ['', 'anthropic'],
    ['https://api.anthropic.com', 'anthropic'],
    ['https://api.anthropic.com/', 'anthropic'],
    ['http://127.0.0.1:4000', 'gateway'],
    ['https://api.anthropic.com.example.org', 'gateway'],
    ['not a url', 'gateway'],
  ] as const;
  for (const [url, host] of table)
    assert.equal(hostOf(url === undefined ? {} : { ANTHROPIC_BASE_URL: url }), host, url);
});

const thinks = ['context-management-2025-06-27', 'interleaved-thinking-2025-05-14'];
const sorted = (header: unknown): readonly string[] =>
  String(header ?? '')
    .split(',')
    .filter(Boolean)
    .sort();

test('the beta goes with every request, the setting with models that check', async (t) => {
  const { ask, sent } = await start(t, () => ok, '1');
  await ask('claude-opus-5-5');
  await ask('claude-opus-5-5', false);
  await ask('claude-sonnet-4-6');
  await ask('claude-sonnet-4-6', false);
  assert.deepEqual(
    sent().map(([header, thinking]) => [sorted(header), thinking]),
    [
      [[...thinks, beta], { type: 'adaptive', display: 'omitted', block_binding: drop }],
      [[beta], 'none'],
      [[...thinks, beta], { type: 'adaptive', display: 'omitted' }],
      [[beta], 'none'],
    ],
  );
});

test('an unknown endpoint gets neither', async (t) => {
  for (const controls of [undefined, '0']) {
    const { ask, sent } = await start(t, () => ok, controls);
    await ask('claude-opus-5-5');
    assert.deepEqual(
      sent().map(([header, thinking]) => [sorted(header), thinking]),
      [[thinks, { type: 'adaptive', display: 'omitted' }]],
    );
  }
});

for (const message of [
  'thinking.adaptive.block_binding: Extra inputs are not permitted',
  `Unexpected value(s) \`${beta}\` for the \`anthropic-beta\` header.`,
])
  test(`"${message}" leads to requests without it`, async (t) => {
    const refused = { status: 400, type: 'invalid_request_error', message };
    const { ask, sent } = await start(t, [refused, ok, ok], '1');
    assert.equal((await ask('claude-opus-5-5'))?.type, 'end');
    assert.equal((await ask('claude-opus-5-5'))?.type, 'end');
    assert.deepEqual(
      sent().map(([header]) => sorted(header)),
      [[...thinks, beta], thinks, thinks],
    );
  });

test('the report of the API is part of the first event', async (t) => {
  const entry = { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'model_binding_mismatch' };
  const server = await startScriptedServer({ script: [{ ...ok, inputTransformations: [entry] }] });
  t.after(() => server.close());
  const stream = makeStreamModel({ env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url } });
  const messages = [{ role: 'user', content: 'hi' }] as const;
  const request = { model: 'claude-opus-5-5', system: [], messages, tools: [], maxTokens: 99 };
  const events: ModelEvent[] = [];
  for await (const event of stream(request, new AbortController().signal)) events.push(event);
  const [first] = events;
  assert.deepEqual(first?.type === 'start' ? first.transformations : undefined, [entry]);
});
