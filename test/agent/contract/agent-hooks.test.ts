// Hooks of the user through the whole agent: what each gets on stdin, and what its answer does to the conversation.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Script } from '../../../src/api/server/script.ts';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { type AgentKit, type AgentKitOptions, startAgent } from '../../support/agent-kit.ts';
import { assertSame, calls, messagesOf, results, says, texts } from '../../support/agent-talk.ts';
import { waitFor } from '../../support/wait.ts';

const answer = (value: unknown): string => `printf '%s' '${JSON.stringify(value)}'`;

test('PreToolUse denies, allows and changes calls, and its context follows the results', async (t) => {
  const verdict = (more: JsonObject) => answer({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } });
  const script = [
    'case "$(cat)" in',
    `*one*) ${verdict({ permissionDecision: 'deny', permissionDecisionReason: 'not one' })};;`,
    `*two*) ${verdict({ permissionDecision: 'allow', updatedInput: { command: 'echo changed' } })};;`,
    `*three*) ${verdict({ additionalContext: 'three is asked for often' })};;`,
    '*) exit 0;; esac',
  ].join('\n');
  const asked: string[] = [];
  const kit = await startWithHooks(
    t,
    { PreToolUse: [['Bash', script]] },
    [bash('touch one', 'touch two', 'touch three', 'touch four'), says('ok')],
    {
      mode: 'default',
      approve: async ({ call }) => {
        asked.push(String(call.input.command));
        return { kind: 'deny', message: 'nobody is here', isInterrupt: false };
      },
    },
  );
  await kit.agent.prompt('go');
  assert.deepEqual(
    results(kit.events).map(({ content, isError }) => [String(content).trim(), isError]),
    [
      ['not one', true],
      ['changed', false],
      ['nobody is here', true],
      ['nobody is here', true],
    ],
  );
  assert.deepEqual(asked, ['touch three', 'touch four']);
  assert.deepEqual(heard(kit, 'PreToolUse')[1], {
    ...common(kit, 'PreToolUse'),
    tool_name: 'Bash',
    tool_input: { command: 'touch two' },
    tool_use_id: callIds(kit)[1],
    effort: { level: 'medium' },
  });
  await assertSame(kit);
});

test('PostToolUse gets the result, and its output reaches the model', async (t) => {
  const kit = await startWithHooks(
    t,
    { PostToolUse: [['Write', answer({ decision: 'block', reason: 'run the formatter' })]] },
    [calls(['Write', { file_path: 'a.txt', content: 'x' }], ['Bash', { command: 'echo hi' }]), says('ok')],
  );
  await kit.agent.prompt('go');
  assert.match(texts({ messages: messagesOf(kit.bodies()[1]).slice(-1) }).join(), /Write: run the formatter/);
  const [inputs, ...more] = heard(kit, 'PostToolUse');
  assert.deepEqual(more, []);
  const file = path.join(kit.cwd, 'a.txt');
  const { tool_response, ...rest } = inputs ?? {};
  assert.deepEqual(rest, {
    ...common(kit, 'PostToolUse'),
    permission_mode: 'bypassPermissions',
    tool_name: 'Write',
    tool_input: { file_path: 'a.txt', content: 'x' },
    tool_use_id: callIds(kit)[0],
    effort: { level: 'medium' },
  });
  assert.equal((tool_response as JsonObject).filePath, file);
  await assertSame(kit);
});

test('PreCompact can block a compaction', async (t) => {
  const kit = await startWithHooks(t, { PreCompact: [['', 'echo not before the release >&2; exit 2']] }, [says('ok')]);
  await kit.agent.prompt('go');
  await kit.agent.compact('the tests');
  const compacted = kit.events.find(({ type }) => type === 'compacted');
  assert.deepEqual(compacted?.type === 'compacted' && compacted.result, {
    problem: 'a hook blocked it: not before the release',
  });
  assert.equal(kit.bodies().length, 1);
  assert.deepEqual(heard(kit, 'PreCompact'), [
    {
      ...common(kit, 'PreCompact'),
      trigger: 'manual',
      custom_instructions: 'the tests',
    },
  ]);
});

test('SubagentStop sends a sub-agent back to work, and knows its file', async (t) => {
  const once = `case "$(cat)" in *'"stop_hook_active":false'*) echo look again >&2; exit 2;; esac`;
  const task = { description: 'look', prompt: 'Look', subagent_type: 'general-purpose' };
  const kit = await startWithHooks(t, { SubagentStop: [['general-purpose', once]] }, [
    calls(['Agent', task]),
    says('it is blue'),
    says('it is green'),
    says('ok'),
  ]);
  await kit.agent.prompt('go');
  assert.deepEqual(results(kit.events)[0]?.content, [{ type: 'text', text: 'it is green' }]);
  const inputs = heard(kit, 'SubagentStop');
  assert.deepEqual(
    inputs.map(({ stop_hook_active, last_assistant_message, agent_type }) => [
      stop_hook_active,
      last_assistant_message,
      agent_type,
    ]),
    [
      [false, 'it is blue', 'general-purpose'],
      [true, 'it is green', 'general-purpose'],
    ],
  );
  const file = String(inputs[0]?.agent_transcript_path);
  assert.ok(existsSync(file), file);
  assert.ok(file.endsWith(`subagents/agent-${inputs[0]?.agent_id}.jsonl`));
  assert.deepEqual(inputs[0]?.transcript_path, kit.agent.state.file);
});

test('SessionStart adds context with its source, SessionEnd gets the reason', async (t) => {
  const kit = await startWithHooks(t, { SessionStart: [['', 'echo it rains']], SessionEnd: [['', 'true']] }, () =>
    says('ok'),
  );
  await kit.agent.prompt('hello');
  assert.match(texts(kit.bodies()[0]).join(), /it rains\n?hello/);
  const first = kit.agent.state.sessionId;
  await kit.agent.clear();
  await kit.agent.prompt('again');
  assert.match(texts(kit.bodies()[1]).join(), /it rains\n?again/);
  await assertSame(kit);
  const second = kit.agent.state.sessionId;
  await kit.agent.close('exit');
  assert.deepEqual(
    heard(kit, 'SessionStart').map(({ session_id, source }) => [session_id, source]),
    [
      [first, 'startup'],
      [second, 'clear'],
    ],
  );
  assert.deepEqual(
    heard(kit, 'SessionEnd').map(({ session_id, reason }) => [session_id, reason]),
    [
      [first, 'clear'],
      [second, 'prompt_input_exit'],
    ],
  );
});

test('Notification runs when the agent waits for the user', async (t) => {
  const kit = await startWithHooks(t, { Notification: [['', 'true']] }, [bash('touch x'), says('ok')], {
    mode: 'default',
    isInteractive: true,
    approve: async () => {
      await waitFor(() => heard(kit, 'Notification').length > 0);
      return { kind: 'allow' };
    },
  });
  await kit.agent.prompt('go');
  assert.ok(existsSync(path.join(kit.cwd, 'x')));
  assert.deepEqual(heard(kit, 'Notification'), [
    {
      ...common(kit, 'Notification'),
      message: 'Clew needs your permission to use Bash',
      notification_type: 'permission_prompt',
    },
  ]);
});

test('the hooks of a turn get the prompt id of its lines, and the next turn has another', async (t) => {
  const names = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];
  const kit = await startWithHooks(t, Object.fromEntries(names.map((name) => [name, [['', 'true']]])), [
    bash('echo one'),
    says('ok'),
    bash('echo two'),
    says('ok'),
  ]);
  await kit.agent.prompt('first');
  await kit.agent.prompt('second');
  const linesOf = (file: string): JsonObject[] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
  const written = linesOf(kit.agent.state.file).filter(({ type }) => type === 'user');
  const ids = [...new Set(written.map(({ promptId }) => promptId))];
  assert.equal(ids.length, 2);
  for (const name of names) {
    const given = linesOf(path.join(kit.folder, `${name}.jsonl`)).map(({ prompt_id: id }) => id);
    assert.deepEqual([name, given], [name, ids]);
  }
});

/** Each hook also writes its input as a line. */
function startWithHooks(
  t: TestContext,
  hooks: Readonly<Record<string, readonly (readonly [string, string])[]>>,
  script: Script,
  more: AgentKitOptions = {},
): Promise<AgentKit> {
  const keeping = (event: string, command: string) =>
    `given=$(cat); printf '%s\\n' "$given" >> "$CLAUDE_PROJECT_DIR/../${event}.jsonl"; printf %s "$given" | {\n${command}\n}`;
  const entries = Object.entries(hooks).map(([event, groups]) => [
    event,
    groups.map(([matcher, command]) => ({ matcher, hooks: [{ type: 'command', command: keeping(event, command) }] })),
  ]);
  const settings = JSON.stringify({ hooks: Object.fromEntries(entries) });
  return startAgent(t, script, { ...more, files: { 'claude/settings.json': settings } });
}

/** Without what is different in every run. */
function heard({ folder }: AgentKit, event: string): JsonObject[] {
  const file = path.join(folder, `${event}.jsonl`);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const { prompt_id: promptId, duration_ms: _, ...input } = JSON.parse(line) as JsonObject;
      if (promptId !== undefined) assert.match(String(promptId), /^[0-9a-f-]{36}$/);
      return input;
    });
}

function common({ agent, cwd }: AgentKit, event: string): JsonObject {
  const { sessionId, file } = agent.state;
  const isOfSession = ['PreCompact', 'Notification', 'SessionStart', 'SessionEnd'].includes(event);
  const mode = isOfSession ? {} : { permission_mode: 'default' };
  return { session_id: sessionId, transcript_path: file, cwd, ...mode, hook_event_name: event };
}

function bash(...commands: readonly string[]) {
  return calls(...commands.map((command) => ['Bash', { command }] as const));
}

function callIds({ events }: AgentKit): string[] {
  return events.flatMap((event) => (event.type === 'result' ? [event.call.id] : []));
}
