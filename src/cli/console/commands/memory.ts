// /init and /memory: the instruction files (CLAUDE.md) that every request sends.
import { homedir } from 'node:os';
import path from 'node:path';
import { initPrompt } from '../../input/index.ts';
import { shortFolder } from '../../render/index.ts';
import { type CommandContext, choose } from './command.ts';

export async function init({ prompt }: CommandContext): Promise<void> {
  await prompt(initPrompt, '/init');
}

interface MemoryPlace {
  readonly file: string;
  readonly hint: string;
}

export async function memory(context: CommandContext): Promise<void> {
  const { ask, editFile, say } = context;
  const places = await memoryPlaces(context);
  const choices = places.map(({ file, hint }) => ({ label: shortFolder(file), hint }));
  const index = await choose(ask, { title: 'Edit which instructions?', choices });
  const place = index === undefined ? undefined : places[index];
  if (place === undefined) return;
  await editFile(place.file);
  say({ kind: 'note', text: `the next prompt is sent with ${shortFolder(place.file)} as it is now` });
}

/** The files that are sent, then those that could be created. */
async function memoryPlaces({ agent, root }: CommandContext): Promise<readonly MemoryPlace[]> {
  const { loadMemory } = await import('../../../agent/prompt/memory.ts');
  const { cwd } = agent.state;
  const { files } = await loadMemory({ cwd, root, home: homedir() });
  const sent = files.map(({ file, kind, importedBy }) => ({
    file,
    hint: importedBy === undefined ? kindWords[kind] : `imported by ${shortFolder(importedBy)}`,
  }));
  const others = [
    { file: path.join(cwd, 'CLAUDE.md'), hint: 'new: for everyone in this project' },
    { file: path.join(cwd, 'CLAUDE.local.md'), hint: 'new: for you in this project' },
    { file: path.join(root, 'CLAUDE.md'), hint: 'new: for you in all projects' },
  ];
  return [...sent, ...others.filter(({ file }) => !sent.some((each) => each.file === file))];
}

const kindWords = {
  user: 'for you in all projects',
  project: 'for everyone in this project',
  local: 'for you in this project',
  rule: 'a rule',
  agents: 'for everyone in this project, for all agents',
  import: 'imported',
} as const;
