// /init and /memory: the instruction files (CLAUDE.md) that every request sends.
import { homedir } from 'node:os';
import path from 'node:path';
import { shortFolder } from '../../render/index.ts';
import { type CommandContext, choose } from './command.ts';

const initPrompt = `Write the file CLAUDE.md for this project, so that a coding agent can work in it without reading everything first.

Look at the project before you write: its README and other documentation, the manifest files and scripts, the configuration of the build, the tests, the linter and the formatter, and enough of the source to understand how it is organised. If there are instructions for other tools (AGENTS.md, .cursorrules, .cursor/rules, .github/copilot-instructions.md), take over what is still true.

Put these into it, each only if it is true here:
- the commands to install, build, run, lint and test, also for a single test
- how the sources are organised: the parts that one has to read several files to understand, not a list of all files
- rules of this project that differ from what everybody does anyway: style, names, commits, what must not be changed
- traps that cost time: required services, environment variables, generated files, slow steps

Keep it short, at most about 100 lines. Leave out general advice, anything that one sees at a glance, and anything that you have not checked. If CLAUDE.md exists already, improve it instead of replacing it, and say what you changed.`;

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
