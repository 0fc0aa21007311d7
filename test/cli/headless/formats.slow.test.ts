// The output of `clew -p` in each format, and its input from the command line and stdin.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { asObject, isArray, type JsonObject, type JsonValue } from '../../../src/base/json/json.ts';
import { isUuid } from '../../../src/base/text/human.ts';
import { version } from '../../../src/base/version/version.ts';
import { calls, kindsOf, messagesOf, says, startHeadless, testModel, textsOf } from '../../support/headless-kit.ts';

test('text: the prompt and stdin are sent together, the answer is printed, and the exit code is 0', async (t) => {
  const kit = await startHeadless(t, () => says('It is a lighthouse.'));
  const typed = await kit.print(['-p', 'What is it?']);
  assert.deepEqual([typed.status, typed.stdout, typed.stderr], [0, 'It is a lighthouse.\n', '']);
  const both = await kit.print(['--print', 'Review this'], 'a diff\nof two lines\n');
  assert.equal(both.status, 0);
  const piped = await kit.print(['-p'], 'only piped');
  assert.equal(piped.status, 0);
  assert.deepEqual(
    kit.bodies().map((body) => textsOf(body)),
    [['What is it?'], ['Review this\na diff\nof two lines'], ['only piped']],
  );
  assert.equal(kit.transcripts().length, 3);
});

test('json: one object with the end, the usage and the cost', async (t) => {
  const usage = {
    input_tokens: 1000,
    output_tokens: 100,
    cache_read_input_tokens: 10,
    cache_creation_input_tokens: 20,
  };
  const kit = await startHeadless(t, [
    { ...calls(['Bash', { command: 'echo hi' }]), usage },
    { ...says('done'), usage },
  ]);
  const { status, stdout, stderr, result } = await kit.print([
    '-p',
    'go',
    '--output-format',
    'json',
    '--dangerously-skip-permissions',
  ]);
  assert.deepEqual([status, stderr, stdout.trim().split('\n').length], [0, '', 1]);
  const { session_id, uuid, duration_ms, duration_api_ms, total_cost_usd, modelUsage, ...more } = result;
  const { ttft_ms, ttft_stream_ms, time_to_request_ms, ...rest } = more;
  assert.ok(Number(ttft_ms) >= Number(ttft_stream_ms) && Number(ttft_stream_ms) >= Number(time_to_request_ms));
  assert.deepEqual(rest, {
    type: 'result',
    subtype: 'success',
    is_error: false,
    api_error_status: null,
    num_turns: 2,
    result: 'done',
    stop_reason: 'end_turn',
    terminal_reason: 'completed',
    fast_mode_state: 'off',
    result_index: 0,
    queued_turn_count: 0,
    usage: {
      input_tokens: 2000,
      output_tokens: 200,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 40,
      cache_creation: { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      output_tokens_details: { thinking_tokens: 0 },
      service_tier: 'standard',
      inference_geo: '',
      iterations: [],
      speed: 'standard',
      fallback_credit: null,
    },
    permission_denials: [],
  });
  assert.ok(isUuid(String(session_id)) && isUuid(String(uuid)));
  assert.ok(Number(duration_ms) >= Number(duration_api_ms) && Number(duration_api_ms) >= 0);
  assert.ok(Number(total_cost_usd) > 0);
  assert.deepEqual(modelUsage, {
    [testModel]: {
      inputTokens: 2000,
      outputTokens: 200,
      cacheReadInputTokens: 20,
      cacheCreationInputTokens: 40,
      cacheCreationEphemeral5mInputTokens: 40,
      cacheCreationEphemeral1hInputTokens: 0,
      thinkingTokens: 0,
      webSearchRequests: 0,
      costUSD: total_cost_usd,
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      canonicalModel: testModel,
      provider: 'firstParty',
      costBasis: 'list',
    },
  });
  assert.match(kit.transcripts()[0] ?? '', new RegExp(`${session_id}\\.jsonl$`));
});

test('json --verbose: the list of all messages, the result last', async (t) => {
  const kit = await startHeadless(t, [says('done')]);
  const { stdout } = await kit.print(['-p', 'go', '--output-format', 'json', '--verbose']);
  const list = JSON.parse(stdout) as JsonObject[];
  assert.deepEqual(kindsOf(list), ['system/init', 'assistant text', 'result/success']);
});

test('stream-json: init, each block and result as it happens, with the uuids of the session, and the result', async (t) => {
  const kit = await startHeadless(t, [
    { blocks: [{ type: 'text', text: 'I look.' }, ...calls(['Bash', { command: 'echo 1' }]).blocks] },
    calls(['Read', { file_path: 'missing.txt' }]),
    says('done'),
  ]);
  const args = ['-p', 'go', '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Bash(echo:*)', 'Read'];
  const { status, messages } = await kit.print(args);
  assert.equal(status, 0);
  assert.deepEqual(kindsOf(messages), [
    'system/init',
    'assistant text',
    'assistant tool_use',
    'user tool_result',
    'assistant tool_use',
    'user tool_result',
    'assistant text',
    'result/success',
  ]);
  const [init = {}] = messages;
  const { tools, uuid: _, ...facts } = init;
  assert.ok(isArray(tools) && ['Read', 'Write', 'Edit', 'Bash', 'Task'].every((name) => tools.includes(name)));
  const { session_id } = init;
  assert.deepEqual(facts, {
    type: 'system',
    subtype: 'init',
    cwd: kit.cwd,
    session_id,
    mcp_servers: [],
    model: testModel,
    permissionMode: 'default',
    slash_commands: facts.slash_commands,
    agents: facts.agents,
    apiKeySource: 'ANTHROPIC_API_KEY',
    claude_code_version: '2.1.325',
    clew_version: version,
    output_style: 'default',
    skills: [],
    plugins: [],
    fast_mode_state: 'off',
  });
  assert.ok(messages.every((message) => message.session_id === session_id && isUuid(String(message.uuid))));
  const lines = linesOf(kit.transcripts()[0] ?? '');
  for (const message of messages.filter(({ type }) => type === 'assistant' || type === 'user')) {
    assert.equal(message.parent_tool_use_id, null);
    const line = lines.find(({ uuid }) => uuid === message.uuid);
    const { content, id } = asObject(message.message) ?? {};
    assert.deepEqual([withCitations(asObject(line?.message)?.content), asObject(line?.message)?.id], [content, id]);
    if (message.type === 'user') assert.deepEqual(line?.toolUseResult, message.tool_use_result);
  }
});

test('stream-json with parts and prompts: the events of the API and the prompts', async (t) => {
  const kit = await startHeadless(t, [says('Hello there')]);
  const args = ['-p', 'hi', '--output-format', 'stream-json', '--include-partial-messages', '--replay-user-messages'];
  const { messages } = await kit.print(args);
  const events = messages.flatMap((message) => (message.type === 'stream_event' ? [asObject(message.event)] : []));
  assert.deepEqual(
    [...new Set(events.map((event) => event?.type))],
    [
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ],
  );
  const text = events.map((event) => asObject(event?.delta)?.text ?? '').join('');
  assert.equal(text, 'Hello there');
  assert.deepEqual(messages.find(({ type }) => type === 'user')?.message, { role: 'user', content: 'hi' });
});

test('stream-json of a sub-agent names the call that started it', async (t) => {
  const task = { description: 'look', prompt: 'Look at it', subagent_type: 'general-purpose' };
  const kit = await startHeadless(t, ({ body }) => {
    const said = textsOf(asObject(body));
    if (said[0] === 'Look at it') return says('It is blue.');
    return messagesOf(body).length === 1 ? calls(['Task', task]) : says('blue, then');
  });
  const { messages, result } = await kit.print(['-p', 'go', '--output-format', 'stream-json']);
  assert.equal(result.result, 'blue, then');
  const call = messages.find((message) => kindsOf([message])[0] === 'assistant tool_use');
  const content = asObject(call?.message)?.content;
  const id = isArray(content) ? asObject(content[0])?.id : undefined;
  assert.deepEqual(kindsOf(messages.filter((message) => message.parent_tool_use_id === id)), ['user text']);
  // The text of a sub-agent is shown on request, as in the client.
  const whole = await kit.print(['-p', 'go', '--output-format', 'stream-json', '--forward-subagent-text']);
  const forwarded = whole.messages.filter(({ parent_tool_use_id }) => typeof parent_tool_use_id === 'string');
  assert.deepEqual(kindsOf(forwarded), ['user text', 'assistant text']);
  assert.deepEqual([forwarded[1]?.subagent_type, forwarded[1]?.task_description], ['general-purpose', 'look']);
});

test('input as stream-json: several prompts in one session, each with its result, and requests in between', async (t) => {
  const kit = await startHeadless(t, [says('one'), says('two')]);
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: onePixel } };
  const lines = [
    { type: 'control_request', request_id: 'r1', request: { subtype: 'set_permission_mode', mode: 'acceptEdits' } },
    { type: 'control_request', request_id: 'r2', request: { subtype: 'no_such_thing' } },
    { type: 'user', message: { role: 'user', content: 'first' } },
    { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'second' }, image] } },
  ];
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { status, messages } = await kit.print(
    ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'],
    input,
  );
  assert.equal(status, 0);
  assert.deepEqual(
    messages.flatMap(({ type, result }) => (type === 'result' ? [result] : [])),
    ['one', 'two'],
  );
  const answers = messages.flatMap((message) =>
    message.type === 'control_response' ? [asObject(message.response)] : [],
  );
  assert.deepEqual(answers.map((answer) => [answer?.request_id, answer?.subtype]).sort(), [
    ['r1', 'success'],
    ['r2', 'error'],
  ]);
  assert.deepEqual(textsOf(kit.bodies()[1]), ['first', 'one', 'second']);
  assert.match(JSON.stringify(kit.bodies()[1]), new RegExp(onePixel.slice(0, 30)));
  assert.equal(kit.transcripts().length, 1);
});

test('an interrupt over stdin ends the turn with its result, and the next prompt continues', async (t) => {
  const kit = await startHeadless(t, [calls(['Bash', { command: 'echo started > started; sleep 600' }]), says('fine')]);
  const args = [
    '-p',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--dangerously-skip-permissions',
  ];
  const run = kit.start(args);
  const send = (value: JsonObject) => run.child.stdin.write(`${JSON.stringify(value)}\n`);
  send({ type: 'user', message: { role: 'user', content: 'wait' } });
  await run.prints(/"tool_use"/);
  send({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
  await run.prints(/"type":"result"/);
  send({ type: 'user', message: { role: 'user', content: 'continue' } });
  run.child.stdin.end();
  const { status, messages } = await run.ended;
  assert.deepEqual(
    messages.flatMap(({ type, subtype, errors }) => (type === 'result' ? [[subtype, errors]] : [])),
    [
      ['error_during_execution', ['the turn was interrupted']],
      ['success', undefined],
    ],
  );
  assert.equal(status, 0);
});

test('the text of an answer reaches a pipe unchanged', async (t) => {
  const kit = await startHeadless(t, [says('red \u001b[31mtext\u001b[0m')]);
  assert.equal((await kit.print(['-p', 'hi'])).stdout, 'red \u001b[31mtext\u001b[0m\n');
});

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function linesOf(file: string): JsonObject[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
}

/** The types of the SDK require them. */
function withCitations(content: JsonValue | undefined): JsonValue | undefined {
  if (!isArray(content)) return content;
  return content.map((block) => (asObject(block)?.type === 'text' ? { citations: null, ...asObject(block) } : block));
}
