// `canUseTool`: the program decides about calls that the rules leave open. The expected requests and results are those of
// Claude Code 2.1.325 with the Agent SDK 0.3.325, except for the words of Clew's own tools.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../../src/base/json/json.ts';
import { calls, results, says } from '../../../support/agent-talk.ts';
import { type FakeHost, type HostAnswer, startHost } from '../../../support/fake-host.ts';

const touch = (file: string): JsonObject => ({ command: `touch ${file}`, description: 'make it' });

function start(t: Parameters<typeof startHost>[0], script: Parameters<typeof startHost>[1], can: HostAnswer): FakeHost {
  return startHost(t, script, { permissionTool: 'stdio', answers: { can_use_tool: can } });
}

const contents = (host: FakeHost) => results(host.kit().events).map(({ content }) => content);

test('a call that the rules leave open is asked for, and runs with the input of the answer', async (t) => {
  const host = start(t, [calls(['Write', { file_path: 'a.txt', content: 'hi' }]), says('done')], ({ input }) => ({
    behavior: 'allow',
    updatedInput: { ...(input as JsonObject), content: 'changed' },
  }));
  assert.equal((await host.prompt('go')).outcome, 'success');
  const { cwd } = host.kit();
  assert.equal(readFileSync(path.join(cwd, 'a.txt'), 'utf8'), 'changed');
  const [asked] = host.asked('can_use_tool');
  assert.match(String(asked?.tool_use_id), /^toolu_/);
  assert.deepEqual(
    { ...asked, tool_use_id: '', decision_reason: '' },
    {
      subtype: 'can_use_tool',
      tool_name: 'Write',
      display_name: 'Write',
      input: { file_path: path.join(cwd, 'a.txt'), content: 'hi' },
      description: 'a.txt',
      decision_reason: '',
      permission_suggestions: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Edit', ruleContent: '/**' }],
          behavior: 'allow',
          destination: 'session',
        },
        { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      ],
      tool_use_id: '',
    },
  );
});

test('a refusal reaches the model in its own words, and with interrupt it ends the turn', async (t) => {
  const host = start(t, [calls(['Bash', touch('x')]), calls(['Bash', touch('y')]), says('never')], ({ input }) => ({
    behavior: 'deny',
    message: 'not this one',
    interrupt: (input as JsonObject).command === 'touch y',
  }));
  const ended = await host.prompt('go');
  assert.equal(ended.outcome, 'interrupted');
  assert.deepEqual(contents(host), ['not this one', 'not this one']);
  assert.deepEqual(
    ended.denials.map(({ tool_name, tool_input }) => [tool_name, tool_input]),
    [
      ['Bash', touch('x')],
      ['Bash', touch('y')],
    ],
  );
  assert.ok(!existsSync(path.join(host.kit().cwd, 'x')));
});

test('an answer that is not a valid decision refuses the call', async (t) => {
  const bad: readonly (JsonObject | Error)[] = [
    {},
    { behavior: 'perhaps' },
    { behavior: 'deny' },
    { behavior: 'allow', updatedInput: 'x' },
    { behavior: 'allow', updatedPermissions: {} },
    { behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 'bypassPermissions' }] },
    { behavior: 'allow', updatedPermissions: [{ type: 'addRules', behavior: 'deny', rules: [{ toolName: '(' }] }] },
    {
      behavior: 'allow',
      updatedPermissions: [{ type: 'addRules', behavior: 'allow', rules: [], destination: 'moon' }],
    },
    new Error('it broke'),
  ];
  let i = 0;
  const host = start(t, [...bad.map(() => calls(['Bash', touch('x')])), says('done')], () => bad[i++]);
  await host.prompt('go');
  const said = contents(host).map(String);
  assert.equal(said.length, bad.length);
  for (const text of said.slice(0, -1))
    assert.match(text, /^The canUseTool callback returned an invalid permission result\. Expected /);
  assert.equal(said.at(-1), 'Tool permission request failed: it broke');
  assert.ok(!existsSync(path.join(host.kit().cwd, 'x')));
});

test('permission updates hold for later calls: rules, a mode, folders', async (t) => {
  const session = 'session';
  const ruleFor = (command: string) => [{ toolName: 'Bash', ruleContent: command }];
  const updates: readonly JsonObject[] = [
    { type: 'addRules', rules: ruleFor('touch a'), behavior: 'allow', destination: session },
    { type: 'addRules', rules: ruleFor('touch b'), behavior: 'deny', destination: session },
    { type: 'removeRules', rules: ruleFor('touch a'), behavior: 'allow', destination: session },
    { type: 'addDirectories', directories: ['/etc'], destination: session },
    { type: 'setMode', mode: 'acceptEdits', destination: session },
  ];
  let i = 0;
  const host = start(
    t,
    [
      calls(['Bash', touch('a')]),
      calls(['Bash', touch('a')]), // the rule allows it
      calls(['Bash', touch('c')]),
      calls(['Bash', touch('b')]), // the rule denies it
      calls(['Bash', touch('d')]),
      calls(['Bash', touch('a')]), // the rule is gone
      calls(['Read', { file_path: '/etc/hosts' }]), // in an additional folder
      calls(['Write', { file_path: 'one', content: 'x' }]),
      calls(['Write', { file_path: 'two', content: 'x' }]), // the mode allows it
      says('done'),
    ],
    () => ({ behavior: 'allow', updatedPermissions: updates.slice(i, ++i) }),
  );
  await host.prompt('go');
  assert.deepEqual(
    host.asked('can_use_tool').map(({ input }) => {
      const { command, file_path } = input as JsonObject;
      return command ?? path.basename(String(file_path));
    }),
    ['touch a', 'touch c', 'touch d', 'touch a', 'one'],
  );
  assert.equal(host.kit().agent.state.mode, 'acceptEdits');
  assert.deepEqual(
    results(host.kit().events).flatMap(({ isError, content }) => (isError ? [content] : [])),
    ['touch b is denied by the rule Bash(touch b) (this session)'],
  );
});

test('a rule for a settings file is written there', async (t) => {
  const rules = [{ toolName: 'Bash', ruleContent: 'touch a' }];
  const places = ['localSettings', 'projectSettings', 'userSettings'];
  const host = start(t, [calls(['Bash', touch('a')]), says('done')], () => ({
    behavior: 'allow',
    updatedPermissions: places.map((destination, i) => ({
      ...{ type: 'addRules', rules, destination },
      behavior: ['allow', 'deny', 'ask'][i] ?? '',
    })),
  }));
  await host.prompt('go');
  const { cwd, root } = host.kit();
  const files = [`${cwd}/.claude/settings.local.json`, `${cwd}/.claude/settings.json`, `${root}/settings.json`];
  assert.deepEqual(
    files.map((file) => JSON.parse(readFileSync(file, 'utf8'))),
    [
      { permissions: { allow: ['Bash(touch a)'] } },
      { permissions: { deny: ['Bash(touch a)'] } },
      { permissions: { ask: ['Bash(touch a)'] } },
    ],
  );
});

test('an interrupt withdraws the question, and the call does not run', async (t) => {
  let onAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const host = start(t, [calls(['Bash', touch('x')]), says('next')], () => {
    onAsked();
    return undefined;
  });
  const turn = host.prompt('go');
  await asked;
  assert.deepEqual(await host.request('interrupt'), { still_queued: [] });
  assert.equal((await turn).outcome, 'interrupted');
  const request = host.written.find(({ type }) => type === 'control_request');
  const cancel = host.written.find(({ type }) => type === 'control_cancel_request');
  assert.equal(cancel?.request_id, request?.request_id);
  assert.ok(!existsSync(path.join(host.kit().cwd, 'x')));
  // An answer that comes too late changes nothing.
  const response = { subtype: 'success', request_id: request?.request_id ?? '', response: { behavior: 'allow' } };
  host.send({ type: 'control_response', response });
  assert.equal((await host.prompt('again')).outcome, 'success');
  assert.ok(!existsSync(path.join(host.kit().cwd, 'x')));
});

test('when the program closes its side, open questions are refused', async (t) => {
  let onAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    onAsked = resolve;
  });
  const host = start(t, [calls(['Bash', touch('x')]), calls(['Bash', touch('y')]), says('done')], () => {
    onAsked();
    return undefined;
  });
  void host.prompt('go');
  await asked;
  assert.equal(await host.end(), undefined);
  assert.deepEqual(contents(host), [
    'Tool permission request failed: the program that started Clew closed its side before it answered',
    'Tool permission request failed: the program that started Clew has closed its side',
  ]);
});

test('questions and plans of the model go to the program too', async (t) => {
  const questions = [
    { question: 'Which?', header: 'Pick', multiSelect: false, options: [{ label: 'A' }, { label: 'B' }] },
  ];
  const answers: readonly JsonObject[] = [
    { behavior: 'allow', updatedInput: { answers: { 'Which?': 'B' } } },
    { behavior: 'deny', message: 'ask later' },
    { behavior: 'deny', message: 'not yet' },
    { behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] },
  ];
  let i = 0;
  const host = startHost(
    t,
    [
      calls(['AskUserQuestion', { questions }]),
      calls(['AskUserQuestion', { questions }]),
      calls(['ExitPlanMode', { plan: 'my plan' }]),
      calls(['ExitPlanMode', { plan: 'my plan' }]),
      says('done'),
    ],
    { permissionTool: 'stdio', answers: { can_use_tool: () => answers[i++] }, agent: { mode: 'plan' } },
  );
  await host.prompt('go');
  assert.deepEqual(
    host
      .asked('can_use_tool')
      .map(({ tool_name, requires_user_interaction }) => [tool_name, requires_user_interaction]),
    [
      ['AskUserQuestion', true],
      ['AskUserQuestion', true],
      ['ExitPlanMode', true],
      ['ExitPlanMode', true],
    ],
  );
  const [answered, later, notYet, approved] = results(host.kit().events);
  assert.deepEqual(answered?.isError, false);
  assert.match(String(answered?.content), /"Which\?"="B"/);
  assert.deepEqual([later?.content, notYet?.content], ['ask later', 'not yet']);
  assert.equal(approved?.isError, false);
  assert.equal(host.kit().agent.state.mode, 'acceptEdits');
});

test('a call of a sub-agent names the sub-agent', async (t) => {
  const host = start(
    t,
    ({ body }) => {
      const text = JSON.stringify((body as JsonObject).messages);
      if (text.includes('do the work'))
        return text.includes('tool_result') ? says('did it') : calls(['Bash', touch('s')]);
      const task = { description: 'work', prompt: 'do the work', subagent_type: 'general-purpose' };
      return text.includes('tool_result') ? says('done') : calls(['Agent', task]);
    },
    () => ({ behavior: 'deny', message: 'no' }),
  );
  await host.prompt('go');
  const started = host.kit().events.find(({ type }) => type === 'agent-started');
  assert.deepEqual(
    host.asked('can_use_tool').map(({ agent_id }) => agent_id),
    [started?.type === 'agent-started' ? started.agentId : ''],
  );
});
