// The flags of `clew -p`, and the user's own files: permissions, hooks, servers, sessions.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, isArray, type JsonObject } from '../../../src/base/json/json.ts';
import { splitRules } from '../../../src/cli/input/agent-options.ts';
import { sample } from '../../agent/mcp/mcp-kit.ts';
import { assertSound, calls, messagesOf, says, startHeadless, textsOf } from '../../support/headless-kit.ts';
import { waitFor } from '../../support/wait.ts';

const json = ['--output-format', 'json'] as const;

test('rules are split at commas and spaces, but not inside parentheses', () => {
  assert.deepEqual(splitRules(['Read,Edit', 'Bash(git log:*) Write', 'Bash(echo a, b)', ' , ']), [
    'Read',
    'Edit',
    'Bash(git log:*)',
    'Write',
    'Bash(echo a, b)',
  ]);
});

test('a call that is not allowed is refused with its reason and listed; allowed and forbidden tools apply', async (t) => {
  const step = calls(
    ['Bash', { command: 'mkdir one' }],
    ['Bash', { command: 'touch two' }],
    ['Write', { file_path: 'three', content: 'x' }],
  );
  const kit = await startHeadless(t, ({ body }) => (messagesOf(body).length === 1 ? step : says('ok')));
  const plain = await kit.print(['-p', 'go', ...json]);
  const denials = (result: JsonObject) =>
    isArray(result.permission_denials) ? result.permission_denials.map((each) => asObject(each)?.tool_name) : [];
  assert.deepEqual([plain.status, denials(plain.result)], [0, ['Bash', 'Bash', 'Write']]);
  assert.match(JSON.stringify(kit.bodies()[1]), /nobody is here to be asked/);
  const allowed = await kit.print(['-p', 'go', ...json, '--allowedTools', 'Bash(touch:*)', '--allowed-tools', 'Write']);
  assert.deepEqual(denials(allowed.result), ['Bash']);
  assert.deepEqual(
    ['one', 'two', 'three'].map((name) => existsSync(path.join(kit.cwd, name))),
    [false, true, true],
  );
  const edits = await kit.print(['-p', 'go', ...json, '--permission-mode', 'acceptEdits', '--disallowedTools', 'Bash']);
  assert.deepEqual(edits.status, 0);
  const { tools } = kit.bodies().at(-1) ?? {};
  assert.ok(isArray(tools) && !tools.some((tool) => asObject(tool)?.name === 'Bash'));
});

test('the model, both system prompts and additional folders come from the flags', async (t) => {
  const kit = await startHeadless(t, () => says('ok'));
  await kit.print(['-p', 'go', '--model', 'opus', '--append-system-prompt', 'Rhyme.', '--add-dir', kit.folder]);
  await kit.print(['-p', 'go', '--model', 'claude-haiku-4-5', '--system-prompt', 'You are a cat.']);
  const [first, second] = kit.bodies();
  assert.match(String(first?.model), /^claude-opus-/);
  assert.match(JSON.stringify(first?.system), /Rhyme\./);
  assert.match(JSON.stringify(first?.messages), new RegExp(`Further folders: ${kit.folder}`));
  assert.equal(second?.model, 'claude-haiku-4-5');
  assert.match(JSON.stringify(second?.system), /You are a cat\./);
});

test('hooks of the settings run: one blocks a call, one runs at the end', async (t) => {
  const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
  const settings = {
    hooks: {
      PreToolUse: [{ matcher: 'Bash', ...hook('echo "not today" >&2; exit 2')[0] }],
      SessionEnd: hook('cat > "$CLAUDE_PROJECT_DIR/end.json"'),
    },
  };
  const kit = await startHeadless(t, [calls(['Bash', { command: 'touch x' }]), says('ok')], {
    files: { 'home/.claude/settings.json': JSON.stringify(settings) },
  });
  const { status } = await kit.print(['-p', 'go', '--dangerously-skip-permissions']);
  assert.equal(status, 0);
  assert.match(JSON.stringify(kit.bodies()[1]), /not today/);
  const hookInput = JSON.parse(readFileSync(path.join(kit.cwd, 'end.json'), 'utf8')) as JsonObject;
  assert.equal(hookInput.hook_event_name, 'SessionEnd');
});

test('servers of --mcp-config add tools, and end with the run', async (t) => {
  const kit = await startHeadless(t, [calls(['mcp__sample__echo', { text: 'hello' }]), says('ok')], {
    files: { 'servers.json': JSON.stringify({ mcpServers: { sample: sample() } }) },
  });
  const args = ['--mcp-config', path.join(kit.folder, 'servers.json'), '--allowedTools', 'mcp__sample__echo'];
  const { status, result } = await kit.print(['-p', 'go', ...json, ...args]);
  assert.deepEqual([status, result.permission_denials], [0, []]);
  const last = messagesOf(kit.bodies()[1]).at(-1);
  assert.match(JSON.stringify(last), /hello/);
  assert.doesNotMatch(JSON.stringify(last), /is_error/);
});

test('--continue, --resume and --session-id choose the session; --fork-session continues in a copy', async (t) => {
  const kit = await startHeadless(t, ({ body }) => says(`answer ${messagesOf(body).length}`));
  const id = '11111111-2222-4333-8444-555555555555';
  const first = await kit.print(['-p', 'one', ...json, '--session-id', id]);
  const second = await kit.print(['-p', 'two', ...json, '--continue']);
  const third = await kit.print(['-p', 'three', ...json, '--resume', id.slice(0, 8)]);
  const [file = ''] = kit.transcripts();
  const before = readFileSync(file, 'utf8');
  const fork = await kit.print(['-p', 'four', ...json, '-r', id, '--fork-session']);
  assert.deepEqual(
    [first, second, third].map(({ result }) => result.session_id),
    [id, id, id],
  );
  assert.notEqual(fork.result.session_id, id);
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.deepEqual(textsOf(kit.bodies().at(-1)), ['one', 'answer 1', 'two', 'answer 3', 'three', 'answer 5', 'four']);
  const taken = await kit.print(['-p', 'x', ...json, '--session-id', id]);
  assert.equal(taken.status, 2);
  assert.match(taken.stderr, /already exists/);
  assert.equal(kit.transcripts().length, 2);
  for (const each of kit.transcripts()) await assertSound(each);
});

test('a session that another run holds is refused with a result, and an offer to fork', async (t) => {
  const kit = await startHeadless(t, ({ body }) => (messagesOf(body).length > 1 ? { hang: true } : says('ok')));
  const { result } = await kit.print(['-p', 'one', ...json]);
  const holder = kit.start(['-p', 'two', '--continue']);
  holder.child.stdin.end();
  await waitFor(() => kit.bodies().length === 2);
  const before = readFileSync(kit.transcripts()[0] ?? '', 'utf8');
  const refused = await kit.print(['-p', 'three', ...json, '--resume', String(result.session_id)]);
  assert.equal(refused.status, 3);
  assert.match(refused.stderr, /fork/);
  assert.equal(refused.result.is_error, true);
  assert.equal(readFileSync(kit.transcripts()[0] ?? '', 'utf8'), before);
  holder.child.kill('SIGTERM');
  assert.equal((await holder.ended).status, 143);
  await assertSound(kit.transcripts()[0] ?? '');
});

test('--progress-entries writes the progress of commands, sub-agents and hooks', async (t) => {
  const settings = { hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: 'true' }] }] } };
  const kit = await startHeadless(
    t,
    ({ body }) => {
      if (textsOf(asObject(body))[0] === 'Look') return says('seen');
      const task = { description: 'look', prompt: 'Look', subagent_type: 'general-purpose' };
      return messagesOf(body).length === 1
        ? calls(['Bash', { command: 'echo one; sleep 1.2; echo two; sleep 1.2; echo three' }], ['Task', task])
        : says('ok');
    },
    { files: { 'home/.claude/settings.json': JSON.stringify(settings) } },
  );
  await kit.print(['-p', 'go', '--dangerously-skip-permissions', '--progress-entries']);
  const [file = ''] = kit.transcripts();
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  const kinds = new Set(lines.flatMap(({ type, data }) => (type === 'progress' ? [asObject(data)?.type] : [])));
  assert.deepEqual([...kinds].sort(), ['agent_progress', 'bash_progress', 'hook_progress']);
  await assertSound(file);
});
