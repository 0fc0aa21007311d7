// The system prompt holds only what does not change during a session.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { loadCommands } from '../../../src/agent/prompt/command.ts';
import { buildSystemPrompt, type SystemPromptOptions } from '../../../src/agent/prompt/system-prompt.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const options: SystemPromptOptions = { tools: ['Read', 'Edit', 'Bash', 'Skill'], isInteractive: true };

test('the prompt holds our instructions, what skills and servers offer, and what was appended', async (t) => {
  const top = temporaryFolder(t);
  writeTree(top, { 'app/.claude/skills/greet/SKILL.md': '---\ndescription: Greets\n---\nHello' });
  const { commands } = await loadCommands({
    cwd: path.join(top, 'app'),
    root: path.join(top, 'user'),
    isProjectTrusted: true,
  });
  const serverNotes = [{ server: 'db', text: 'Ask nicely.' }];
  const blocks = buildSystemPrompt({ ...options, commands, serverNotes, appendSystemPrompt: 'Appended.' });
  assert.deepEqual(blocks.slice(1), [
    '# Skills\nLoad one with the Skill tool when it fits the task:\n- greet: Greets\n\n# What the MCP servers say about their tools\n\n## db\nAsk nicely.',
    'Appended.',
  ]);
});

test('the instructions mention only offered tools, and the user only in an interactive run', () => {
  const [text = ''] = buildSystemPrompt({ tools: ['Read'], isInteractive: false });
  for (const word of ['Grep', 'Edit', 'TodoWrite', 'AskUserQuestion', 'Skill'])
    assert.doesNotMatch(text, new RegExp(`\\b${word}\\b`), word);
  assert.match(text, /Nobody can answer while you work/);
});

test('a custom prompt replaces our instructions', () => {
  assert.deepEqual(buildSystemPrompt({ ...options, systemPrompt: 'Mine.', appendSystemPrompt: ' \n' }), ['Mine.']);
});
