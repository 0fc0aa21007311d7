// Flags that decide what an agent runs with: which configuration, tools, agents and prompts. The tables were measured
// with the client 2.1.325.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { asObject, asString, isArray } from '../../../src/base/json/json.ts';
import { unsupportedFlags } from '../../../src/cli/flags/agent-flags.ts';
import { calls, type HeadlessKit, messagesOf, says, startHeadless, textsOf } from '../../support/headless-kit.ts';
import { filesBelow } from '../../support/paths.ts';

const stream = ['--output-format', 'stream-json', '--verbose'] as const;
const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\nx`;
const everywhere = {
  'project/CLAUDE.md': 'PROJECT-MEMORY',
  'project/.claude/CLAUDE.md': 'PROJECT-MEMORY-2',
  'project/.claude/rules/a.md': 'PROJECT-RULE',
  'project/CLAUDE.local.md': 'LOCAL-MEMORY',
  'project/.claude/settings.local.json': '{"permissions":{"defaultMode":"acceptEdits"}}',
  'project/.claude/commands/pcmd.md': 'hi',
  'project/.claude/skills/pskill/SKILL.md': skill('pskill'),
  'project/.claude/agents/pagent.md': skill('pagent'),
  'project/.mcp.json': '{"mcpServers":{"pserver":{"command":"false"}}}',
  'home/.claude/CLAUDE.md': 'USER-MEMORY',
  'home/.claude/rules/b.md': 'USER-RULE',
  'home/.claude/settings.json': '{"model":"haiku"}',
  'home/.claude/commands/ucmd.md': 'hi',
  'home/.claude/skills/uskill/SKILL.md': skill('uskill'),
  'home/.claude/agents/uagent.md': skill('uagent'),
};

/** What a run says about its configuration. */
async function configuration(kit: HeadlessKit, args: readonly string[]): Promise<string> {
  const { messages, stderr } = await kit.print(['-p', 'go', ...stream, ...args]);
  const init = messages.find(({ subtype }) => subtype === 'init');
  if (init === undefined) return stderr.trim();
  const list = (value: unknown, wanted: RegExp): readonly string[] =>
    isArray(value)
      ? value
          .map((each) => asString(each) ?? asString(asObject(each)?.name) ?? '')
          .filter((name) => wanted.test(name))
          .sort()
      : [];
  const memory = [
    ...new Set(JSON.stringify(kit.bodies().at(-1) ?? {}).match(/(?:PROJECT|LOCAL|USER)-(?:MEMORY|RULE)/g)),
  ];
  return [
    ...memory,
    asString(init.model)?.includes('haiku') ? 'haiku' : 'usual',
    init.permissionMode,
    ...list(init.slash_commands, /^[pu](?:cmd|skill)$/),
    ...list(init.agents, /^[pu]agent$/),
    ...list(init.mcp_servers, /^pserver$/),
  ].join(' ');
}

test('--setting-sources decides which settings, instructions, commands, agents and servers are used', async (t) => {
  const kit = await startHeadless(t, () => says('ok'), { files: everywhere, env: { ANTHROPIC_MODEL: '' } });
  const user = 'USER-MEMORY USER-RULE';
  const project = 'PROJECT-MEMORY PROJECT-RULE';
  const table = {
    'user,project,local': `${user} ${project} LOCAL-MEMORY haiku acceptEdits pcmd pskill ucmd uskill pagent uagent pserver`,
    '': 'usual default',
    user: `${user} haiku default ucmd uskill uagent`,
    project: `${project} usual default pcmd pskill pagent pserver`,
    local: 'LOCAL-MEMORY usual acceptEdits',
    bogus: 'clew: --setting-sources does not know "bogus"; choose user, project, local, or ""',
  };
  const found: Record<string, string> = {};
  for (const sources of Object.keys(table))
    found[sources] = await configuration(kit, ['--trust-project', `--setting-sources=${sources}`]);
  assert.deepEqual(found, table);
});

test('without trust, --setting-sources project brings only instructions, and nothing is reported if no source is used', async (t) => {
  const kit = await startHeadless(t, () => says('ok'), { files: everywhere, env: { ANTHROPIC_MODEL: '' } });
  assert.equal(await configuration(kit, ['--setting-sources', 'project']), 'PROJECT-MEMORY PROJECT-RULE usual default');
  const alone = await kit.print(['-p', 'go', '--setting-sources', '']);
  assert.deepEqual([alone.status, alone.stderr], [0, '']);
  const usual = await kit.print(['-p', 'go']);
  assert.match(usual.stderr, /this folder is not trusted/);
});

test('--settings precedes the files, from a file or as JSON, and its hooks run', async (t) => {
  const kit = await startHeadless(t, () => says('ok'), {
    files: {
      'home/.claude/settings.json': '{"model":"haiku","permissions":{"defaultMode":"plan"}}',
      'project/more.json': '{"permissions":{"defaultMode":"dontAsk"}}',
    },
    env: { ANTHROPIC_MODEL: '' },
  });
  const hook = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch hook-ran' }] }] } };
  const table = {
    '{"permissions":{"defaultMode":"acceptEdits"}}': 'haiku acceptEdits',
    '{"model":"sonnet"}': 'usual plan',
    'more.json': 'haiku dontAsk',
    [JSON.stringify(hook)]: 'haiku plan',
    'missing.json': 'clew: cannot read missing.json (ENOENT); check the path of --settings',
    '{bad': 'clew: the value of --settings is not a JSON object; check it, for example with `jq . FILE`',
  };
  const found: Record<string, string> = {};
  for (const value of Object.keys(table)) found[value] = await configuration(kit, ['--settings', value]);
  assert.deepEqual(found, table);
  assert.ok(existsSync(path.join(kit.cwd, 'hook-ran')));
});

test('--tools decides which built-in tools exist; an unknown one is reported', async (t) => {
  const kit = await startHeadless(t, () => says('ok'));
  const offered = async (...args: readonly string[]) => {
    const { status, stderr } = await kit.print(['-p', 'go', ...args]);
    const { tools } = kit.bodies().at(-1) ?? {};
    return [status, stderr, isArray(tools) ? tools.map((tool) => asString(asObject(tool)?.name)).join() : tools];
  };
  assert.deepEqual(await offered('--tools='), [0, '', undefined]);
  assert.deepEqual(await offered('--tools=Bash,Read'), [0, '', 'Bash,Read']);
  assert.deepEqual(await offered('--tools', 'Bash', 'Read'), [0, '', 'Bash,Read']);
  const unknown = 'clew: there is no built-in tool Monitor; it is left out\n';
  assert.deepEqual(await offered('--tools', 'Read', 'Task', 'Monitor'), [0, unknown, 'Agent,Read']);
  assert.deepEqual(await offered('--tools=default'), await offered());
});

test('--agent takes the prompt, tools and model of an agent, which --agents can define', async (t) => {
  const kit = await startHeadless(t, () => says('ok'));
  const agents = JSON.stringify({ reader: { description: 'd', prompt: 'ONLY READ', tools: ['Read'], model: 'haiku' } });
  const sent = async (...args: readonly string[]) => {
    const { status, stderr } = await kit.print(['-p', 'go', ...args], '', { ANTHROPIC_MODEL: '' });
    if (status !== 0) return stderr.trim();
    const { model, system, tools } = kit.bodies().at(-1) ?? {};
    const texts = isArray(system) ? system.map((block) => asString(asObject(block)?.text)) : [];
    return [model, texts[0], isArray(tools) ? tools.map((tool) => asString(asObject(tool)?.name)).join() : ''];
  };
  const haiku = asString((await sent('--model', 'haiku', '--system-prompt', 'x'))[0]);
  assert.deepEqual(await sent('--agents', agents, '--agent', 'reader'), [haiku, 'ONLY READ', 'Read']);
  assert.deepEqual(await sent('--agents', agents, '--agent', 'reader', '--system-prompt', 'MINE'), [
    haiku,
    'MINE',
    'Read',
  ]);
  assert.match(
    String(await sent('--agent', 'nobody')),
    /^clew: there is no agent "nobody"; choose Explore, Plan, general-purpose$/,
  );
  assert.equal(
    await sent('--agents', '{"a":{"description":"d"}}'),
    'clew: the agent "a" has no "prompt"; write {"NAME": {"description": "…", "prompt": "…", "tools": ["Read"]}}',
  );
  assert.match(
    String(await sent('--agents', '{"a":{"description":"d","prompt":"p","mcpServers":[]}}')),
    /mcpServers, which Clew does not support/,
  );
});

test('prompts come from files too', async (t) => {
  const kit = await startHeadless(t, () => says('ok'), { files: { 'project/p.md': 'FROM FILE\n' } });
  await kit.print(['-p', 'go', '--system-prompt-file', 'p.md', '--append-system-prompt-file', 'p.md']);
  assert.match(JSON.stringify(kit.bodies().at(-1)?.system), /"FROM FILE".*"FROM FILE"/);
  const missing = await kit.print(['-p', 'go', '--system-prompt-file', 'no.md']);
  assert.deepEqual(
    [missing.status, missing.stderr],
    [2, 'clew: cannot read no.md (ENOENT); check the path of --system-prompt-file\n'],
  );
});

test('--no-session-persistence writes nothing, also of sub-agents, changed files and large outputs', async (t) => {
  const script = [
    calls(['Bash', { command: 'seq 1 60000' }], ['Write', { file_path: 'new.txt', content: 'x' }]),
    calls(['Edit', { file_path: 'new.txt', old_string: 'x', new_string: 'y' }]),
    calls(['Agent', { description: 'd', prompt: 'p', subagent_type: 'general-purpose' }]),
    says('of the agent'),
    says('done'),
  ];
  const kit = await startHeadless(t, script);
  const before = filesBelow(kit.root, '');
  const args = ['--dangerously-skip-permissions', '--no-session-persistence', '--name', 'A title'];
  const { status, stdout } = await kit.print(['-p', 'go', ...args]);
  assert.deepEqual([status, stdout], [0, 'done\n']);
  assert.deepEqual(filesBelow(kit.root, ''), before);
  assert.equal(readFileSync(path.join(kit.cwd, 'new.txt'), 'utf8'), 'y');
});

test('a session can be read without being written, and be continued from one of its messages', async (t) => {
  const kit = await startHeadless(t, ({ body }) => says(`Answer ${messagesOf(body).length}`));
  const first = await kit.print(['-p', 'one', ...stream]);
  const answer = first.messages.find(({ type }) => type === 'assistant');
  const id = String(first.result.session_id);
  await kit.print(['-p', 'two', '--resume', id]);
  const [file = ''] = kit.transcripts();
  const written = readFileSync(file, 'utf8');
  await kit.print(['-p', 'three', '--resume', id, '--no-session-persistence']);
  assert.deepEqual(textsOf(kit.bodies().at(-1)), ['one', 'Answer 1', 'two', 'Answer 3', 'three']);
  assert.equal(readFileSync(file, 'utf8'), written);
  assert.equal(kit.transcripts().length, 1);
  await kit.print(['-p', 'four', '--resume', id, '--resume-session-at', String(answer?.uuid), '--fork-session']);
  assert.deepEqual(textsOf(kit.bodies().at(-1)), ['one', 'Answer 1', 'four']);
  await kit.print(['-p', 'five', '--resume', id, '--resume-session-at', String(answer?.uuid)]);
  assert.deepEqual(textsOf(kit.bodies().at(-1)), ['one', 'Answer 1', 'five']);
  await kit.print(['-p', 'six', '--resume', id]);
  assert.deepEqual(textsOf(kit.bodies().at(-1)), ['one', 'Answer 1', 'five', 'Answer 3', 'six']);
  const unknown = await kit.print(['-p', 'x', '--resume', id, '--resume-session-at', 'no-such-uuid']);
  assert.deepEqual([unknown.status, /cannot continue at no-such-uuid; name/.test(unknown.stderr)], [2, true]);
});

test('flags of the client and of the SDK that Clew does not have are refused by name', async (t) => {
  const kit = await startHeadless(t, () => says('ok'));
  for (const { flag } of unsupportedFlags) {
    const args = flag.value === undefined ? [flag.name] : [`${flag.name}=x`];
    const { status, stderr } = await kit.print(['-p', 'go', ...args]);
    assert.equal(status, 2, flag.name);
    assert.ok(stderr.startsWith(`clew: Clew does not support ${flag.name}; `), stderr);
  }
  const auto = await kit.print(['-p', 'go', '--permission-mode', 'auto']);
  assert.match(auto.stderr, /does not support --permission-mode auto/);
  const beta = await kit.print(['-p', 'go', '--betas', 'foo-2025']);
  assert.match(beta.stderr, /--betas does not know "foo-2025"/);
  assert.equal(kit.bodies().length, 0);
});

test('--betas names features of the API in a header; --debug-file keeps every step', async (t) => {
  const kit = await startHeadless(t, [calls(['Bash', { command: 'echo 1' }]), says('ok')]);
  const { status } = await kit.print(['-p', 'go', '--betas', 'context-1m-2025-08-07', '--debug-file', 'log.txt']);
  assert.equal(status, 0);
  const [request] = kit.server.requests.filter((each) => each.path === '/v1/messages');
  assert.match(String(request?.headers['anthropic-beta']), /context-1m-2025-08-07/);
  const log = readFileSync(path.join(kit.cwd, 'log.txt'), 'utf8');
  for (const step of [
    / session-opened: /,
    / request: .*attempt 1/,
    / call: Bash/,
    / result: Bash succeeded/,
    / turn-end: /,
  ])
    assert.match(log, step);
  const missing = await kit.print(['-p', 'go', '--debug-file', 'no/such/folder/log.txt']);
  assert.deepEqual(
    [missing.status, /cannot write no.such.folder.log.txt \(ENOENT\); give/.test(missing.stderr)],
    [2, true],
  );
});
