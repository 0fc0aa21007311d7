// What the agent asks the user apart from single calls: plans, servers of the project, files outside it; and what it does
// if nobody can answer.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { PermissionMode } from '../../src/agent/contract/confinement.ts';
import type { UserAnswer, UserQuestion } from '../../src/agent/contract/tool.ts';
import { startAgent } from '../support/agent-kit.ts';
import { assertSame, calls, results, says, texts, toolNames } from '../support/agent-talk.ts';
import { sample } from './mcp/mcp-kit.ts';

const plan = '1. Write it down.';

for (const [what, before, answer, after] of [
  ['goes back to the mode before it', 'acceptEdits', { isApproved: true }, 'acceptEdits'],
  ['continues in the mode that the user chose', 'default', { isApproved: true, mode: 'acceptEdits' }, 'acceptEdits'],
  ['stays where the person refuses', 'default', { isApproved: false, comment: 'smaller steps' }, 'plan'],
  ['stays where nobody answers', 'default', undefined, 'plan'],
] as const satisfies readonly (readonly [string, PermissionMode, object | undefined, PermissionMode])[]) {
  test(`plan mode ${what}`, async (t) => {
    const asked: UserQuestion[] = [];
    const write = { file_path: 'a.txt', content: 'x' };
    const kit = await startAgent(
      t,
      [calls(['Write', write], ['ExitPlanMode', { plan }]), calls(['Write', write]), says('ok')],
      {
        mode: before,
        askUser: async (question): Promise<UserAnswer | undefined> => {
          asked.push(question);
          return answer === undefined ? undefined : { kind: 'plan', ...answer };
        },
      },
    );
    await kit.agent.setMode('plan');
    await kit.agent.prompt('go');
    const [call] = kit.events.flatMap((event) =>
      event.type === 'call' && event.call.name === 'ExitPlanMode' ? [event.call.id] : [],
    );
    assert.deepEqual(asked, [{ kind: 'plan', plan, callId: call }]);
    assert.equal(kit.agent.state.mode, after);
    const isApproved = answer?.isApproved === true;
    assert.deepEqual(
      results(kit.events).map(({ isError }) => isError),
      [true, !isApproved, !isApproved],
    );
    assert.equal(existsSync(path.join(kit.cwd, 'a.txt')), isApproved);
    // The model learns that the mode is on and, within the same turn, that it is off.
    const sent = kit.bodies().map((body) => JSON.stringify(body.messages).match(/Plan mode is (?:on|off)/g) ?? []);
    const [on, off] = ['Plan mode is on', 'Plan mode is off'];
    assert.deepEqual(sent, isApproved ? [[on], [on, off], [on, off]] : [[on], [on], [on]]);
    if (answer !== undefined && 'comment' in answer)
      assert.match(String(results(kit.events)[1]?.content), /They say: smaller steps/);
    const lines = readFileSync(kit.agent.state.file, 'utf8').split('\n');
    const modes = lines.flatMap((line) => /"type":"permission-mode","permissionMode":"(\w+)"/.exec(line)?.[1] ?? []);
    assert.deepEqual(modes, isApproved ? [after] : []);
    await assertSame(kit);
  });
}

const projectServer = { 'project/.mcp.json': JSON.stringify({ mcpServers: { sample: sample() } }) };

test('a server of the project starts if the user agrees, who is asked only once', async (t) => {
  const asked: UserQuestion[] = [];
  const askUser = async (question: UserQuestion): Promise<UserAnswer> => {
    asked.push(question);
    return { kind: 'consent', isGiven: true, isKept: true };
  };
  const script = [calls(['mcp__sample__echo', { text: 'hello' }]), says('ok')];
  const first = await startAgent(t, script, { files: projectServer, isInteractive: true, askUser });
  await first.agent.prompt('go');
  assert.deepEqual(results(first.events)[0]?.content, [{ type: 'text', text: 'hello' }]);
  const [question] = asked;
  assert.ok(question?.kind === 'consent');
  assert.equal(question.title, 'Start the MCP server sample?');
  assert.match(question.details.join('\n'), /^Configured in .*\.mcp\.json\nIt runs: .*stdio-main\.js/);
  const local = path.join(first.cwd, '.claude', 'settings.local.json');
  assert.deepEqual(JSON.parse(readFileSync(local, 'utf8')), { enabledMcpjsonServers: ['sample'] });
  await first.agent.close('exit');
  const second = await startAgent(t, script, { folder: first.folder, isInteractive: true, askUser });
  await second.agent.prompt('go');
  assert.equal(results(second.events)[0]?.isError, false);
  assert.equal(asked.length, 1);
});

test('a server of the project does not start if the user refuses or nobody can answer', async (t) => {
  const refused = async (): Promise<UserAnswer> => ({ kind: 'consent', isGiven: false });
  const never = async () => assert.fail('nobody is there to be asked');
  for (const [isInteractive, askUser, status] of [
    [true, refused, 'disabled'],
    [false, never, 'needs-approval'],
  ] as const) {
    const kit = await startAgent(t, [says('ok')], { files: projectServer, isInteractive, askUser });
    await kit.agent.prompt('go');
    assert.deepEqual(
      kit.agent.state.mcpServers.map(({ name, status }) => [name, status]),
      [['sample', status]],
    );
    assert.deepEqual(
      toolNames(kit.bodies()[0] ?? {}).filter((name) => String(name).startsWith('mcp__')),
      [],
    );
  }
});

test('a mention is judged as a Read: denied files are left out, files outside are asked for, or left out if nobody can answer', async (t) => {
  const files = {
    'project/open.txt': 'open words',
    'project/closed.txt': 'closed words',
    'outside.txt': 'outside words',
    'claude/settings.json': JSON.stringify({ permissions: { deny: ['Read(./closed.txt)'] } }),
  };
  const asked: string[] = [];
  const agrees = async (question: UserQuestion): Promise<UserAnswer> => {
    asked.push(question.kind === 'consent' ? question.title : question.kind);
    return { kind: 'consent', isGiven: true };
  };
  const nobody = async () => undefined;
  const text = 'look at @open.txt, @closed.txt and @../outside.txt';
  const seen: boolean[][] = [];
  for (const askUser of [agrees, nobody]) {
    const kit = await startAgent(t, [says('ok')], { files, mode: 'default', askUser, isInteractive: true });
    await kit.agent.prompt(text);
    const sent = texts(kit.bodies()[0]).join();
    seen.push(['open words', 'closed words', 'outside words'].map((words) => sent.includes(words)));
    await assertSame(kit);
    assert.match(JSON.stringify(kit.events.filter(({ type }) => type === 'notice')), /closed\.txt may not be read/);
  }
  assert.deepEqual(seen, [
    [true, false, true],
    [true, false, false],
  ]);
  assert.deepEqual(
    asked.map((title) => path.basename(title)),
    ['outside.txt?'],
  );
});

test('shell commands in a skill run only if a rule of the user allows them', async (t) => {
  const skill = (tools: string) =>
    `---\ndescription: shows\nallowed-tools: ${tools}\n---\nSee !\`mkdir ran; echo done\` and !\`cat open.txt\`.`;
  const kit = await startAgent(
    t,
    [calls(['Skill', { skill: 'theirs' }], ['Skill', { skill: 'mine' }], ['Skill', { skill: 'none' }]), says('ok')],
    {
      mode: 'default',
      allowedTools: ['Skill'],
      files: {
        'project/open.txt': 'open words',
        'project/.claude/skills/theirs/SKILL.md': skill('Bash'),
        'claude/skills/mine/SKILL.md': skill('Bash'),
        'claude/skills/none/SKILL.md': skill('Read'),
      },
    },
  );
  await kit.agent.prompt('go');
  const notRun = '[not run, because it is not allowed: mkdir ran; echo done]';
  assert.deepEqual(
    results(kit.events).map(({ content }) => String(content).split('\n').at(-1)),
    [`See ${notRun} and open words.`, 'See done and open words.', `See ${notRun} and open words.`],
  );
  assert.ok(existsSync(path.join(kit.cwd, 'ran')));
  await assertSame(kit);
});

test('a notice reports an instruction file that is left out', async (t) => {
  const files = { 'project/CLAUDE.md': 'See @../outside.md', 'outside.md': 'no' };
  const kit = await startAgent(t, [says('ok')], { files });
  await kit.agent.prompt('go');
  const notices = kit.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  assert.match(
    notices.join('\n'),
    /CLAUDE\.md imports \.\.\/outside\.md, which is outside the project or may not be read: left out/,
  );
});
