// Drives the replay server with a small loop: the recorded prompts and results must get the recorded answers, and
// differences are reported.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readRecording } from '../../../src/api/server/recording.ts';
import { type ReplayServer, startReplayServer } from '../../../src/api/server/replay-server.ts';
import { asString, isArray, isObject, type JsonObject } from '../../../src/base/json/json.ts';
import { loadSession, type Session } from '../../../src/session/load/session.ts';
import { contentOfEvents, post, requestOf, stream } from '../../support/messages-client.ts';
import { realSessions } from '../../support/surgery-kit.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { text, toolResult, toolUse, transcript } from '../../support/transcript-builder.ts';
import { play, start, stepsOf, withKey } from './replay-kit.ts';

test('sub-agents are replayed for requests that begin with their prompt', async (t) => {
  let agents = 0;
  for (const file of realSessions().filter((path) => /\/agent\//.test(path))) {
    const session = await loadSession(file);
    const { server, served } = await start(t, session);
    for (const agent of session.agents) {
      const steps = agent.path === undefined ? [] : stepsOf(agent.path);
      if (agent.path === undefined || steps[0]?.input.length === 0) continue; // 2.0.50 warms up with answers to nothing
      await play(server, steps, agent.path);
      assert.deepEqual([...new Set(served.splice(0).map((each) => each.agentId))], [agent.agentId]);
      agents++;
    }
  }
  assert.ok(agents >= 8, String(agents));
});

test('side questions get a harmless answer and do not advance', async (t) => {
  const { server, served } = await start(t, conversation());
  const first = [{ role: 'user', content: 'list it' }];
  const schema = { format: { type: 'json_schema', schema: { properties: { title: { type: 'string' } } } } };
  assert.deepEqual(await textsOf(server, requestOf(first, { max_tokens: 1 })), ['#']);
  assert.deepEqual(await textsOf(server, requestOf(first, { tools: [], output_config: schema })), [
    '{"title":"Replayed session"}',
  ]);
  assert.deepEqual(await textsOf(server, requestOf(first, { tools: [], system: 'say isNewTopic' })), [
    '{"isNewTopic":false,"title":null}',
  ]);
  assert.deepEqual(
    await textsOf(server, requestOf(first, { tools: [{ type: 'web_search_20250305', name: 'web_search' }] })),
    ['OK.'],
  );
  assert.deepEqual(await textsOf(server, requestOf(first)), ['I look.', 'Bash']);
  assert.deepEqual(
    served.map(({ kind, message, of }) => [kind, message, of]),
    [
      ['side', undefined, 0],
      ['side', undefined, 0],
      ['side', undefined, 0],
      ['side', undefined, 0],
      ['message', 1, 3],
    ],
  );
});

test('the same request gets the same answer again', async (t) => {
  const { server } = await start(t, conversation());
  const history = [{ role: 'user', content: 'list it' }, answer, { role: 'user', content: [toolResult('t1', 'a.ts')] }];
  for (let i = 0; i < 3; i++) assert.deepEqual(await textsOf(server, requestOf(history)), ['One file.']);
});

test('a different result is reported, and the next message is served anyway', async (t) => {
  const { server, served } = await start(t, conversation());
  const history = [{ role: 'user', content: 'list it' }, answer, { role: 'user', content: [toolResult('t1', 'b.ts')] }];
  assert.deepEqual(await textsOf(server, requestOf(history)), ['One file.']);
  assert.deepEqual(served, [
    {
      request: 0,
      kind: 'message',
      agentId: undefined,
      message: 2,
      of: 3,
      tools: [],
      text: 'One file.',
      mismatches: [{ kind: 'result', what: 'the result of t1', recorded: 'a.ts', sent: 'b.ts' }],
    },
  ]);
  assert.deepEqual(server.counts, { messages: 1, side: 0, mismatches: 1 });
});

test('a later prompt gets the message after it; an unknown one the next message', async (t) => {
  const { server, served } = await start(t, conversation());
  assert.deepEqual(await textsOf(server, requestOf([{ role: 'user', content: 'thanks' }])), ['Welcome.']);
  assert.deepEqual(await textsOf(server, requestOf([{ role: 'user', content: 'else' }])), ['I look.', 'Bash']);
  assert.deepEqual(
    served.map(({ message, mismatches }) => [message, mismatches]),
    [
      [3, [{ kind: 'prompt', what: 'the prompt', recorded: 'list it', sent: 'thanks' }]],
      [1, [{ kind: 'prompt', what: 'the prompt', recorded: 'list it', sent: 'else' }]],
    ],
  );
});

test('an agent with its own ids is matched by its calls', async (t) => {
  const { server, served } = await start(t, conversation());
  const own = { role: 'assistant', content: [text('I look.'), { ...call, id: 'mine' }] };
  const history = [{ role: 'user', content: 'list it' }, own, { role: 'user', content: [toolResult('mine', 'a.ts')] }];
  assert.deepEqual(await textsOf(server, requestOf(history)), ['One file.']);
  const other = { role: 'assistant', content: [{ ...call, id: 'mine', input: { command: 'ls -l' } }] };
  assert.deepEqual(await textsOf(server, requestOf([history[0] ?? null, other, history[2] ?? null])), ['One file.']);
  assert.deepEqual(
    served.map(({ mismatches }) => mismatches.map(({ kind }) => kind)),
    [[], ['answer']],
  );
});

test('after the end of the recording it says so', async (t) => {
  const { server, served } = await start(t, conversation());
  const end = [
    { role: 'user', content: 'thanks' },
    { role: 'assistant', content: 'Welcome.' },
    { role: 'user', content: 'more' },
  ];
  assert.deepEqual(await textsOf(server, requestOf(end)), ['The recording ends here.']);
  assert.deepEqual(
    served.map(({ kind, mismatches }) => [kind, mismatches.length]),
    [['end', 1]],
  );
});

test('with onMismatch error the request is refused with the difference', async (t) => {
  const { server, served } = await start(t, conversation(), { onMismatch: 'error' });
  const history = [{ role: 'user', content: 'list it' }, answer, { role: 'user', content: [toolResult('t1', 'b.ts')] }];
  const { status, body } = await post(server.url, requestOf(history), withKey);
  assert.deepEqual(
    [status, body.error],
    [
      400,
      {
        type: 'invalid_request_error',
        message: 'replay: message 2 of 3 does not match: the result of t1 differs: recorded "a.ts", sent "b.ts"',
      },
    ],
  );
  assert.equal((await post(server.url, requestOf(history.slice(0, 1)), withKey)).status, 200);
  assert.deepEqual(
    served.map(({ kind }) => kind),
    ['refused', 'message'],
  );
});

test('a long text that differs is shown around the first difference', async (t) => {
  const { server, served } = await start(
    t,
    transcript()
      .user(`${'x'.repeat(5000)}A`)
      .assistant('ok')
      .session(),
  );
  await textsOf(server, requestOf([{ role: 'user', content: `${'x'.repeat(5000)}B` }]));
  const [mismatch] = served[0]?.mismatches ?? [];
  assert.deepEqual([mismatch?.recorded, mismatch?.sent], [`…${'x'.repeat(20)}A`, `…${'x'.repeat(20)}B`]);
});

test('the answers of a compacted session continue after its summary, which is served on request', async (t) => {
  const session = transcript()
    .user('one')
    .assistant('first')
    .boundary()
    .summary('We did one.')
    .user('two')
    .assistant('second')
    .session();
  const { server } = await start(t, session);
  const history = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'first' },
  ];
  const asks = { role: 'user', content: 'Your task is to create a detailed summary of the conversation so far' };
  const [summary] = await textsOf(server, requestOf([...history, asks]));
  const after = [{ role: 'user', content: [text(`This session is continued.\n${summary}`), text('two')] }];
  assert.deepEqual([summary, await textsOf(server, requestOf(after))], ['We did one.', ['second']]);
});

test('the pauses are those of the recording, with long ones shortened', async (t) => {
  const id = { message: { id: 'one' } };
  const session = transcript()
    .user('go')
    .after(30)
    .assistant([text('a'), text('b')], id)
    .after(20)
    .assistant([text('c')], id)
    .after(86_400_000)
    .assistant([text('d')], id)
    .session();
  const [step] = (await readRecording(session)).main.steps;
  const { delayMs, betweenBlocksMs } = step?.readReply() ?? {};
  assert.deepEqual([delayMs, betweenBlocksMs], [30, [0, 20, 10_000]]);
  const { server } = await start(t, session); // fast, or the test would take as long
  const { events } = await stream(server.url, requestOf([{ role: 'user', content: 'go' }]), undefined, withKey);
  assert.deepEqual(contentOfEvents(events), [text('a'), text('b'), text('c'), text('d')]);
});

test('at the speed of the recording the blocks are the same', async (t) => {
  const id = { message: { id: 'one' } };
  const session = transcript()
    .user('go')
    .after(30)
    .assistant([text('a')], id)
    .after(20)
    .assistant([text('b')], id);
  const { server } = await start(t, session.session(), { speed: 'real' });
  const { events } = await stream(server.url, requestOf([{ role: 'user', content: 'go' }]), undefined, withKey);
  assert.deepEqual(contentOfEvents(events), [text('a'), text('b')]);
});

test('an empty message is served once, and then the one after it', async (t) => {
  const thought = { type: 'thinking', thinking: 'hm', signature: 's' };
  const { server } = await start(t, transcript().user('go').assistant([thought]).assistant('done').session());
  const go = requestOf([{ role: 'user', content: 'go' }]);
  assert.deepEqual((await post(server.url, go, withKey)).body.content, [thought]);
  assert.deepEqual(await textsOf(server, go), ['done']);
});

test('errors that the client recorded are not answers, and hostile requests are survived', async (t) => {
  const failed = { isApiErrorMessage: true, message: { model: '<synthetic>' } };
  const { server } = await start(
    t,
    transcript().user('go').assistant('API Error', failed).user('continue').assistant('yes').session(),
  );
  for (const messages of [
    null,
    3,
    {},
    [],
    [null],
    [{}],
    [{ role: 'user' }],
    [{ role: 'assistant', content: [{ type: 'tool_use' }] }],
  ]) {
    const { status } = await post(server.url, requestOf(messages), withKey);
    assert.equal(status, 200, JSON.stringify(messages));
  }
  assert.deepEqual(
    await textsOf(
      server,
      requestOf([
        { role: 'user', content: 'go' },
        { role: 'user', content: 'continue' },
      ]),
    ),
    ['yes'],
  );
});

const call = toolUse('t1', 'Bash', { command: 'ls' });

const answer = { role: 'assistant', content: [text('I look.'), call] };

function conversation(): Session {
  return transcript()
    .user('list it')
    .assistant([text('I look.')], { message: { id: 'first' } })
    .assistant([call], { message: { id: 'first', stop_reason: 'tool_use' } })
    .user([toolResult('t1', 'a.ts')])
    .assistant('One file.')
    .user('thanks')
    .assistant('Welcome.')
    .session();
}

/** The texts of an answer, and the names of its calls. */
async function textsOf({ url }: ReplayServer, request: JsonObject): Promise<string[]> {
  const { status, body } = await post(url, request, withKey);
  assert.equal(status, 200, JSON.stringify(body));
  return (isArray(body.content) ? body.content.filter(isObject) : []).map(
    (block) => asString(block.text ?? block.name) ?? '',
  );
}

test('each server has its own key, and refuses requests without it', async (t) => {
  const file = path.join(temporaryFolder(t), 'a.jsonl');
  transcript()
    .user('go')
    .assistant([text('the recorded answer')])
    .write(file);
  const session = await loadSession(file);
  const servers = await Promise.all([startReplayServer(session), startReplayServer(session)]);
  t.after(() => Promise.all(servers.map((server) => server.close())));
  const [first, second] = servers;
  assert.match(first.apiKey, /^[\w-]{32}$/);
  assert.notEqual(first.apiKey, second.apiKey);
  const go = requestOf([{ role: 'user', content: 'go' }]);
  for (const [status, headers] of [
    [200, { 'x-api-key': first.apiKey }],
    [200, { authorization: `Bearer ${first.apiKey}` }],
    [401, {}],
    [401, { 'x-api-key': second.apiKey }],
    [401, { 'x-api-key': first.apiKey.slice(1) }],
    [403, { 'x-api-key': first.apiKey, origin: 'http://evil.example' }],
    [403, { 'x-api-key': first.apiKey, 'sec-fetch-site': 'same-site' }],
  ] as const) {
    const answered = await post(first.url, go, headers);
    assert.equal(answered.status, status, JSON.stringify(headers));
    assert.equal(answered.text.includes('the recorded answer'), status === 200);
  }
  assert.deepEqual([first.counts.messages, first.requests.length, second.requests.length], [2, 2, 0]);
});
