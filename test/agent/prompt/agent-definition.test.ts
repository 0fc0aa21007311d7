import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadAgentDefinitions } from '../../../src/agent/prompt/agent-definition.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

test('agents of the project win over those of the user, and both win over the built-in ones', async (t) => {
  const top = temporaryFolder(t);
  writeTree(top, {
    'app/.claude/agents/team/reviewer.md':
      '---\nname: reviewer\ndescription: >\n  Reviews\n  code\ntools: Read, Grep Bash(git diff:*)\ndisallowedTools: [Write]\nmodel: sonnet\n---\nYou review.\n',
    'app/.claude/agents/nameless.md': '---\ndescription: x\n---\n',
    'app/.claude/agents/silent.md': '---\nname: silent\n---\n',
    'user/agents/reviewer.md': '---\nname: reviewer\ndescription: hidden\n---\n',
    'user/agents/explore.md': '---\nname: Explore\ndescription: Mine\nmodel: inherit\ntools: "*"\n---\nLook.',
  });
  const { agents, notes } = await loadAgentDefinitions({
    cwd: path.join(top, 'app'),
    root: path.join(top, 'user'),
    isProjectTrusted: true,
  });
  assert.deepEqual(
    agents.map(({ name, scope }) => [name, scope]),
    [
      ['Explore', 'user'],
      ['Plan', 'built-in'],
      ['general-purpose', 'built-in'],
      ['reviewer', 'project'],
    ],
  );
  assert.deepEqual(agents[0], { name: 'Explore', description: 'Mine', scope: 'user', prompt: 'Look.' });
  assert.deepEqual(agents[3], {
    name: 'reviewer',
    description: 'Reviews code',
    scope: 'project',
    tools: ['Read', 'Grep', 'Bash(git diff:*)'],
    disallowedTools: ['Write'],
    model: 'sonnet',
    prompt: 'You review.',
  });
  assert.deepEqual(notes, [
    `${top}/app/.claude/agents/nameless.md defines no agent: its head has no usable name`,
    `${top}/app/.claude/agents/silent.md defines no agent: its head has no description`,
  ]);
});

test('read-only agents have no tool that changes anything', async (t) => {
  const top = temporaryFolder(t);
  const { agents } = await loadAgentDefinitions({ cwd: top, root: top, isProjectTrusted: true });
  for (const name of ['Explore', 'Plan']) {
    const agent = agents.find((each) => each.name === name);
    assert.deepEqual(
      agent?.tools?.filter((tool) => ['Write', 'Edit', 'Task', 'Agent'].includes(tool)),
      [],
      name,
    );
  }
});

test('agents of an untrusted project, or through a link out of it, are left out', async (t) => {
  const top = temporaryFolder(t);
  const agent = '---\nname: theirs\ndescription: d\n---\np';
  writeTree(top, { 'app/.claude/agents/a.md': agent, 'outside.md': agent.replace('theirs', 'linked') });
  symlinkSync(path.join(top, 'outside.md'), path.join(top, 'app/.claude/agents/b.md'));
  const place = { cwd: path.join(top, 'app'), root: path.join(top, 'user') };
  const namesFor = async (isProjectTrusted: boolean): Promise<readonly string[]> => {
    const { agents } = await loadAgentDefinitions({ ...place, isProjectTrusted });
    return agents.filter(({ scope }) => scope !== 'built-in').map(({ name }) => name);
  };
  assert.deepEqual(await namesFor(false), []);
  assert.deepEqual(await namesFor(true), ['theirs']);
});
