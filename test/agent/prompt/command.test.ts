import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CallContext } from '../../../src/agent/contract/tool.ts';
import { type Command, fillCommand, loadCommands, splitWords } from '../../../src/agent/prompt/command.ts';
import { describeSkills, makeSkillTool } from '../../../src/agent/prompt/skill-tool.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

function plantCommands(context: TestContext, files: Readonly<Record<string, string>>) {
  const top = temporaryFolder(context);
  writeTree(top, files);
  return {
    top,
    load: async () =>
      (await loadCommands({ cwd: path.join(top, 'app'), root: path.join(top, 'user'), isProjectTrusted: true }))
        .commands,
  };
}

test('without trust only the commands of the user are loaded', async (t) => {
  const top = temporaryFolder(t);
  writeTree(top, {
    'app/.claude/commands/fix.md': 'theirs',
    'app/.claude/skills/greet/SKILL.md': 'theirs',
    'user/commands/fix.md': 'mine',
  });
  const place = { cwd: path.join(top, 'app'), root: path.join(top, 'user') };
  const { commands } = await loadCommands({ ...place, isProjectTrusted: false });
  assert.deepEqual(
    commands.map(({ name, scope, body }) => [name, scope, body]),
    [['fix', 'user', 'mine']],
  );
});

test('a link of the project that leads out of it is left out; one of the user may lead anywhere', async (t) => {
  const top = temporaryFolder(t);
  writeTree(top, {
    'app/.claude/commands/plain.md': 'inside',
    'app/shared/SKILL.md': 'shared in the project',
    'app/.claude/skills/.keep': '',
    'elsewhere/SKILL.md': 'secret',
    'user/skills/.keep': '',
  });
  const claude = path.join(top, 'app/.claude');
  symlinkSync('../../shared', path.join(claude, 'skills/inside'));
  symlinkSync(path.join(top, 'elsewhere'), path.join(claude, 'skills/outside'));
  symlinkSync(path.join(top, 'elsewhere/SKILL.md'), path.join(claude, 'commands/outside.md'));
  symlinkSync(path.join(top, 'elsewhere'), path.join(top, 'user/skills/mine'));
  const place = { cwd: path.join(top, 'app'), root: path.join(top, 'user') };
  const { commands, notes } = await loadCommands({ ...place, isProjectTrusted: true });
  assert.deepEqual(
    commands.map(({ name, body }) => [name, body]),
    [
      ['inside', 'shared in the project'],
      ['mine', 'secret'],
      ['plain', 'inside'],
    ],
  );
  assert.deepEqual(notes, [
    `${claude}/skills/outside/SKILL.md is a link that leads out of the project: left out`,
    `${claude}/commands/outside.md is a link that leads out of the project: left out`,
  ]);
});

const command = (body: string, more: Partial<Command> = {}): Command => ({
  name: 'it',
  kind: 'command',
  scope: 'project',
  file: '/p/.claude/commands/it.md',
  description: '',
  argumentHint: undefined,
  allowedTools: [],
  model: undefined,
  isForUser: true,
  isForModel: false,
  body,
  ...more,
});

test('commands and skills of the project and the user are found by name, the nearer one first', async (t) => {
  const { top, load } = plantCommands(t, {
    'app/.claude/commands/fix.md':
      '---\ndescription: Fixes it\nargument-hint: [issue]\nallowed-tools: Bash(git:*), Read\nmodel: haiku\n---\nFix $1',
    'app/.claude/commands/web/test.md': '# Run the tests\n\nNow.',
    'app/.claude/commands/bad name.md': 'cannot be typed',
    'app/.claude/commands/notes.txt': 'no command',
    'app/.claude/skills/greet/SKILL.md':
      '---\ndescription: Greets\nwhen_to_use: When asked.\nmodel: inherit\n---\nHello',
    'app/.claude/skills/empty/README.md': 'no skill',
    'user/commands/fix.md': 'hidden by the project',
    'user/commands/greet.md': 'hidden by the skill',
    'user/skills/quiet/SKILL.md': '---\ndescription: Q\ndisable-model-invocation: true\nuser-invocable: no\n---\nq',
  });
  const rest = { argumentHint: undefined, allowedTools: [], model: undefined, isForUser: true, isForModel: false };
  assert.deepEqual(await load(), [
    {
      name: 'fix',
      kind: 'command',
      scope: 'project',
      file: path.join(top, 'app/.claude/commands/fix.md'),
      description: 'Fixes it',
      argumentHint: '[issue]',
      allowedTools: ['Bash(git:*)', 'Read'],
      model: 'haiku',
      isForUser: true,
      isForModel: false,
      body: 'Fix $1',
    },
    {
      ...rest,
      name: 'greet',
      kind: 'skill',
      scope: 'project',
      file: path.join(top, 'app/.claude/skills/greet/SKILL.md'),
      description: 'Greets When asked.',
      isForModel: true,
      body: 'Hello',
    },
    {
      ...rest,
      name: 'quiet',
      kind: 'skill',
      scope: 'user',
      file: path.join(top, 'user/skills/quiet/SKILL.md'),
      description: 'Q',
      isForUser: false,
      body: 'q',
    },
    {
      ...rest,
      name: 'web:test',
      kind: 'command',
      scope: 'project',
      file: path.join(top, 'app/.claude/commands/web/test.md'),
      description: 'Run the tests',
      body: '# Run the tests\n\nNow.',
    },
  ]);
});

test('arguments are inserted whole and by position, and appended if the text has no placeholder', async () => {
  const filled = async (body: string, args: string, more: Partial<Command> = {}) =>
    (await fillCommand(command(body, more), args, { sessionId: 's-1' })).text;
  // The first three as client 2.1.325 filled them.
  assert.equal(
    await filled('A=$ARGUMENTS 0=$0 1=$1 2=$2 I0=$ARGUMENTS[0]\n', '"x y" z'),
    'A="x y" z 0=x y 1=z 2=$2 I0=x y\n',
  );
  assert.equal(await filled('1=$1 2=$2\n', 'x y'), '1=y 2=$2\n');
  assert.equal(await filled('Nothing here.\n', 'hi'), 'Nothing here.\n\n\nARGUMENTS: hi');
  assert.equal(await filled('Do it, $ARGUMENTS.', ''), 'Do it, .');
  assert.equal(await filled('$10 costs $1000, $0', '$1 b'), '$10 costs $1000, $1');
  assert.equal(
    await filled('$1 in $'.concat('{CLAUDE_SKILL_DIR} of $', '{CLAUDE_SESSION_ID}'), 'a b', {
      kind: 'skill',
      file: '/s/x/SKILL.md',
    }),
    'Base directory for this skill: /s/x\n\nb in /s/x of s-1',
  );
});

test('shell commands in the file run only if they are allowed, with each argument as one word', async () => {
  const asked: unknown[] = [];
  const it = command('Log: !`git log $0`\nAll: !`echo $ARGUMENTS`\nNot`!`x`` $0', { allowedTools: ['Bash(git:*)'] });
  const runShell = async (shell: string, allowedTools: readonly string[]) => {
    asked.push([shell, allowedTools]);
    return shell.startsWith('git') ? 'out $1 `rm` @secret\n' : undefined;
  };
  assert.deepEqual(await fillCommand(it, '"a; rm -rf ~" $(b)', { runShell }), {
    text: "Log: out $1 `rm` @secret\nAll: [not run, because it is not allowed: echo 'a; rm -rf ~' '$(b)']\nNot`!`x`` a; rm -rf ~",
    own: 'Log:  \nAll:  \nNot`!`x`` a; rm -rf ~',
    notes: ["/it: `echo 'a; rm -rf ~' '$(b)'` was not run: it is not allowed"],
  });
  assert.deepEqual(asked, [
    ["git log 'a; rm -rf ~'", ['Bash(git:*)']],
    ["echo 'a; rm -rf ~' '$(b)'", ['Bash(git:*)']],
  ]);
});

test('an argument that looks like a shell command is only text', async () => {
  const asked: string[] = [];
  const runShell = async (shell: string) => String(asked.push(shell));
  const { text } = await fillCommand(command('Say $ARGUMENTS'), '!`id`', { runShell });
  assert.deepEqual({ text, asked }, { text: 'Say !`id`', asked: [] });
});

test('without a runner no shell command runs; long output is cut', async () => {
  assert.equal((await fillCommand(command('!`id`'), '', {})).text, '[not run, because it is not allowed: id]');
  const { text } = await fillCommand(command('!`id`'), '', { runShell: async () => 'x'.repeat(50_000) });
  assert.equal(text, `${'x'.repeat(30_000)}\n[output cut here]`);
});

test('words are split as a shell does it', () => {
  assert.deepEqual(splitWords(` a "b c"d 'e' f\\ g "" it's `), ['a', 'b cd', 'e', 'f g', '', "it's"]);
});

test('the model loads a skill through a tool, and gets the list of skills', async () => {
  const skills = [
    command('Say hello to $ARGUMENTS.', {
      name: 'greet',
      kind: 'skill',
      file: '/s/greet/SKILL.md',
      isForModel: true,
      description: 'Greets\npeople',
    }),
    command('secret', { name: 'deploy', kind: 'skill', description: 'not for the model' }),
  ];
  const tool = makeSkillTool(skills, () => ({}));
  assert.equal(describeSkills(skills), '- greet: Greets people');
  const context = {} as CallContext; // the tool asks nothing of it
  assert.deepEqual(tool?.parse({ skill: '/greet', args: 'Bob' }), { input: { skill: 'greet', args: 'Bob' } });
  assert.deepEqual(tool?.parse({ command: 'greet' }), { input: { skill: 'greet' } });
  for (const bad of [undefined, null, [], {}, { skill: 7 }, { skill: ' ' }, { skill: 'a', args: 1 }])
    assert.ok('problem' in (tool?.parse(bad) ?? {}), JSON.stringify(bad));
  assert.deepEqual(await tool?.run({ skill: 'greet', args: 'Bob' }, context), {
    content: 'Launching skill: greet\n\nBase directory for this skill: /s/greet\n\nSay hello to Bob.',
    isError: false,
    stored: { success: true, commandName: 'greet' },
  });
  assert.deepEqual(await tool?.run({ skill: 'deploy' }, context), {
    content: 'There is no skill deploy. There are: greet',
    isError: true,
    stored: 'Error: There is no skill deploy. There are: greet',
  });
  assert.equal(
    makeSkillTool(skills.slice(1), () => ({})),
    undefined,
  );
});
