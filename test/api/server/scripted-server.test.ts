// The scripted server as a client sees it: its streams, its faults and its refusals.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { test } from 'node:test';
import { startScriptedServer } from '../../../src/api/server/messages-server.ts';
import { RequestLog } from '../../../src/api/server/script.ts';
import { asObject, isArray, isObject } from '../../../src/base/json/json.ts';
import { ask, contentOfEvents, post, requestOf, stream } from '../../support/messages-client.ts';
import { waitFor } from '../../support/wait.ts';
import { blocks, pong, start } from './scripted-server-kit.ts';

test('a reply is streamed in the order of the API, and its deltas make the blocks', async (t) => {
  const { url } = await start(t, [{ blocks, usage: { input_tokens: 7, output_tokens: 99 } }]);
  const { events, cut } = await stream(url, ask('read it'));
  assert.deepEqual(contentOfEvents(events), blocks);
  const order = events.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`));
  const distinct = order.filter((name, i) => name !== order[i - 1]);
  assert.deepEqual(distinct, [
    'message_start',
    'content_block_start 0',
    'ping',
    'content_block_delta 0',
    'content_block_stop 0',
    'content_block_start 1',
    'content_block_delta 1',
    'content_block_stop 1',
    'content_block_start 2',
    'content_block_stop 2',
    ...[3, 4, 5].flatMap((i) => [`content_block_start ${i}`, `content_block_delta ${i}`, `content_block_stop ${i}`]),
    'message_delta',
    'message_stop',
  ]);
  const kinds = events.flatMap(({ delta }) => asObject(delta)?.type ?? []);
  assert.deepEqual(
    [...new Set(kinds)],
    ['thinking_delta', 'signature_delta', 'text_delta', 'citations_delta', 'input_json_delta'],
  );
  assert.ok(kinds.filter((kind) => kind === 'input_json_delta').length > 4, 'the input comes in pieces');
  const started = asObject(events[0]?.message);
  assert.deepEqual([started?.content, started?.role, started?.model], [[], 'assistant', 'claude-sonnet-4-5']);
  assert.equal(asObject(started?.usage)?.input_tokens, 7);
  const last = events.at(-2);
  assert.deepEqual(last?.delta, { stop_reason: 'tool_use', stop_sequence: null });
  assert.equal(asObject(last?.usage)?.output_tokens, 99);
  assert.equal(cut, false);
});

test('no delta ends inside a character', async (t) => {
  const { url } = await start(t, [{ blocks: [{ type: 'text', text: '😀'.repeat(1000) }] }]);
  const { events } = await stream(url, ask('smile'));
  const texts = events.flatMap(({ delta }) => asObject(delta)?.text ?? []).map(String);
  assert.ok(texts.length > 10 && texts.every((text) => text.isWellFormed()));
});

test('a reply that is not streamed is one message', async (t) => {
  const { url } = await start(t, [
    { blocks, id: 'msg_1', model: 'm', stopReason: 'max_tokens', usage: { input_tokens: 1, output_tokens: 2 } },
  ]);
  const { status, body } = await post(url, ask('read it'));
  assert.equal(status, 200);
  assert.deepEqual(body, {
    model: 'm',
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: blocks,
    stop_reason: 'max_tokens',
    stop_sequence: null,
    usage: {
      input_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 2,
      service_tier: 'standard',
    },
  });
});

test('a call without an id gets one, and each its own', async (t) => {
  const call = { type: 'tool_use', name: 'Read', input: {} };
  const { url } = await start(t, [{ blocks: [call, call] }]);
  const { body } = await post(url, ask('go'));
  const ids = (isArray(body.content) ? body.content : []).map((block) => String(asObject(block)?.id));
  assert.equal(new Set(ids).size, 2);
  assert.ok(
    ids.every((id) => /^toolu_01\w{22}$/.test(id)),
    ids.join(),
  );
});

test('errors have their status, message and headers, and the next request gets the next step', async (t) => {
  const limited = { status: 429, type: 'rate_limit_error', message: 'Slow down', headers: { 'retry-after': '2' } };
  const { url } = await start(t, [limited, { status: 529, type: 'overloaded_error', message: 'Overloaded' }, pong]);
  const first = await post(url, ask('a'));
  assert.deepEqual(
    [first.status, first.headers.get('retry-after'), first.body.type, first.body.error],
    [429, '2', 'error', { type: 'rate_limit_error', message: 'Slow down' }],
  );
  assert.equal((await post(url, ask('b', { stream: true }))).status, 529);
  assert.equal((await post(url, ask('c'))).status, 200);
  const { status, body } = await post(url, ask('d'));
  assert.deepEqual([status, asObject(body.error)?.message], [400, 'the script has 3 steps, but this is request 4']);
});

test('a script may be a function of the request, and an exception is a 500', async (t) => {
  const { url } = await start(t, ({ body }) => {
    const asked = isObject(body) && isArray(body.messages) ? asObject(body.messages[0])?.content : undefined;
    if (asked === 'fail') throw new Error('no idea');
    return { blocks: [{ type: 'text', text: `you said ${asked}` }] };
  });
  assert.deepEqual((await post(url, ask('hi'))).body.content, [{ type: 'text', text: 'you said hi' }]);
  const { status, body } = await post(url, ask('fail'));
  assert.deepEqual([status, body.error], [500, { type: 'api_error', message: 'Error: no idea' }]);
});

test('a stream is cut after an exact number of bytes or events', async (t) => {
  const { url } = await start(t, [
    { blocks, cutAfterBytes: 777 },
    { blocks, cutAfterEvents: 4 },
    { blocks, cutAfterBytes: 0 },
  ]);
  const first = await stream(url, ask('a'));
  assert.deepEqual([first.bytes, first.cut], [777, true]);
  const second = await stream(url, ask('b'));
  assert.deepEqual([second.events.length, second.cut], [4, true]);
  const third = await stream(url, ask('c'));
  assert.deepEqual([third.bytes, third.cut], [0, true]);
});

test('a reply that is not streamed is cut too', async (t) => {
  const { url } = await start(t, [
    { blocks, cutAfterBytes: 10 },
    { blocks, cutAfterEvents: 1 },
  ]);
  await assert.rejects(post(url, ask('a')));
  await assert.rejects(post(url, ask('b')));
});

test('a malformed event is among valid ones', async (t) => {
  const { url } = await start(t, [
    { blocks, malformedAfterEvents: 3 },
    { ...pong, malformedAfterEvents: 0 },
  ]);
  const { events, broken } = await stream(url, ask('a'));
  assert.equal(broken.length, 1);
  assert.deepEqual(contentOfEvents(events), blocks);
  const { status, body } = await post(url, ask('b'));
  assert.deepEqual([status, body], [200, {}]);
});

test('an error in the middle of a stream is its last event', async (t) => {
  const { url } = await start(t, [
    { blocks, errorAfterEvents: 5 },
    { blocks, errorAfterEvents: 0, error: { type: 'api_error', message: 'Oh' } },
  ]);
  const { events, cut } = await stream(url, ask('a'));
  assert.equal(events.length, 6);
  assert.deepEqual(
    [events.at(-1), cut],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, false],
  );
  const { status, body } = await post(url, ask('b'));
  assert.deepEqual([status, body.error], [500, { type: 'api_error', message: 'Oh' }]);
});

test('a hang sends nothing more, the server serves others, and closing ends it', async (t) => {
  const server = await start(t, [{ hang: true }, { blocks, hangAfterEvents: 3 }, pong]);
  const silent = post(server.url, ask('a'));
  silent.catch(() => {});
  await waitFor(() => server.requests.length === 1);
  let heard = 0;
  const half = stream(server.url, ask('b'), (events) => {
    heard = events;
    return false;
  });
  await waitFor(() => heard === 3);
  assert.equal((await post(server.url, ask('c'))).status, 200);
  await server.close();
  await assert.rejects(silent);
  const { events, cut } = await half;
  assert.deepEqual([events.length, cut], [3, true]);
});

test('a client that leaves during a pause ends it, and the server continues', async (t) => {
  const { url } = await start(t, [{ blocks, betweenBlocksMs: 600_000 }, pong]);
  const { cut } = await stream(url, ask('a'), (events) => events > 3);
  assert.equal(cut, true);
  assert.equal((await post(url, ask('b'))).status, 200);
});

test('closing ends a pause before the first byte', async (t) => {
  const server = await start(t, [{ ...pong, delayMs: 600_000 }]);
  const waiting = post(server.url, ask('a'));
  waiting.catch(() => {});
  await waitFor(() => server.requests.length === 1);
  await server.close();
  await assert.rejects(waiting);
});

const brokenRequests = {
  'messages: at least one message is required': [],
  "messages.0.role: Input should be 'user' or 'assistant'": [{ role: 'robot', content: 'hi' }],
  'messages.0: user messages must have non-empty content': [{ role: 'user', content: '' }],
  'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.':
    [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't9', content: 'x' }] }],
  'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.':
    [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] },
      { role: 'user', content: 'and?' },
    ],
  'messages: text content blocks must be non-empty': [{ role: 'user', content: [{ type: 'text', text: '' }] }],
};

test("a request that breaks a rule is refused with the API's error, and uses no step of the script", async (t) => {
  const { url } = await start(t, [pong]);
  for (const [message, messages] of Object.entries(brokenRequests)) {
    const { status, body } = await post(url, requestOf(messages));
    assert.deepEqual([status, body.type, body.error], [400, 'error', { type: 'invalid_request_error', message }]);
  }
  for (const field of ['model', 'max_tokens', 'messages']) {
    const { body } = await post(url, { ...ask('hi'), [field]: undefined });
    assert.deepEqual(body.error, { type: 'invalid_request_error', message: `${field}: Field required` });
  }
  assert.equal((await post(url, ask('hi'))).status, 200);
});

test('rules are not checked if the options say so', async (t) => {
  const { url } = await start(t, [pong], { rules: 'ignore' });
  assert.equal((await post(url, requestOf([]))).status, 200);
});

test('a key is required if one is set', async (t) => {
  const { url } = await start(t, [pong, pong], { apiKey: 'right' });
  const message = async (headers: Record<string, string>) => {
    const { status, body } = await post(url, ask('hi'), headers);
    return [status, asObject(body.error)?.message];
  };
  assert.deepEqual(await message({}), [401, 'x-api-key header is required']);
  assert.deepEqual(await message({ 'x-api-key': 'wrong' }), [401, 'invalid x-api-key']);
  assert.deepEqual(await message({ 'x-api-key': 'right' }), [200, undefined]);
  assert.deepEqual(await message({ authorization: 'Bearer right' }), [200, undefined]);
});

test('tokens are estimated, models listed, and all else is not found', async (t) => {
  const { url } = await start(t, []);
  const count = await post(
    url,
    ask('x'.repeat(4000), { max_tokens: undefined, tools: undefined }),
    {},
    '/v1/messages/count_tokens',
  );
  assert.deepEqual([count.status, count.body], [200, { input_tokens: 1000 }]);
  const models = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[]; has_more: boolean };
  assert.ok(models.data.some(({ id }) => id === 'claude-opus-4-5') && !models.has_more);
  const one = await (await fetch(`${url}/v1/models/claude-opus-4-5`)).json();
  assert.deepEqual(one, {
    type: 'model',
    id: 'claude-opus-4-5',
    display_name: 'Claude Opus 4 5',
    created_at: '1970-01-01T00:00:00Z',
  });
  assert.equal((await fetch(`${url}/v1/models/claude-0`)).status, 404);
  assert.equal((await fetch(`${url}/v1/messages`)).status, 405);
  assert.equal((await post(url, '{}', {}, '/v1/complete')).status, 404);
});

test('hostile requests are answered or dropped, and the server continues', async (t) => {
  const { url, port } = await start(t, [pong]);
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  for (const body of [
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '{"messages":',
    '\xff\xfe',
    deep,
    '{"model":1,"max_tokens":"a","messages":{"length":1e9}}',
  ]) {
    const { status } = await post(url, body);
    assert.equal(status, 400, body.slice(0, 40));
  }
  for (const content of [null, 3, [null], [[]], [{}], [{ type: 'text' }], [{ type: 'tool_result' }]]) {
    const { status } = await post(url, requestOf([{ role: 'user', content }]));
    assert.ok(status === 400 || status === 200, `${JSON.stringify(content)}: ${status}`);
  }
  const nested = `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"x","y":${deep}}]}]}`;
  assert.notEqual((await post(url, nested)).status, 200); // our own traversal ends at any depth
  assert.equal((await post(url, 'not gzip', { 'content-encoding': 'gzip' })).status, 400);
  assert.equal((await post(url, '{}', { 'content-encoding': 'zip' })).status, 400);
  for (const raw of [
    'nonsense\r\n\r\n',
    'POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: -4\r\n\r\n',
    '\0\0\0\0',
  ]) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.end(raw);
    await readText(socket).catch(() => '');
  }
  assert.equal((await fetch(url)).status, 200);
});

test('requests are logged with their bodies', async (t) => {
  const seen: string[] = [];
  const server = await start(t, [pong], { onRequest: ({ method, path }) => seen.push(`${method} ${path}`) });
  await post(server.url, ask('hi'));
  await fetch(`${server.url}/v1/models?limit=3`);
  assert.deepEqual(seen, ['POST /v1/messages', 'GET /v1/models']);
  assert.deepEqual(
    server.requests.map(({ index, body }) => [index, body]),
    [
      [0, ask('hi')],
      [1, undefined],
    ],
  );
});

test('the log drops the oldest bodies when they are too many bytes, but never the newest', () => {
  const log = new RequestLog(100);
  for (const bodyBytes of [40, 40, 40, 200])
    log.add({ method: 'POST', path: '/', headers: {}, body: bodyBytes, bodyBytes });
  assert.deepEqual(
    log.requests.map(({ index, body }) => [index, body]),
    [
      [0, undefined],
      [1, undefined],
      [2, undefined],
      [3, 200],
    ],
  );
  for (let i = 0; i < 10_000; i++) log.add({ method: 'GET', path: '/', headers: {}, body: undefined, bodyBytes: 0 });
  assert.deepEqual([log.requests.length, log.requests[0]?.index, log.requests.at(-1)?.index], [10_000, 4, 10_003]);
});

test('a port in use is a one-line error', async (t) => {
  const { port } = await start(t, []);
  await assert.rejects(startScriptedServer({ script: [], port }), {
    name: 'UserError',
    message: `port ${port} of 127.0.0.1 is in use; choose another port, or leave it out for a free one`,
  });
});
