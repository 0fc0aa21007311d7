// A session's surroundings → the system prompt, as blocks from what never changes to what changes most: how to work, what the
// project and the user say, what was appended, where and when this runs. The cache keeps what stands before a change.
import { release } from 'node:os';
import type { Command } from './command.ts';
import { type GitState, readGitState } from './git-state.ts';
import { writeInstructions } from './instructions.ts';
import { loadMemory, type MemoryFile, type MemoryKind, type MemoryOptions } from './memory.ts';
import { describeSkills } from './skill-tool.ts';

export interface SystemPromptOptions extends MemoryOptions {
  readonly model: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: Date;
  /** The names of the tools the model has. */
  readonly tools: readonly string[];
  readonly isInteractive: boolean;
  readonly commands?: readonly Command[];
  /** What MCP servers say about their use. */
  readonly serverNotes?: readonly { readonly server: string; readonly text: string }[];
  /** In place of our own instructions. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  /** Hears what was left out of the memory files, or cut. */
  readonly note?: (text: string) => void;
}

export async function buildSystemPrompt(options: SystemPromptOptions): Promise<readonly string[]> {
  const [memory, git] = await Promise.all([loadMemory(options), readGitState(options.cwd, options.env)]);
  for (const text of memory.notes) options.note?.(text);
  const blocks = [
    options.systemPrompt ?? writeInstructions(options),
    describeOffers(options),
    describeMemory(memory.files),
    options.appendSystemPrompt ?? '',
    describeEnvironment(options, git),
  ];
  // The API refuses a text block that is empty or only spaces.
  return blocks.map((block) => block.trim().toWellFormed()).filter((block) => block !== '');
}

function describeOffers(options: SystemPromptOptions): string {
  const skills = options.tools.includes('Skill') ? describeSkills(options.commands ?? []) : undefined;
  const servers = (options.serverNotes ?? []).map(({ server, text }) => `## ${server}\n${text}`);
  return [
    ...(skills === undefined ? [] : [`# Skills\nLoad one with the Skill tool when it fits the task:\n${skills}`]),
    ...(servers.length === 0 ? [] : [`# What the MCP servers say about their tools\n\n${servers.join('\n\n')}`]),
  ].join('\n\n');
}

const memoryNames: Readonly<Record<MemoryKind, string>> = {
  user: 'the user’s own instructions for all projects',
  project: 'instructions of the project',
  local: 'the user’s own instructions for this project',
  rule: 'a rule',
  agents: 'instructions of the project for agents',
  import: 'imported',
};

function describeMemory(files: readonly MemoryFile[]): string {
  if (files.length === 0) return '';
  const sections = files.map(({ file, kind, text, importedBy }) => {
    const what = importedBy === undefined ? memoryNames[kind] : `imported by ${importedBy}`;
    return `## ${file} (${what})\n\n${text}`;
  });
  return `# Instructions for this work\nFollow these; where they contradict each other, the later one holds, and what the person says in the conversation goes before all of them.\n\n${sections.join('\n\n')}`;
}

function describeEnvironment(options: SystemPromptOptions, git: GitState | undefined): string {
  const { cwd, extraDirs = [], model, now, env } = options;
  return [
    '# Environment',
    `Working folder: ${cwd}`,
    ...(extraDirs.length === 0 ? [] : [`Further folders: ${extraDirs.join(', ')}`]),
    `Platform: ${process.platform} ${release()}`,
    ...(env.SHELL === undefined ? [] : [`Shell: ${env.SHELL}`]),
    `Model: ${model}`,
    `Date: ${localDate(now)}`,
    ...(git === undefined ? ['Git: not a repository'] : describeGit(git)),
  ].join('\n');
}

function describeGit(git: GitState): readonly string[] {
  const more = git.moreChanges > 0 ? [`… and ${git.moreChanges} more`] : [];
  const changes = git.status.length === 0 ? ['nothing changed'] : [...git.status, ...more];
  return [
    `Git: branch ${git.branch} in ${git.topFolder}, as of the start of the session`,
    'Changes:',
    ...changes.map((line) => `  ${line}`),
    ...(git.commits.length === 0 ? [] : ['Last commits:', ...git.commits.map((line) => `  ${line}`)]),
  ];
}

/** The day where the person is; ISO would name another in the evening. */
function localDate(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
