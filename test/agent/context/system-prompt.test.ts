import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadCommands } from '../../../src/agent/context/command.ts';
import { buildSystemPrompt, type SystemPromptOptions } from '../../../src/agent/context/system-prompt.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=K', '-c', 'user.email=k@x.org', ...args], { cwd, stdio: 'pipe' });

function plant(context: TestContext, files: Readonly<Record<string, string>>, more: Partial<SystemPromptOptions> = {}) {
  const top = temporaryFolder(context);
  writeTree(top, { 'app/.keep': '', ...files });
  const options: SystemPromptOptions = {
    cwd: path.join(top, 'app'),
    root: path.join(top, 'user'),
    home: top,
    model: 'claude-test-1',
    env: { PATH: process.env.PATH, HOME: top },
    now: new Date(2026, 10, 5, 23, 30),
    tools: ['Read', 'Edit', 'Bash', 'Skill'],
    isInteractive: true,
    ...more,
  };
  return { top, options };
}

test('the prompt goes from what never changes to what changes most', async (t) => {
  const { options } = plant(
    t,
    {
      'app/CLAUDE.md': 'Use tabs.',
      'app/.claude/skills/greet/SKILL.md': '---\ndescription: Greets\n---\nHello',
    },
    { appendSystemPrompt: 'Appended.', serverNotes: [{ server: 'db', text: 'Ask nicely.' }] },
  );
  const commands = await loadCommands(options);
  const blocks = await buildSystemPrompt({ ...options, commands });
  assert.deepEqual(blocks.slice(1, 4), [
    '# Skills\nLoad one with the Skill tool when it fits the task:\n- greet: Greets\n\n# What the MCP servers say about their tools\n\n## db\nAsk nicely.',
    `# Instructions for this work\nFollow these; where they contradict each other, the later one holds, and what the person says in the conversation goes before all of them.\n\n## ${options.cwd}/CLAUDE.md (instructions of the project)\n\nUse tabs.`,
    'Appended.',
  ]);
  assert.equal(blocks.length, 5);
  assert.match(
    blocks[4] ?? '',
    /^# Environment\nWorking folder: .*\/app\nPlatform: .*\nModel: claude-test-1\nDate: 2026-11-05\nGit: not a repository$/,
  );
});

test('the first block is the same for every folder, day and model', async (t) => {
  const one = plant(t, { 'app/CLAUDE.md': 'one' });
  const other = plant(t, {}, { model: 'another', now: new Date(0) });
  const [first] = await buildSystemPrompt(one.options);
  const [second] = await buildSystemPrompt(other.options);
  assert.equal(first, second);
});

test('the instructions speak only of tools that are there, and of people only where there is one', async (t) => {
  const { options } = plant(t, {}, { tools: ['Read'], isInteractive: false });
  const [text = ''] = await buildSystemPrompt(options);
  for (const word of ['Grep', 'Edit', 'TodoWrite', 'AskUserQuestion', 'Skill'])
    assert.doesNotMatch(text, new RegExp(`\\b${word}\\b`), word);
  assert.match(text, /Nobody can answer while you work/);
});

test('a prompt of one’s own takes the place of ours and of nothing else', async (t) => {
  const { options } = plant(t, { 'app/CLAUDE.md': 'Use tabs.' }, { systemPrompt: 'Mine.', appendSystemPrompt: ' \n' });
  const blocks = await buildSystemPrompt(options);
  assert.equal(blocks[0], 'Mine.');
  assert.deepEqual(
    blocks.map((block) => block.split('\n')[0]),
    ['Mine.', '# Instructions for this work', '# Environment'],
  );
});

test('the state of the repository is told, shortly', async (t) => {
  const { options } = plant(t, { 'app/a.txt': 'a' });
  git(options.cwd, 'init', '-q', '-b', 'main');
  git(options.cwd, 'add', '.');
  git(options.cwd, 'commit', '-q', '-m', 'first thing');
  writeTree(options.cwd, Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, ''])));
  const block = (await buildSystemPrompt(options)).at(-1) ?? '';
  assert.match(block, /\nGit: branch main in .*\/app, as of the start of the session\nChanges:\n {2}\?\? n0\n/);
  assert.match(block, /\n {2}… and 10 more\nLast commits:\n {2}[0-9a-f]+ first thing$/);
});

test('the configuration of a repository starts no program', async (t) => {
  const { top, options } = plant(t, { 'app/a.txt': 'a', 'app/.gitattributes': '*.txt filter=evil' });
  git(options.cwd, 'init', '-q', '-b', 'main');
  git(options.cwd, 'add', '.');
  git(options.cwd, 'commit', '-q', '-m', 'x');
  writeTree(options.cwd, { 'a.txt': 'b' });
  git(options.cwd, 'config', 'core.fsmonitor', `touch ${top}/monitor; false`);
  git(options.cwd, 'config', 'filter.evil.clean', `touch ${top}/filter; cat`);
  git(options.cwd, 'config', 'filter.evil.required', 'true');
  const block = (await buildSystemPrompt(options)).at(-1) ?? '';
  assert.match(block, /\nChanges:\n {3}M a\.txt\n/);
  assert.deepEqual(readdirSync(top), ['app']);
  // Without our care they would have run.
  git(options.cwd, 'status');
  assert.deepEqual(readdirSync(top).sort(), ['app', 'filter', 'monitor']);
});

test('what was left out of the instructions is told to the person', async (t) => {
  const notes: string[] = [];
  const { top, options } = plant(t, { 'app/CLAUDE.md': '@gone.md' }, { note: (text) => notes.push(text) });
  await buildSystemPrompt(options);
  assert.deepEqual(notes, [`${top}/app/CLAUDE.md imports gone.md, which is not there`]);
});
