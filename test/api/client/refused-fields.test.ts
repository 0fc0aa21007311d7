// An endpoint that does not know a field of the request gets it once, and never again for that model.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ModelEvent, ModelRequest } from '../../../src/api/client/model.ts';
import { makeStreamModel } from '../../../src/api/client/stream-model.ts';
import { startScriptedServer } from '../../../src/api/server/messages-server.ts';
import { asObject, type JsonObject } from '../../../src/base/json/json.ts';

const full: ModelRequest = {
  model: 'claude-opus-5-5',
  system: [],
  messages: [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
  ],
  tools: [],
  maxTokens: 9000,
  thinking: { type: 'adaptive', display: 'omitted' },
  effort: 'high',
  firstEffort: 'medium',
  effortChanges: [{ afterMessage: 2, effort: 'high' }],
};

/** Refuses every request that the function names a problem of, and returns the bodies of all requests. */
async function start(t: TestContext, problemOf: (body: JsonObject, beta: string) => string | undefined) {
  const server = await startScriptedServer({
    rules: 'ignore',
    script: ({ body, headers }) => {
      const message = problemOf(asObject(body) ?? {}, String(headers['anthropic-beta'] ?? ''));
      if (message === undefined) return { blocks: [{ type: 'text', text: 'ok' }] };
      return { status: 400, type: 'invalid_request_error', message };
    },
  });
  t.after(() => server.close());
  const stream = makeStreamModel({
    env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url, ENABLE_PROMPT_CACHING_1H: '1' },
  });
  const ask = async (request = full): Promise<ModelEvent | undefined> => {
    let last: ModelEvent | undefined;
    for await (const event of stream(request, new AbortController().signal)) last = event;
    return last;
  };
  return { ask, bodies: () => server.requests.map(({ body }) => asObject(body) ?? {}) };
}

test('every field that a gateway may refuse is given up alone', async (t) => {
  const cases: readonly (readonly [string, (body: JsonObject, beta: string) => boolean])[] = [
    ['context_management: Extra inputs are not permitted', (body) => body.context_management !== undefined],
    [
      'thinking.adaptive.display: Extra inputs are not permitted',
      (body) => asObject(body.thinking)?.display !== undefined,
    ],
    ['thinking: Extra inputs are not permitted', (body) => body.thinking !== undefined],
    ['adaptive thinking is not supported on this model', (body) => body.thinking !== undefined],
    ['output_config: Extra inputs are not permitted', (body) => body.output_config !== undefined],
    ['This model does not support the effort parameter.', (body) => body.output_config !== undefined],
    [
      'messages.3.output_config: Extra inputs are not permitted',
      (body) => JSON.stringify(body.messages).includes('output_config'),
    ],
    [
      'messages.3.role: Input should be "user" or "assistant"; role "system" is not supported',
      (body) => JSON.stringify(body.messages).includes('"system"'),
    ],
    [
      'messages.0.content.0.text.cache_control.ephemeral.ttl: Extra inputs are not permitted',
      (body) => JSON.stringify(body).includes('"ttl"'),
    ],
    ...['context-management-2025-06-27', 'effort-2025-11-24', 'interleaved-thinking-2025-05-14'].map(
      (name) =>
        [
          `Unexpected value(s) \`${name}\` for the \`anthropic-beta\` header.`,
          (_: JsonObject, beta: string) => beta.includes(name),
        ] as const,
    ),
  ];
  for (const [message, isIn] of cases) {
    const { ask, bodies } = await start(t, (body, beta) => (isIn(body, beta) ? message : undefined));
    assert.equal((await ask())?.type, 'end', message);
    assert.equal((await ask())?.type, 'end', message);
    assert.equal(bodies().length, 3, message);
    const [first = {}, second = {}] = bodies();
    const lost = Object.keys(first).filter((key) => second[key] === undefined);
    assert.ok(lost.length <= (message.startsWith('thinking: ') || message.startsWith('adaptive') ? 2 : 1), message);
  }
});

test('another model of the same endpoint keeps the field', async (t) => {
  const { ask, bodies } = await start(t, ({ model, output_config }) =>
    model === 'claude-haiku-4-5' && output_config !== undefined
      ? 'output_config: Extra inputs are not permitted'
      : undefined,
  );
  await ask({ ...full, model: 'claude-haiku-4-5' });
  await ask();
  assert.deepEqual(
    bodies().map(({ model, output_config }) => [model, output_config]),
    [
      ['claude-haiku-4-5', { effort: 'high' }],
      ['claude-haiku-4-5', undefined],
      ['claude-opus-5-5', { effort: 'medium' }],
    ],
  );
});

test('a value that is out of range, and an error about something else, are not taken for a refusal', async (t) => {
  for (const message of [
    'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens',
    'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    'messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks',
  ]) {
    const { ask, bodies } = await start(t, () => message);
    assert.equal((await ask())?.type, 'failed', message);
    assert.equal(bodies().length, 1, message);
  }
});
