// The parts of the interop kit that need no client: the mock, the normaliser, the difference, the recordings.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';
import { type NormalMessage, normalise } from '../../src/session/resume/messages/normalise.ts';
import { describeDifference } from '../interop/difference.ts';
import { type ApiRequest, startMockApi } from '../interop/mock-api.ts';
import { chooseReply, type Scripts } from '../interop/mock-reply.ts';
import { type RecordedCase, realCases, safeProfileCase, vectorCases } from '../interop/recordings.ts';
import { scenarioScripts } from '../interop/scripts.ts';

const scripts: Scripts = {
  two: [
    {
      blocks: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a' } },
      ],
    },
    { blocks: [{ type: 'text', text: 'a'.repeat(50) }] },
  ],
  failing: [
    { status: 529, errorType: 'overloaded_error', message: 'Overloaded', headers: { 'x-should-retry': 'false' } },
  ],
};
const tools = [{ name: 'Read' }];
const user = (content: string | readonly JsonObject[]): JsonObject => ({ role: 'user', content });
const assistant: JsonObject = { role: 'assistant', content: [{ type: 'text', text: 'x' }] };

test('the newest marker chooses the script, the answers after it choose the step', () => {
  const kind = (...messages: readonly JsonObject[]) => chooseReply({ tools, messages }, scripts).kind;
  assert.deepEqual(
    [
      kind(user('go [[two]]')),
      kind(user('[[failing]]'), assistant, user('go [[two]]'), assistant, user('on')),
      kind(user('go [[two]]'), assistant, assistant, assistant),
      kind(user([{ type: 'text', text: '[[unknown]]' }])),
      kind(user('Write a detailed summary of the conversation [[two]]')),
    ],
    ['two#0', 'two#1', 'two#3', 'default', 'compact'],
  );
  assert.deepEqual(
    chooseReply({ tools, messages: [user('[[two]]'), assistant, assistant] }, scripts).reply,
    scripts.two?.[1],
  );
});

test("a request without tools is the client's own and never answered from a script", () => {
  const messages = [user('go [[two]]')];
  assert.deepEqual(
    [
      chooseReply({ messages }, scripts),
      chooseReply({ messages, max_tokens: 1 }, scripts),
      chooseReply({ messages, output_config: { format: { properties: { title: {} } } } }, scripts),
    ],
    [
      { kind: 'side', reply: { blocks: [{ type: 'text', text: 'Mock side answer' }] } },
      { kind: 'side', reply: { blocks: [{ type: 'text', text: '#' }] } },
      { kind: 'title', reply: { blocks: [{ type: 'text', text: '{"title":"Mock widget session"}' }] } },
    ],
  );
});

test('the mock streams an answer that adds up to the one it sends whole', async () => {
  await withMock(async (post) => {
    for (const messages of [[user('[[two]]')], [user('[[two]]'), assistant]]) {
      const whole = (await (await post('/v1/messages', { tools, messages })).json()) as JsonObject;
      const streamed = addUp(await (await post('/v1/messages?beta=true', { tools, messages, stream: true })).text());
      assert.deepEqual(streamed, {
        content: whole.content,
        stop_reason: whole.stop_reason,
        usage: whole.usage,
      });
    }
  });
});

test('the mock counts tokens, fails on request, and hands every request to the test', async () => {
  const seen = await withMock(async (post) => {
    const counted = await post('/v1/messages/count_tokens', { messages: [] });
    assert.deepEqual(await counted.json(), { input_tokens: 4 });
    const failed = await post('/v1/messages', { tools, messages: [user('[[failing]]')] });
    assert.deepEqual(
      [failed.status, failed.headers.get('x-should-retry'), await failed.json()],
      [529, 'false', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    );
    assert.equal((await post('/v1/elsewhere', {})).status, 404);
  });
  assert.deepEqual(
    seen.map(({ path, kind }) => [path, kind]),
    [
      ['/v1/messages/count_tokens', 'other'],
      ['/v1/messages', 'failing#0'],
      ['/v1/elsewhere', 'other'],
    ],
  );
});

test('every scenario has an answer for a client of either generation of tools', () => {
  for (const [name, steps] of Object.entries(scenarioScripts('/home/dev/widgets')))
    for (const offered of [['TodoWrite', 'Task'], ['Agent']])
      for (const index of steps.keys()) {
        const messages = [user(`[[${name}]]`), ...Array.from({ length: index }, () => assistant)];
        const request = { tools: offered.map((tool) => ({ name: tool })), messages };
        const { kind, reply } = chooseReply(request, scenarioScripts('/home/dev/widgets'));
        assert.equal(kind, `${name}#${index}`);
        assert.ok('status' in reply || reply.blocks.length > 0);
      }
});

test('normalise removes only what the client itself adds', () => {
  const reminder = { type: 'text', text: '<system-reminder>\nx\n</system-reminder>' };
  const result = (content: string | readonly object[]) => ({ type: 'tool_result', tool_use_id: 't', content });
  assert.deepEqual(
    normalise([
      { role: 'system', content: 'rules' },
      { role: 'user', content: [reminder] },
      { role: 'user', content: 'hello' },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'a <system-reminder>', cache_control: { type: 'ephemeral' } }],
      },
      {
        role: 'user',
        content: [
          result('out\n\n<system-reminder>\nx\n</system-reminder>'),
          result([{ type: 'text', text: 'out\n' }, reminder]),
          result([{ type: 'text', text: 'out\n' }]),
          result([{ type: 'image' }, reminder, { type: 'text', text: 'more' }]),
          reminder,
          { type: 'text', text: 'next' },
        ],
      },
    ]),
    [
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'a <system-reminder>' }] },
      {
        role: 'user',
        content: [
          result('out'),
          result([{ type: 'text', text: 'out' }]),
          result([{ type: 'text', text: 'out\n' }]),
          result([{ type: 'image' }, { type: 'text', text: 'more' }]),
          { type: 'text', text: 'next' },
        ],
      },
    ],
  );
});

test('a difference names the block and shows a little of both sides', () => {
  const message = (text: string, role = 'user'): NormalMessage => ({ role, content: [{ type: 'text', text }] });
  const same = message('same');
  const long = 'x'.repeat(5000);
  assert.equal(describeDifference([same, message(long)], [same, message(long)]), undefined);
  assert.equal(
    describeDifference([same, message('left')], [same, message('right')]),
    [
      'the client sends 2 messages, we predict 2; they part at message 1 (user), block 0',
      '  client: {"type":"text","text":"left"}',
      '  ours:   {"type":"text","text":"right"}',
    ].join('\n'),
  );
  assert.equal(
    describeDifference([same], [same, same]),
    [
      'the client sends 1 messages, we predict 2; they part at message 1',
      '  client: (nothing)',
      '  ours:   {"role":"user","content":[{"type":"text","text":"same"}]}',
    ].join('\n'),
  );
  const far = describeDifference([message(`${long}a${long}`)], [message(`${long}b${long}`)]) ?? '';
  assert.ok(far.length < 800 && far.includes('xa') && far.includes('xb'));
});

test('the repository carries its recordings whole', () => {
  const outcomes = (cases: readonly RecordedCase[]) => ({
    cases: cases.length,
    refused: cases.filter(({ expected }) => 'refused' in expected).length,
    withoutTranscript: cases.filter(({ file }) => !existsSync(file)),
    withoutPrompt: cases.filter(({ expected }) => 'messages' in expected && !endsWithPrompt(expected.messages)),
  });
  assert.deepEqual(
    [outcomes(vectorCases()), outcomes(realCases()), outcomes([safeProfileCase()])],
    [
      { cases: 110, refused: 7, withoutTranscript: [], withoutPrompt: [] },
      { cases: 12, refused: 1, withoutTranscript: [], withoutPrompt: [] },
      { cases: 1, refused: 0, withoutTranscript: [], withoutPrompt: [] },
    ],
  );
});

function endsWithPrompt(messages: readonly NormalMessage[]): boolean {
  return messages.at(-1)?.content.at(-1)?.text === 'next';
}

type Post = (path: string, body: JsonObject) => Promise<Response>;

async function withMock(use: (post: Post) => Promise<void>): Promise<ApiRequest[]> {
  const requests: ApiRequest[] = [];
  const mock = await startMockApi({ scripts, onRequest: (request) => requests.push(request) });
  try {
    await use((path, body) =>
      fetch(`http://127.0.0.1:${mock.port}${path}`, { method: 'POST', body: JSON.stringify(body) }),
    );
  } finally {
    await mock.close();
  }
  return requests;
}

interface StreamEvent {
  readonly type: string;
  readonly index: number;
  readonly content_block: Record<string, JsonValue>;
  readonly delta: Readonly<Record<string, string>>;
  readonly usage: JsonObject;
}

/** What a client makes of a stream. */
function addUp(stream: string): JsonObject {
  const content: Record<string, JsonValue>[] = [];
  let ending: JsonObject = {};
  for (const [, data] of stream.matchAll(/^data: (.*)$/gm)) {
    const event = JSON.parse(data ?? '') as StreamEvent;
    const block = content[event.index] ?? {};
    if (event.type === 'content_block_start') content[event.index] = event.content_block;
    if (event.type === 'message_delta') ending = { stop_reason: event.delta.stop_reason, usage: event.usage };
    if (event.type !== 'content_block_delta') continue;
    const { type, partial_json: json, ...pieces } = event.delta;
    if (type === 'input_json_delta') block.input = JSON.parse(json ?? '') as JsonValue;
    for (const [key, piece] of Object.entries(pieces)) block[key] = `${block[key]}${piece}`;
  }
  return { content, ...ending };
}
