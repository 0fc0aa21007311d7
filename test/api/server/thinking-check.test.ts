// The servers treat thinking as the documentation of preserved thinking says: what keeps a block valid, what the API
// refuses and with which error, what it drops, and what it only reports. The tables are hand-written.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startReplayServer } from '../../../src/api/server/replay-server.ts';
import type { AccountKind } from '../../../src/api/server/thinking-check.ts';
import { asObject, isArray, type JsonObject, type JsonValue } from '../../../src/base/json/json.ts';
import { post, stream } from '../../support/messages-client.ts';
import { transcript } from '../../support/transcript-builder.ts';
import { start } from './scripted-server-kit.ts';

type Json = Record<string, JsonValue>;
type Message = { role: string; content: Json[] };
interface Body extends Json {
  model: string;
  system: JsonValue;
  tools: Json[];
  messages: Message[];
}

const opus = 'claude-opus-5-5';
const beta = { 'anthropic-beta': 'fast-mode-2026-02-01,thinking-binding-controls-2026-08-01' };
const drop = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
const raise = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'error' } };

const text = (words: string): Json => ({ type: 'text', text: words });
const user = (...content: Json[]): Message => ({ role: 'user', content });
const firstTools = (): Json[] => [
  { name: 'Read', description: 'Reads a file.', input_schema: { type: 'object' } },
  { name: 'Bash', description: 'Runs a command.', input_schema: { type: 'object' } },
];

/** Thinking, text and a call in each answer; messages 1, 3 and 5 are the answers, thinking is their first block. */
async function talk(url: string, model = opus, more: Json = {}): Promise<Body> {
  const messages = [user(text('Fix it. Today is Monday.'))];
  const body: Body = { model, max_tokens: 1000, system: 'You work.', tools: firstTools(), messages, ...more };
  for (let round = 1; round <= 3; round++) {
    const { status, body: answer } = await post(url, body as JsonObject);
    assert.equal(status, 200, JSON.stringify(answer));
    messages.push({ role: 'assistant', content: answer.content as unknown as Json[] });
    messages.push(user({ type: 'tool_result', tool_use_id: `toolu_${round}`, content: `result ${round}` }));
  }
  return body;
}

async function startTalk(t: TestContext, account: AccountKind = 'enforced', organization = 'org-1') {
  return start(
    t,
    ({ body }) => {
      const sent = asObject(body)?.messages;
      const round = isArray(sent) ? Math.ceil(sent.length / 2) : 0;
      return {
        blocks: [
          { type: 'thinking', thinking: `thought ${round}` },
          { type: 'text', text: `answer ${round}` },
          { type: 'tool_use', id: `toolu_${round}`, name: 'Read', input: { round } },
        ],
      };
    },
    { account, organization },
  );
}

const clone = (body: Body): Body => structuredClone(body);
const withoutThinking =
  (...indices: number[]) =>
  (body: Body): void => {
    for (const i of indices) body.messages[i]?.content.shift();
  };
const systemSentence = 'The `system` prompt differs from the one this block was created with.';
const toolsSentence = 'The `tools` list differs from the one this block was created with.';
const holeSentence = 'The `thinking` block that preceded this one when it was created is missing from this request.';
const contentSentence = (path: string): string =>
  `Content before this block differs from when it was created, first at \`${path}\`.`;

/** `undefined`: all blocks are valid. Otherwise the path of the first invalid block, and the last sentence. */
type Row = readonly [name: string, change: (body: Body) => void, refusal?: readonly [path: string, sentence: string]];

const rows: readonly Row[] = [
  ['nothing', () => undefined],
  ['a message is appended', (body) => body.messages.push(user(text('More.')))],
  ['a system message is appended', (body) => body.messages.push({ role: 'system', content: [text('Note.')] })],
  [
    'cache marks',
    (body) => {
      Object.assign(body.messages[0]?.content[0] ?? {}, { cache_control: { type: 'ephemeral' } });
      Object.assign(body.tools[1] ?? {}, { cache_control: { type: 'ephemeral' } });
    },
  ],
  ['a string for a text block in system', (body) => Object.assign(body, { system: [text('You work.')] })],
  [
    'a string for a text block in messages',
    (body) => Object.assign(body.messages[0] ?? {}, { content: 'Fix it. Today is Monday.' }),
  ],
  [
    'blocks for the string of a result',
    (body) => Object.assign(body.messages[2]?.content[0] ?? {}, { content: [text('result 1')] }),
  ],
  [
    'the order of keys',
    (body) => body.tools.splice(0, 1, { input_schema: { type: 'object' }, description: 'Reads a file.', name: 'Read' }),
  ],
  ['the order of tools', (body) => body.tools.reverse()],
  ['a deferred tool that nothing loads', (body) => body.tools.push({ name: 'Late', defer_loading: true })],
  [
    'max_tokens, tool_choice, metadata, effort',
    (body) =>
      Object.assign(body, {
        max_tokens: 5,
        tool_choice: { type: 'auto' },
        metadata: { user_id: 'a' },
        output_config: { effort: 'low' },
      }),
  ],
  ['how thinking is displayed', (body) => Object.assign(body, { thinking: { type: 'adaptive', display: 'omitted' } })],
  [
    'the visible text of thinking',
    (body) => Object.assign(body.messages[1]?.content[0] ?? {}, { thinking: '[cleared]' }),
  ],
  [
    'two messages of one role for one',
    (body) => {
      const blocks = body.messages[1]?.content ?? [];
      const [said, called] = [blocks.slice(0, 2), blocks.slice(2)];
      body.messages.splice(1, 1, { role: 'assistant', content: said }, { role: 'assistant', content: called });
    },
  ],
  [
    'the billing header of the client',
    (body) => Object.assign(body, { system: [text('x-anthropic-billing-header: cc_version=1'), text('You work.')] }),
  ],
  ['the oldest thinking is removed', withoutThinking(1)],
  ['all but the oldest thinking is removed', withoutThinking(3, 5)],
  ['all thinking is removed', withoutThinking(1, 3, 5)],
  ['thinking in the middle is removed', withoutThinking(3), ['messages.5.content.0', holeSentence]],
  [
    'the system prompt',
    (body) => Object.assign(body, { system: 'You work hard.' }),
    ['messages.1.content.0', systemSentence],
  ],
  [
    'the description of a tool',
    (body) => Object.assign(body.tools[0] ?? {}, { description: 'Reads.' }),
    ['messages.1.content.0', toolsSentence],
  ],
  [
    'a tool more',
    (body) => body.tools.push({ name: 'Late', input_schema: { type: 'object' } }),
    ['messages.1.content.0', toolsSentence],
  ],
  ['a tool less', (body) => body.tools.pop(), ['messages.1.content.0', toolsSentence]],
  [
    'the first user message',
    (body) => body.messages.splice(0, 1, user(text('Fix it. Today is Tuesday.'))),
    ['messages.1.content.0', contentSentence('messages.0.content.0')],
  ],
  [
    'a text more in the first message',
    (body) => body.messages[0]?.content.push(text('New.')),
    ['messages.1.content.0', contentSentence('messages.0.content.1')],
  ],
  [
    'a result is cut',
    (body) => Object.assign(body.messages[2]?.content[0] ?? {}, { content: 'cut' }),
    ['messages.3.content.0', contentSentence('messages.2.content.0')],
  ],
  [
    'the input of a call',
    (body) => Object.assign(body.messages[3]?.content[2] ?? {}, { input: {} }),
    ['messages.5.content.0', contentSentence('messages.3.content.2')],
  ],
  [
    'a text of an answer is taken out',
    (body) => body.messages[1]?.content.splice(1, 1),
    ['messages.3.content.0', contentSentence('messages.1.content.1')],
  ],
  [
    'the first turn is dropped',
    (body) => body.messages.splice(0, 2, user(text('Summary.'))) && body.messages.splice(1, 1),
    ['messages.1.content.0', contentSentence('messages.0.content.0')],
  ],
  [
    'a signature is cut',
    (body) =>
      Object.assign(body.messages[3]?.content[0] ?? {}, {
        signature: String(body.messages[3]?.content[0]?.signature).slice(0, 40),
      }),
    ['messages.3.content.0', ''],
  ],
];

test('what changes before a thinking block decides whether it is still valid, and the refusal names the change', async (t) => {
  const { url } = await startTalk(t);
  const sound = await talk(url);
  for (const [name, change, refusal] of rows) {
    const body = clone(sound);
    change(body);
    const { status, body: answer } = await post(url, body as JsonObject, beta);
    const said = asObject(answer.error)?.message;
    if (refusal === undefined) {
      assert.deepEqual([status, answer.input_transformations], [200, []], `${name}: ${said}`);
      continue;
    }
    const [path, sentence] = refusal;
    const whole = `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". ${sentence}`;
    const expected = sentence === '' ? `${path}: Invalid \`signature\` in \`thinking\` block` : whole;
    assert.deepEqual([name, status, said], [name, 400, expected]);
  }
});

test('without the beta the error names the header, and the setting is refused', async (t) => {
  const { url } = await startTalk(t);
  const sound = await talk(url);
  const dead = { ...clone(sound), system: 'Other.' };
  const { status, body } = await post(url, dead as JsonObject);
  assert.deepEqual(
    [status, asObject(body.error)?.message],
    [
      400,
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header. The `system` prompt differs from the one this block was created with.',
    ],
  );
  for (const [thinking, headers] of [
    [drop, {}],
    [{ ...drop, type: 'between_tools' }, beta],
  ] as const) {
    const refused = await post(url, { ...sound, thinking } as JsonObject, headers);
    const said = `thinking.${thinking.type}.block_binding: Extra inputs are not permitted`;
    assert.deepEqual([refused.status, asObject(refused.body.error)?.message], [400, said]);
  }
});

test('the account, the model and the setting decide between refusing, dropping and accepting', async (t) => {
  const fable = 'claude-fable-5-2';
  const sonnet = 'claude-sonnet-4-6';
  const table = [
    // account, model, thinking → status, report for each block
    ['enforced', opus, undefined, 400, undefined],
    ['enforced', opus, raise, 400, undefined],
    ['enforced', opus, drop, 200, 'thinking_dropped'],
    ['older', opus, undefined, 200, 'thinking_mismatch_allowed'],
    ['older', opus, raise, 400, undefined],
    ['older', opus, drop, 200, 'thinking_dropped'],
    ['older', fable, undefined, 400, undefined],
    ['older', fable, drop, 200, 'thinking_dropped'],
    ['enforced', sonnet, undefined, 200, 'nothing'],
  ] as const;
  for (const [account, model, thinking, status, type] of table) {
    const { url } = await startTalk(t, account);
    const dead = { ...(await talk(url, model)), system: 'Other.', ...(thinking === undefined ? {} : { thinking }) };
    const answered = await post(url, dead as JsonObject, beta);
    const paths = type === 'nothing' ? [] : ['messages.1.content.0', 'messages.3.content.0', 'messages.5.content.0'];
    const reported = paths.map((path) => ({ type, path, reason: 'prefix_binding_mismatch' }));
    const expected = status === 400 ? undefined : reported;
    const row = `${account} ${model} ${JSON.stringify(thinking)}`;
    assert.deepEqual([row, answered.status, answered.body.input_transformations], [row, status, expected]);
  }
});

test('thinking of a model that the reader may not read, or of another account, is dropped and comes back later', async (t) => {
  const { url } = await startTalk(t);
  const body = await talk(url);
  const dropped = (reason: string) =>
    [1, 3, 5].map((i) => ({ type: 'thinking_dropped', path: `messages.${i}.content.0`, reason }));
  const asSonnet = await post(url, { ...body, model: 'claude-sonnet-5-5' } as JsonObject, beta);
  assert.deepEqual(asSonnet.body.input_transformations, dropped('model_binding_mismatch'));
  body.messages.push({ role: 'assistant', content: asSonnet.body.content as unknown as Json[] });
  body.messages.push(user({ type: 'tool_result', tool_use_id: 'toolu_4', content: 'r' }));
  assert.deepEqual((await post(url, body as JsonObject, beta)).body.input_transformations, []);
  const own = await talk(url, 'claude-sonnet-5-5');
  const other = await startTalk(t, 'enforced', 'org-2');
  const elsewhere = await post(other.url, own as JsonObject, beta);
  assert.deepEqual(elsewhere.body.input_transformations, dropped('organization_binding_mismatch'));
});

test('other signatures pass, a stream begins with the report, and a deferred tool counts once it is loaded', async (t) => {
  const { url } = await startTalk(t);
  const foreign = { type: 'thinking', thinking: '', signature: 'Rm9yZWlnbg==' };
  const messages = [user(text('a')), { role: 'assistant', content: [foreign, text('b')] }, user(text('c'))];
  const body = { model: opus, max_tokens: 10, messages };
  assert.equal((await post(url, body as JsonObject)).status, 200);
  const { events } = await stream(url, body as JsonObject, undefined, beta);
  assert.deepEqual(asObject(events[0]?.message)?.input_transformations, []);

  const late = [...firstTools(), { name: 'Late', defer_loading: true, input_schema: { type: 'object' } }];
  const loading = await talk(url, opus, { tools: late });
  loading.messages.push(user({ type: 'tool_addition', tool: { type: 'tool_reference', name: 'Late' } }));
  assert.deepEqual((await post(url, loading as JsonObject, beta)).body.input_transformations, []);
  loading.messages[0]?.content.push({ type: 'tool_addition', tool: { type: 'tool_reference', name: 'Late' } });
  assert.equal((await post(url, loading as JsonObject, beta)).status, 400);
});

test('the tokens of a request are not counted if its thinking is refused', async (t) => {
  const { url } = await startTalk(t);
  const dead = { ...(await talk(url)), system: 'Other.' };
  assert.equal((await post(url, dead as JsonObject, beta, '/v1/messages/count_tokens')).status, 400);
});

test('the replay server signs recorded thinking for its conversation', async (t) => {
  const thought = { type: 'thinking', thinking: 'hm', signature: 'recorded' };
  const session = transcript()
    .user('go')
    .assistant([thought, text('a')])
    .user('on')
    .assistant('b')
    .session();
  const server = await startReplayServer(session, { account: 'enforced' });
  t.after(() => server.close());
  const key = { 'x-api-key': server.apiKey };
  const body: Body = { model: opus, max_tokens: 9, system: 's', tools: firstTools(), messages: [user(text('go'))] };
  const first = await post(server.url, body as JsonObject, key);
  body.messages.push({ role: 'assistant', content: first.body.content as unknown as Json[] }, user(text('on')));
  assert.notEqual((first.body.content as unknown as Json[])[0]?.signature, 'recorded');
  assert.equal((await post(server.url, body as JsonObject, key)).status, 200);
  assert.equal((await post(server.url, { ...body, system: 'Other.' } as JsonObject, key)).status, 400);
});

test('if only the beginning of the conversation is gone, the refusal says so', async (t) => {
  const { url } = await start(t, () => ({
    blocks: [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'ok' },
    ],
  }));
  const messages = [user(text('one'))];
  for (const prompt of ['two', 'three']) {
    const { body } = await post(url, { model: opus, max_tokens: 9, messages } as JsonObject);
    messages.push({ role: 'assistant', content: body.content as unknown as Json[] }, user(text(prompt)));
  }
  const { status, body } = await post(
    url,
    { model: opus, max_tokens: 9, messages: messages.slice(2) } as JsonObject,
    beta,
  );
  assert.equal(status, 400);
  assert.match(
    String(asObject(body.error)?.message),
    / A message older than `messages\.0\.content\.0` differs from when this block was created\.$/,
  );
});
