// Loads the types of sub-agents from the `.claude/agents` folders, plus three built-in ones. A file of the project wins
// over one of the user, and both win over a built-in one of the same name.
import path from 'node:path';
import { readText } from '../access/index.ts';
import { isUsed, type SettingSource } from '../contract/index.ts';
import {
  type DefinitionFile,
  fieldText,
  fieldTools,
  listMarkdown,
  parseFrontMatter,
  splitInside,
} from './front-matter.ts';

export interface AgentDefinition {
  readonly name: string;
  /** When to use it, for the model. */
  readonly description: string;
  /** `flag`: from the command line or a program. */
  readonly scope: 'flag' | 'project' | 'user' | 'built-in';
  /** `undefined` allows every tool. */
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** `undefined`: the model of the parent conversation. */
  readonly model?: string;
  /** The maximum number of answers of the sub-agent. */
  readonly maxTurns?: number;
  /** The conversation continues while it works. */
  readonly isBackground?: boolean;
  readonly prompt: string;
}

export interface LoadedAgents {
  readonly agents: readonly AgentDefinition[];
  /** Messages for the user about what was left out. */
  readonly notes: readonly string[];
}

export async function loadAgentDefinitions(options: {
  readonly cwd: string;
  readonly root: string;
  /** Without trust, the project's agents are not loaded. */
  readonly isProjectTrusted: boolean;
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Agents of the command line. They win over those of the files. */
  readonly given?: readonly AgentDefinition[];
}): Promise<LoadedAgents> {
  const { cwd, root, isProjectTrusted, settingSources, given = [] } = options;
  const withProject = isProjectTrusted && isUsed('project', settingSources);
  const projects = withProject ? await loadProjectAgents(cwd) : { agents: [], notes: [] };
  const notes = [...projects.notes];
  const withUser = isUsed('user', settingSources);
  const found = [
    ...given,
    ...projects.agents,
    ...(withUser ? await loadFiles(await listMarkdown(path.join(root, 'agents')), 'user', notes) : []),
    ...builtInAgents,
  ];
  const byName = new Map<string, AgentDefinition>();
  for (const agent of found) if (!byName.has(agent.name)) byName.set(agent.name, agent);
  return { agents: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), notes };
}

/** The project's agents, trusted or not, without links that lead out of the project. */
export async function loadProjectAgents(cwd: string): Promise<LoadedAgents> {
  const files = await listMarkdown(path.join(cwd, '.claude', 'agents'));
  const { inside, notes: outside } = await splitInside(files, cwd);
  const notes = [...outside];
  return { agents: await loadFiles(inside, 'project', notes), notes };
}

async function loadFiles(
  files: readonly DefinitionFile[],
  scope: 'project' | 'user',
  notes: string[],
): Promise<readonly AgentDefinition[]> {
  const agents: AgentDefinition[] = [];
  for (const { file } of files) {
    const text = await readText(file, 256 * 1024);
    if (text === undefined) continue;
    const agent = readDefinition(text, scope);
    if (typeof agent === 'string') notes.push(`${file} defines no agent: ${agent}`);
    else agents.push(agent);
  }
  return agents;
}

function readDefinition(text: string, scope: 'project' | 'user'): AgentDefinition | string {
  const head = parseFrontMatter(text);
  const name = fieldText(head, 'name');
  const description = fieldText(head, 'description');
  if (name === undefined || !/^[\p{L}\p{N}_][\p{L}\p{N}_:-]{0,99}$/u.test(name)) return 'its head has no usable name';
  if (description === undefined) return 'its head has no description';
  const tools = fieldTools(head, 'tools');
  const disallowedTools = fieldTools(head, 'disallowedTools');
  const model = fieldText(head, 'model');
  return {
    name,
    description: description.slice(0, 4000).toWellFormed(),
    scope,
    ...(tools === undefined || tools.includes('*') ? {} : { tools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(model === undefined || model === 'inherit' ? {} : { model }),
    prompt: head.body.trim().toWellFormed(),
  };
}

const lookingTools = ['Read', 'Glob', 'Grep', 'Bash', 'WebFetch', 'WebSearch', 'TodoWrite'];
const changingTools = ['Write', 'Edit', 'NotebookEdit', 'Task', 'Agent', 'ExitPlanMode'];

const reporting =
  'Nobody answers you while you work, so do not ask: decide, and say what you assumed. Your last message is all that the ' +
  'one who sent you gets. Make it complete by itself: what you found, with absolute paths and line numbers, and what you ' +
  'could not find out.';

const onlyLooking =
  'You only look. Do not create, change, move or delete files, and run only shell commands that read (ls, git log, git ' +
  'diff, cat and the like).';

const builtInAgents: readonly AgentDefinition[] = [
  {
    name: 'general-purpose',
    description:
      'For tasks of several steps that need searching, reading and perhaps changing things, when you want the result but ' +
      'not all that was read on the way.',
    scope: 'built-in',
    disallowedTools: ['ExitPlanMode'],
    prompt: `You work on one task for another agent. Do what it asks, all of it, and nothing beside it.\n\n${reporting}`,
  },
  {
    name: 'Explore',
    description:
      'Finds its way in a code base without changing it: where something is, how it works, who calls it. Say how thorough ' +
      'it should be: quick, medium or very thorough.',
    scope: 'built-in',
    tools: lookingTools,
    disallowedTools: changingTools,
    prompt:
      `You answer a question about a code base. ${onlyLooking}\n\nSearch wide first (names, then contents), read what ` +
      `looks right, follow it where it leads, and run searches that do not depend on each other together.\n\n${reporting}`,
  },
  {
    name: 'Plan',
    description: 'Works out how to make a change: reads what it touches, weighs the ways, and returns a plan in steps.',
    scope: 'built-in',
    tools: lookingTools,
    disallowedTools: changingTools,
    prompt:
      `You plan a change that somebody else will make. ${onlyLooking}\n\nRead the code that the change touches and what ` +
      'is like it nearby. Then give the plan: the files to change and how, in an order in which each step can be tested; ' +
      `what could go wrong; and, where there was a choice, what you chose and why.\n\n${reporting}`,
  },
];
