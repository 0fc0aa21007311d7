// Reads what an agent runs with from the disk, once, when the agent opens.
import { homedir } from 'node:os';
import { UserError } from '../base/errors/index.ts';
import { type AgentOptions, isUsed, type StructuredOutput } from './contract/index.ts';
import {
  type AgentDefinition,
  type Command,
  loadAgentDefinitions,
  loadCommands,
  readGivenAgents,
} from './prompt/index.ts';
import { mergeSettings, readSettingsFiles, type SettingsFiles } from './settings/index.ts';
import { AgentSetup } from './setup.ts';
import { readProjectOffer, summariseOffer } from './trust/index.ts';

/** `files`: settings that are already read. */
export async function loadSetup(options: AgentOptions, files?: SettingsFiles): Promise<AgentSetup> {
  const { cwd, root, env, isProjectTrusted, settingSources, allowedTools = [], disallowedTools = [] } = options;
  const flags = { permissions: { allow: allowedTools, deny: disallowedTools } };
  const tools = import('./tools/all.ts');
  const place = { root, projectDir: cwd, env, settingSources };
  const read = files ?? (await readSettingsFiles({ ...place, given: options.settings }));
  const settings = mergeSettings(read, { ...place, home: homedir(), flags, isProjectTrusted });
  const [{ commands: found, notes: commandNotes }, { agents, notes }, { makeTools }, untrusted] = await Promise.all([
    loadCommands({ cwd, root, isProjectTrusted, settingSources }),
    loadAgentDefinitions({ cwd, root, isProjectTrusted, settingSources, given: readGivenAgents(options.agents ?? {}) }),
    tools,
    noteUntrusted(options, read),
  ]);
  const output = await outputOf(options);
  const commands = chooseSkills(found, options.skills);
  const ownTools = makeTools({ agentTypes: agents });
  const allNotes = [...untrusted, ...commandNotes, ...notes];
  const mainAgent = options.agent === undefined ? undefined : findAgent(options.agent, agents);
  return new AgentSetup(options, { settings, agents, mainAgent, commands, ownTools, output, notes: allNotes });
}

const usualAttempts = 5;

async function outputOf({ outputSchema, env }: AgentOptions): Promise<StructuredOutput | undefined> {
  if (outputSchema === undefined) return undefined;
  const { makeStructuredOutput } = await import('./tools/structured-output.ts');
  const attempts = Number(env.MAX_STRUCTURED_OUTPUT_RETRIES ?? '');
  return makeStructuredOutput(outputSchema, Number.isSafeInteger(attempts) && attempts > 0 ? attempts : usualAttempts);
}

/** Other skills are not offered to the model, and it cannot use them. */
function chooseSkills(commands: readonly Command[], skills: readonly string[] | undefined): readonly Command[] {
  if (skills === undefined) return commands;
  return commands.map((command) =>
    command.kind === 'skill' && !skills.includes(command.name) ? { ...command, isForModel: false } : command,
  );
}

function findAgent(name: string, agents: readonly AgentDefinition[]): AgentDefinition {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  throw new UserError(`there is no agent "${name}"`, `choose ${agents.map((agent) => agent.name).join(', ')}`);
}

async function noteUntrusted(
  { cwd, root, env, isProjectTrusted, settingSources }: AgentOptions,
  settings: SettingsFiles,
): Promise<readonly string[]> {
  if (isProjectTrusted || !(isUsed('project', settingSources) || isUsed('local', settingSources))) return [];
  const offer = await readProjectOffer({ cwd, root, env, home: homedir() }, settings);
  const left = offer.filter(({ isAskedApart }) => !isAskedApart);
  if (left.length === 0) return [];
  return [
    `this folder is not trusted, so its ${summariseOffer(left)} are left out; accept it in clew chat, or add --trust-project`,
  ];
}
