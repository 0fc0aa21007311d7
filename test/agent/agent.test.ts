// The whole agent against the scripted server: real tools, real files, a real session.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, isArray, type JsonObject } from '../../src/base/json/json.ts';
import { blocksOf } from '../../src/format/entry/block.ts';
import { loadSession } from '../../src/session/load/session.ts';
import { startAgent } from '../support/agent-kit.ts';
import { assertSame, calls, messagesOf, results, says, texts, toolNames } from '../support/agent-talk.ts';
import { FakeClock } from '../support/loop-kit.ts';
import { entriesOf } from '../support/surgery-kit.ts';

test('a turn with tools writes files and a session that a resume reads as it was', async (t) => {
  const kit = await startAgent(t, [
    calls(['Write', { file_path: 'a.txt', content: 'one\n' }], ['Bash', { command: 'cat a.txt; pwd' }]),
    calls(['Read', { file_path: 'a.txt' }], ['Glob', { pattern: '*.txt' }]),
    says('done'),
  ]);
  const ended = await kit.agent.prompt('write it');
  assert.deepEqual([ended.outcome, ended.text, ended.rounds], ['success', 'done', 3]);
  assert.equal(readFileSync(path.join(kit.cwd, 'a.txt'), 'utf8'), 'one\n');
  assert.deepEqual(
    results(kit.events).map(({ isError }) => isError),
    [false, false, false, false],
  );
  assert.match(String(results(kit.events)[1]?.content), /one[\s\S]*project/);
  assert.equal(kit.types()[0], 'session-opened');
  await assertSame(kit);
});

test('a resumed session continues where it ended', async (t) => {
  const first = await startAgent(t, [says('I am here')]);
  await first.agent.prompt('hello');
  const { sessionId } = first.agent.state;
  await first.agent.close('exit');
  const second = await startAgent(t, [says('still here')], { folder: first.folder, session: { kind: 'continue' } });
  assert.equal(second.agent.state.sessionId, sessionId);
  await second.agent.prompt('and now?');
  assert.deepEqual(texts(second.bodies()[0]), ['hello', 'I am here', 'and now?']);
  await assertSame(second);
});

test('a resumed session knows how full its context window is, and is compacted at once if it is too full', async (t) => {
  const usage = { input_tokens: 3000, cache_read_input_tokens: 190_000, output_tokens: 70 };
  const model = 'claude-haiku-4-5';
  const first = await startAgent(t, [says('one'), { ...says('I am here'), usage }], { model });
  await first.agent.prompt('hello');
  const { contextTokens } = first.agent.state;
  await first.agent.prompt('and?');
  const [, point] = await first.agent.rewindPoints();
  await first.agent.close('exit');
  const session = { kind: 'continue' } as const;
  const second = await startAgent(t, [says('SUMMARY'), says('still here')], { folder: first.folder, session, model });
  assert.equal(second.agent.state.contextTokens, 193_070);
  await second.agent.prompt('and now?');
  assert.deepEqual(
    second.types().filter((type) => type.startsWith('compact')),
    ['compacting', 'compacted'],
  );
  assert.match(texts(second.bodies()[1]).join(), /SUMMARY[\s\S]*and now\?$/);
  assert.ok(point !== undefined);
  await second.agent.close('exit');
  const third = await startAgent(t, [], { folder: first.folder, session, model });
  await third.agent.rewind(point, 'chat');
  assert.equal(third.agent.state.contextTokens, contextTokens);
});

test('the bytes before a mark are the same in every request of a turn', async (t) => {
  const kit = await startAgent(t, [
    calls(['Bash', { command: 'echo 1' }]),
    calls(['Bash', { command: 'echo 2' }]),
    says('done'),
    says('again'),
  ]);
  await kit.agent.prompt('go');
  await kit.agent.prompt('and again');
  const bodies = kit
    .bodies()
    .map((body) => JSON.stringify(body).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
  const plain = bodies.map((body) => JSON.parse(body) as JsonObject);
  for (const [i, body] of plain.slice(1).entries()) {
    const before = plain[i];
    assert.ok(isArray(body.messages) && isArray(before?.messages));
    assert.equal(JSON.stringify(body.messages.slice(0, before.messages.length)), JSON.stringify(before.messages));
    assert.deepEqual([body.system, body.tools], [before.system, before.tools]);
  }
});

for (const [name, fault] of [
  ['429 with retry-after', { status: 429, type: 'rate_limit_error', message: 'slow', headers: { 'retry-after': '3' } }],
  ['529', { status: 529, type: 'overloaded_error', message: 'Overloaded' }],
  ['500', { status: 500, type: 'api_error', message: 'oops' }],
  [
    'a cut',
    {
      blocks: [
        { type: 'text', text: 'first' },
        { type: 'text', text: 'half an answer' },
      ],
      cutAfterEvents: 8,
    },
  ],
  ['broken events', { blocks: [{ type: 'text', text: 'half an answer' }], malformedAfterEvents: 4 }],
  ['an error in the middle', { blocks: [{ type: 'text', text: 'half an answer' }], errorAfterEvents: 4 }],
] as const) {
  test(`a turn survives ${name}, and nothing is written twice`, async (t) => {
    const clock = new FakeClock();
    const kit = await startAgent(t, [fault, says('whole')], { clock });
    const ended = await kit.agent.prompt('hello');
    assert.deepEqual([ended.outcome, ended.text, clock.waits.length], ['success', 'whole', 1]);
    assert.deepEqual(texts({ messages: await assertSame(kit) }), ['hello', 'whole']);
    await kit.agent.close('exit');
  });
}

test('sub-agents run together, write their own files and report with their totals', async (t) => {
  const task = (name: string) =>
    ['Agent', { description: name, prompt: `Look at ${name}`, subagent_type: 'general-purpose' }] as const;
  const kit = await startAgent(t, ({ body }) => {
    const [first, ...more] = messagesOf(body);
    const [said = ''] = texts({ messages: [first ?? {}] });
    if (said !== 'go') return more.length > 0 ? says(`${said}: seen`) : calls(['Bash', { command: `echo ${said}` }]);
    return more.length === 0 ? calls(task('one'), task('two')) : says('both are back');
  });
  const ended = await kit.agent.prompt('go');
  assert.equal(ended.text, 'both are back');
  const outcomes = results(kit.events.filter(({ agent }) => agent === undefined));
  assert.deepEqual(
    outcomes.map(({ content }) => content),
    [[{ type: 'text', text: 'Look at one: seen' }], [{ type: 'text', text: 'Look at two: seen' }]],
  );
  const stored = asObject(outcomes[0]?.stored);
  assert.deepEqual([stored?.status, stored?.totalToolUseCount], ['completed', 1]);
  assert.match(String(stored?.agentId), /^a[0-9a-f]{16}$/);
  await assertSame(kit);
  const session = await loadSession(kit.agent.state.file);
  assert.equal(session.agents.length, 2);
  const words = session.agents.map(({ path: file }) =>
    entriesOf(file ?? '').map(({ type, message }) => [
      type,
      blocksOf(asObject(message)?.content).map(({ type }) => type),
    ]),
  );
  const written = [
    ['user', ['text']],
    ['user', ['text', 'text', 'text', 'text', 'text']],
    ['clew-prompt', []],
    ['assistant', ['tool_use']],
    ['user', ['tool_result']],
    ['assistant', ['text']],
  ];
  assert.deepEqual(words, [written, written]);
  assert.deepEqual(
    kit.bodies().map((body) => toolNames(body).includes('Agent')),
    [true, false, false, false, false, true],
  );
});

test('Agent is offered under the name that a resume sends, and Task means the same everywhere', async (t) => {
  const task = { description: 'look', prompt: 'Look', subagent_type: 'general-purpose' };
  const settings = {
    hooks: { PreToolUse: [{ matcher: 'Task', hooks: [{ type: 'command', command: 'echo not now >&2; exit 2' }] }] },
  };
  const files = { 'claude/settings.json': JSON.stringify(settings) };
  const kit = await startAgent(t, [calls(['Task', task], ['Agent', task]), says('ok')], { files });
  await kit.agent.prompt('go');
  const outcomes = results(kit.events).map(({ content }) => content);
  assert.deepEqual(outcomes, ['not now', 'not now']);
  const [, answer] = messagesOf(kit.bodies()[1]);
  const said = asObject(answer)?.content;
  assert.deepEqual(isArray(said) && said.map((block) => asObject(block)?.name), ['Agent', 'Agent']);
  await assertSame(kit);
  const without = await startAgent(t, [says('ok')], { disallowedTools: ['Task'] });
  await without.agent.prompt('go');
  const offered = kit.bodies().concat(without.bodies()).map(toolNames);
  assert.deepEqual(
    offered.map((names) => names.filter((name) => name === 'Agent' || name === 'Task')),
    [['Agent'], ['Agent'], []],
  );
});

test('the end of a sub-agent in the background starts a turn', async (t) => {
  const task = { description: 'look', prompt: 'Look', subagent_type: 'general-purpose', run_in_background: true };
  const kit = await startAgent(t, ({ body }) => {
    const messages = messagesOf(body);
    if (texts({ messages })[0] === 'Look') return says('it is blue');
    return messages.length > 1 ? says('ok') : calls(['Task', task]);
  });
  await kit.agent.prompt('go');
  await kit.agent.idle();
  const launched = asObject(results(kit.events)[0]?.stored);
  assert.deepEqual([launched?.status, launched?.isAsync], ['async_launched', true]);
  const output = String(launched?.outputFile);
  assert.equal(readFileSync(output, 'utf8'), 'it is blue');
  const asked = JSON.stringify(messagesOf(kit.bodies().at(-1)).at(-1));
  assert.match(asked, /NOT USER INPUT.*<status>completed<.*<result>it is blue<\/result>/);
  assert.equal(readFileSync(output, 'utf8'), 'it is blue');
  await assertSame(kit);
});

test('prompts during a turn are queued, and the last can be taken back', async (t) => {
  const kit = await startAgent(t, () => says('ok'));
  const turns = ['one', 'two', 'three'].map((text) => kit.agent.prompt(text));
  assert.deepEqual(kit.agent.state.queued.slice(-2), ['two', 'three']);
  assert.equal(kit.agent.unqueue(), 'three');
  const outcomes = (await Promise.all(turns)).map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ['success', 'success', 'interrupted']);
  assert.equal(kit.agent.state.isBusy, false);
  assert.deepEqual(texts(kit.bodies().at(-1)), ['one', 'ok', 'two']);
});

test('an interrupt ends a command and its children, and the session stays complete', async (t) => {
  const kit = await startAgent(t, [calls(['Bash', { command: 'sleep 600 & echo started; wait' }]), says('fine')], {
    onEvent: (event) => {
      if (event.type === 'call') setTimeout(() => kit.agent.interrupt(), 50);
    },
  });
  const ended = await kit.agent.prompt('wait');
  assert.equal(ended.outcome, 'interrupted');
  await assertSame(kit);
  await kit.agent.prompt('proceed');
  await assertSame(kit);
});

test('rules, hooks and memory files of the user apply', async (t) => {
  const hook = `input=$(cat); case "$input" in *forbidden*) echo "not this" >&2; exit 2;; esac; echo "the tests are green"`;
  const settings = {
    permissions: { deny: ['Read(./secret.txt)'], allow: ['Bash(echo:*)'] },
    hooks: {
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: hook }] }],
      Stop: [{ hooks: [{ type: 'command', command: 'echo "$(cat)" > "$CLAUDE_PROJECT_DIR/stop.json"' }] }],
    },
  };
  const kit = await startAgent(
    t,
    [
      calls(['Read', { file_path: 'secret.txt' }], ['Bash', { command: 'echo hi' }], ['Bash', { command: 'rm -rf x' }]),
      says('ok'),
    ],
    {
      mode: 'default',
      files: {
        'project/secret.txt': 'hidden',
        'project/CLAUDE.md': 'Always answer in French.',
        'claude/settings.json': JSON.stringify(settings),
      },
    },
  );
  const refused = await kit.agent.prompt('do the forbidden thing');
  assert.deepEqual([refused.outcome, refused.error?.message], ['error_during_execution', 'not this']);
  const ended = await kit.agent.prompt('look');
  assert.deepEqual(
    results(kit.events).map(({ isError }) => isError),
    [true, false, true],
  );
  assert.equal(ended.denials.length, 2);
  assert.match(JSON.stringify(messagesOf(kit.bodies()[0])[0]), /Always answer in French/);
  assert.deepEqual(texts(kit.bodies()[0]), ['look\nthe tests are green']);
  const stopInput = JSON.parse(readFileSync(path.join(kit.cwd, 'stop.json'), 'utf8')) as JsonObject;
  assert.deepEqual(
    [
      stopInput.hook_event_name,
      stopInput.session_id,
      stopInput.stop_hook_active,
      stopInput.cwd,
      stopInput.permission_mode,
    ],
    ['Stop', kit.agent.state.sessionId, false, kit.cwd, 'default'],
  );
});

test('a session continues after a compaction, a rewind, a rename and a clear', async (t) => {
  const replies = ['one', 'two', 'SUMMARY', 'three', 'four', 'five'];
  const kit = await startAgent(t, replies.map(says));
  await kit.agent.prompt('first');
  await kit.agent.prompt('second');
  await kit.agent.compact('the tests');
  await kit.agent.prompt('third');
  assert.match(texts(kit.bodies()[2]).join(), /pay attention to: the tests/);
  assert.match(texts(kit.bodies()[3]).join(), /SUMMARY[\s\S]*third/);
  await assertSame(kit);
  const points = await kit.agent.rewindPoints();
  const point = points.find(({ prompt }) => prompt === 'third');
  assert.ok(point !== undefined);
  assert.equal((await kit.agent.rewind(point, 'chat')).prompt, 'third');
  await kit.agent.prompt('other third');
  assert.match(texts(kit.bodies()[4]).join(), /SUMMARY\n?other third$/);
  await assertSame(kit);
  await kit.agent.rename('My session');
  const { sessionId, title } = kit.agent.state;
  assert.equal(title, 'My session');
  await kit.agent.clear();
  assert.notEqual(kit.agent.state.sessionId, sessionId);
  await kit.agent.prompt('fresh');
  assert.deepEqual(texts(kit.bodies()[5]), ['fresh']);
  await assertSame(kit);
});

test('a closed agent refuses prompts, and others can open its session', async (t) => {
  const kit = await startAgent(t, [says('ok')]);
  await kit.agent.prompt('hello');
  await kit.agent.close('exit');
  await assert.rejects(kit.agent.prompt('more'), { name: 'UserError' });
  const session = { kind: 'resume', session: kit.agent.state.sessionId } as const;
  const next = await startAgent(t, [says('again')], { folder: kit.folder, session });
  assert.equal((await next.agent.prompt('hello again')).text, 'again');
});

test('usage and cost count every answer once', async (t) => {
  const usage = { input_tokens: 1000, output_tokens: 100, cache_read_input_tokens: 10, cache_creation_input_tokens: 0 };
  const kit = await startAgent(t, [
    { ...calls(['Bash', { command: 'true' }]), usage },
    { ...says('ok'), usage },
  ]);
  await kit.agent.prompt('go');
  const { inputTokens, outputTokens, cacheReadTokens } = kit.agent.state.usage;
  assert.deepEqual([inputTokens, outputTokens, cacheReadTokens], [2000, 200, 20]);
  assert.equal(kit.agent.state.contextTokens, 1110);
  assert.ok(kit.agent.state.costMicros > 0);
});
