// Hooks as real commands in a real shell: their input, the meaning of their exit, and that no process is left.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { HookName, HookVerdict } from '../../../src/agent/contract/hook.ts';
import { makeHookRunner, type RanHook } from '../../../src/agent/hooks/hook-runner.ts';
import { isAlive } from '../../support/processes.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait.ts';

const node = JSON.stringify(process.execPath);
const print = (value: unknown): string => `printf '%s' '${JSON.stringify(value)}'`;

test('a hook gets its input, its folder and the project', async (context) => {
  const { run, folder } = setUp(context, {
    PreToolUse: [
      group('Bash', 'cat > input.json; printf %s "$CLAUDE_PROJECT_DIR" > project.txt; printf %s "$PWD" > cwd.txt'),
    ],
  });
  const input = { session_id: 's', tool_name: 'Bash', tool_input: { command: 'ls' } };
  assert.deepEqual(await run('PreToolUse', 'Bash', input), { context: [], messages: [] });
  assert.deepEqual(JSON.parse(readFileSync(path.join(folder, 'input.json'), 'utf8')), {
    cwd: folder,
    ...input,
    hook_event_name: 'PreToolUse',
  });
  assert.equal(readFileSync(path.join(folder, 'project.txt'), 'utf8'), '/the/project');
  assert.equal(readFileSync(path.join(folder, 'cwd.txt'), 'utf8'), folder);
});

const answers: readonly (readonly [title: string, name: HookName, command: string, verdict: Partial<HookVerdict>])[] = [
  [
    'exit 2 blocks with what was written to stderr',
    'PreToolUse',
    'echo ignored; echo no way >&2; exit 2',
    { blocked: 'no way' },
  ],
  ['exit 2 without a word blocks too', 'Stop', 'exit 2', { blocked: 'blocked by the hook exit 2' }],
  ['exit 2 keeps a conversation from being summarised', 'PreCompact', 'echo no >&2; exit 2', { blocked: 'no' }],
  ['exit 2 cannot hold up the start of a session', 'SessionStart', 'echo no >&2; exit 2', { messages: ['no'] }],
  [
    'another failure is said and holds up nothing',
    'PreToolUse',
    'echo oops >&2; exit 1',
    { messages: ['the hook echo oops >&2; exit 1 failed (exit code 1): oops'] },
  ],
  [
    'a command that is not there is said',
    'Stop',
    'no-such-command-x 2>/dev/null',
    { messages: ['the hook no-such-command-x 2>/dev/null failed (exit code 127)'] },
  ],
  [
    'what a prompt hook prints is context',
    'UserPromptSubmit',
    'echo today is monday',
    { context: ['today is monday'] },
  ],
  ['what a start hook prints is context', 'SessionStart', 'echo hello', { context: ['hello'] }],
  ['what a tool hook prints is nothing', 'PostToolUse', 'echo hello', {}],
  [
    'a permission decision',
    'PreToolUse',
    print({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'not today',
      },
    }),
    { permission: { decision: 'deny', reason: 'not today' } },
  ],
  [
    'an old style approval',
    'PreToolUse',
    print({ decision: 'approve', reason: 'fine' }),
    { permission: { decision: 'allow', reason: 'fine' } },
  ],
  ['a block in JSON', 'PostToolUse', print({ decision: 'block', reason: 'lint' }), { blocked: 'lint' }],
  [
    'a new input',
    'PreToolUse',
    print({ hookSpecificOutput: { updatedInput: { command: 'ls -l' } } }),
    { updatedInput: { command: 'ls -l' } },
  ],
  [
    'a word that is not known becomes a question',
    'PreToolUse',
    print({ hookSpecificOutput: { permissionDecision: 'maybe', permissionDecisionReason: 'r' } }),
    { permission: { decision: 'ask', reason: 'r' } },
  ],
  [
    'more context and a message',
    'UserPromptSubmit',
    print({
      systemMessage: 'note',
      suppressOutput: true,
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'ctx' },
    }),
    { context: ['ctx'], messages: ['note'] },
  ],
  ['the end of everything', 'Stop', print({ continue: false, stopReason: 'enough' }), { stop: 'enough' }],
  ['broken JSON of a tool hook is nothing', 'PreToolUse', `printf '{"decision": '`, {}],
  [
    'JSON of the wrong kinds is nothing',
    'PreToolUse',
    print({ decision: 7, reason: [], hookSpecificOutput: [], systemMessage: {}, continue: 'false' }),
    {},
  ],
];

for (const [title, name, command, verdict] of answers) {
  test(`hook: ${title}`, async (context) => {
    const { run } = setUp(context, { [name]: [group(undefined, command)] });
    assert.deepEqual(await run(name, 'Bash', {}), { context: [], messages: [], ...verdict });
  });
}

test('a guard that answers for another event refuses, and other hooks that do so are ignored', async (context) => {
  const command = print({ hookSpecificOutput: { hookEventName: 'Stop', permissionDecision: 'allow' } });
  const { run } = setUp(context, {
    PreToolUse: [group('', command)],
    PermissionRequest: [group('', command)],
    PostToolUse: [group('', command)],
  });
  const problem = (name: string): string => `the hook ${command} answered for Stop, not for ${name}`;
  assert.deepEqual(await run('PreToolUse', 'Bash', {}), {
    blocked: `${problem('PreToolUse')}. The tool call was not executed; other configured hooks may not have completed.`,
    context: [],
    messages: [],
  });
  const { request } = await run('PermissionRequest', 'Bash', {});
  assert.equal(request?.behavior, 'deny');
  assert.deepEqual(await run('PostToolUse', 'Bash', {}), {
    context: [],
    messages: [`${problem('PostToolUse')}; the answer is ignored`],
  });
});

test('the strictest of several verdicts counts, and identical commands run once', async (context) => {
  const decide = (permissionDecision: string): string =>
    print({ hookSpecificOutput: { permissionDecision, permissionDecisionReason: permissionDecision } });
  const { run, folder, ran } = setUp(context, {
    PreToolUse: [
      group('Bash', decide('allow'), decide('deny'), 'echo x >> count.txt'),
      group('*', decide('ask'), 'echo x >> count.txt'),
      group('Edit', 'exit 2'),
    ],
  });
  const verdict = await run('PreToolUse', 'Bash', { tool_use_id: 'toolu_1' });
  assert.deepEqual(verdict, { context: [], messages: [], permission: { decision: 'deny', reason: 'deny' } });
  assert.equal(readFileSync(path.join(folder, 'count.txt'), 'utf8'), 'x\n');
  assert.deepEqual(
    ran,
    [decide('allow'), decide('deny'), 'echo x >> count.txt', decide('ask')].map((command) => ({
      event: 'PreToolUse',
      command,
      callId: 'toolu_1',
    })),
  );
});

test('hooks of one event run in parallel', async (context) => {
  // Each waits for the file of the other: one after the other they would never end.
  const wait = (mine: string, other: string): string => `touch ${mine}; while [ ! -e ${other} ]; do sleep 0.02; done`;
  const { run } = setUp(context, { Stop: [group('', wait('a', 'b'), wait('b', 'a'))] });
  assert.deepEqual(await run('Stop', '', {}), { context: [], messages: [] });
});

const matchers: readonly (readonly [matcher: string, subject: string, fits: boolean])[] = [
  ['', 'Bash', true],
  ['*', 'Bash', true],
  ['Bash', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['bash', 'Bash', false],
  ['Edit|Write', 'Write', true],
  ['Edit|Write', 'NotebookEdit', false],
  ['Notebook.*', 'NotebookEdit', true],
  ['mcp__db__.*', 'mcp__db__read', true],
  ['^Bash$', 'BashOutput', false],
  ['(', 'Bash', false],
];

test('a matcher is a name, names, a pattern or everything', async (context) => {
  for (const [matcher, subject, fits] of matchers) {
    const { run } = setUp(context, { PreToolUse: [group(matcher, 'exit 2')] });
    const { blocked } = await run('PreToolUse', subject, {});
    assert.deepEqual([matcher, subject, blocked !== undefined], [matcher, subject, fits]);
  }
});

test('a hook that takes too long is ended with its children', async (context) => {
  // On a busy machine its time may be over before it has begun.
  for (const timeout of [0.5, 2, 8, 32]) {
    const { run, folder } = setUp(context, { Stop: [{ hooks: [{ type: 'command', command: tree, timeout }] }] });
    const verdict = await run('Stop', '', {});
    assert.deepEqual(verdict, { context: [], messages: [`the hook ${tree} did not end within ${timeout} s`] });
    if (existsSync(path.join(folder, 'pid.txt'))) return assertGone(folder);
  }
  assert.fail('the hook never began');
});

test('an abort ends the hooks with their children', async (context) => {
  const { runner, folder } = setUp(context, { Stop: [group('', tree)] });
  const controller = new AbortController();
  const running = runner.run('Stop', '', {}, controller.signal);
  await waitFor(
    () => existsSync(path.join(folder, 'pid.txt')) && readFileSync(path.join(folder, 'pid.txt'), 'utf8').endsWith('\n'),
  );
  controller.abort();
  assert.deepEqual(await running, { context: [], messages: [] });
  await assertGone(folder);
});

test('a hook with a surviving child does not block the turn', async (context) => {
  const { run, folder } = setUp(context, { SessionStart: [group('', 'sleep 30 & echo $! > pid.txt; echo ready')] });
  assert.deepEqual(await run('SessionStart', 'startup', {}), { context: ['ready'], messages: [] });
  process.kill(Number(readFileSync(path.join(folder, 'pid.txt'), 'utf8')), 'SIGKILL');
});

test('endless output is cut, and unread input is not an error', async (context) => {
  const flood = `${node} -e 'process.stdout.write("x".repeat(3e6))'`;
  const { run } = setUp(context, { UserPromptSubmit: [group('', flood)] });
  const { context: said } = await run('UserPromptSubmit', '', { prompt: 'p'.repeat(2_000_000) });
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /^x{30000}\n… \(cut, 1048576 characters\)$/);
});

test('an invalid hook is a problem, not an error', (context) => {
  const { runner } = setUp(context, {
    Nonsense: [],
    TeammateIdle: [group('', 'true')],
    Stop: [
      1,
      { hooks: 'x' },
      { hooks: [{ type: 'prompt', prompt: 'p' }, null, { type: 'agent', prompt: 'p' }, { type: 'mcp_tool' }] },
      {
        hooks: [
          { type: 'command' },
          { type: 'http', url: 'file:///x' },
          { type: 'command', command: 'a', shell: 'powershell' },
        ],
      },
    ],
    PreToolUse: [group('(', 'true')],
  });
  assert.deepEqual(runner.problems, [
    'hooks for Nonsense are not run: the event is not known',
    'hooks for TeammateIdle are not run: Clew has no such event',
    'a group of hooks for Stop is not run: it has no list of hooks',
    'a group of hooks for Stop is not run: it has no list of hooks',
    'a hook for Stop is not run: there is no model to ask',
    'a hook for Stop is not run: its type is null, not "command", "http" or "prompt"',
    'a hook for Stop is not run: hooks of the type "agent" are not supported; use the type "command"',
    'a hook for Stop is not run: hooks of the type "mcp_tool" are not supported; use the type "command"',
    'a hook for Stop is not run: a hook of the type "command" needs a command',
    'a hook for Stop is not run: a hook of the type "http" needs a url',
    'a hook for Stop is not run: its shell is "powershell"; only "bash" is supported',
    'the matcher ( of a hook is not a regular expression; it is compared literally',
  ]);
  assert.deepEqual([runner.has('Stop'), runner.has('PreToolUse'), runner.has('PostToolUse')], [false, true, false]);
});

/** Starts a child that does not listen to SIGTERM, says which, and waits for it. */
const tree = `sh -c 'trap "" TERM; echo $$ > pid.txt; while :; do sleep 0.2; done'`;

async function assertGone(folder: string): Promise<void> {
  const pid = Number(readFileSync(path.join(folder, 'pid.txt'), 'utf8'));
  await waitFor(() => !isAlive(pid));
}

function group(matcher: string | undefined, ...commands: readonly string[]) {
  return {
    ...(matcher === undefined ? {} : { matcher }),
    hooks: commands.map((command) => ({ type: 'command', command })),
  };
}

function setUp(context: TestContext, hooks: Parameters<typeof makeHookRunner>[0]['hooks']) {
  const folder = temporaryFolder(context);
  const ran: RanHook[] = [];
  const runner = makeHookRunner({
    hooks,
    projectDir: '/the/project',
    cwd: () => folder,
    env: process.env,
    onRan: (each) => void ran.push(each),
  });
  const run = (name: HookName, subject: string, input: Parameters<typeof runner.run>[2]): Promise<HookVerdict> =>
    runner.run(name, subject, input, new AbortController().signal);
  return { folder, ran, runner, run };
}
