// The `/commands` of the console. Any other text with a leading slash is a command of the project or the user and goes
// to the agent.
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Agent } from '../../../agent/contract/index.ts';
import { UserError } from '../../../base/errors/index.ts';
import { oneLine } from '../../../base/text/index.ts';
import { efforts, isEffort, knownModels } from '../../../models/index.ts';
import { type CommandContext, choose, type SlashCommand } from './command.ts';
import { init, memory } from './memory.ts';
import { agentsPage, costPage, helpPage, mcpPage, permissionsPage, statusPage } from './pages.ts';
import { exportSession, rename, resume, rewind } from './session-commands.ts';

export const slashCommands: readonly SlashCommand[] = [
  { name: 'help', description: 'commands and keys', run: showHelp },
  { name: 'clear', description: 'start a new, empty session', run: ({ agent }) => agent.clear() },
  {
    name: 'compact',
    argument: '[FOCUS]',
    description: 'replace the conversation with a summary',
    run: ({ agent, argument }) => agent.compact(argument === '' ? undefined : argument),
  },
  { name: 'resume', argument: '[SESSION]', description: 'search the sessions and resume one', run: resume },
  { name: 'rewind', description: 'go back to an earlier prompt: the chat, the files, or both', run: rewind },
  { name: 'rename', argument: 'TITLE', description: 'give the session a title', run: rename },
  { name: 'model', argument: '[NAME]', description: 'choose the model', run: chooseModel },
  { name: 'effort', argument: '[LEVEL]', description: 'choose how much work an answer may take', run: chooseEffort },
  { name: 'init', description: 'let the agent write CLAUDE.md for this project', run: init, isPrompt: true },
  { name: 'memory', description: 'show the instruction files, and edit one', run: memory },
  { name: 'status', description: 'the session, the model and the connections', run: page('Status', statusPage) },
  { name: 'cost', description: 'tokens and dollars of this run', run: page('Cost', costPage) },
  { name: 'context', description: 'what fills the context window', run: showContext },
  {
    name: 'add-dir',
    argument: 'FOLDER',
    description: 'let the agent work in another folder, in this session',
    run: addFolder,
  },
  { name: 'permissions', description: 'the mode and the rules', run: page('Permissions', permissionsPage) },
  { name: 'agents', description: 'the sub-agents that the model may start', run: showAgents },
  { name: 'mcp', description: 'MCP servers and their tools', run: page('MCP servers', mcpPage) },
  { name: 'export', argument: '[FILE]', description: 'write the session as Markdown, or copy it', run: exportSession },
  {
    name: 'doctor',
    description: 'what resuming this session would lose',
    run: ({ agent, runProgram }) => runProgram('doctor', [agent.state.file], {}),
  },
  { name: 'exit', description: 'end the chat', run: ({ exit }) => exit() },
];

export interface SlashCall {
  readonly name: string;
  readonly argument: string;
}

/** Matches `/name rest`, but not a path such as `/usr/bin`. */
export function slashCall(text: string): SlashCall | undefined {
  const found = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(text);
  return found === null ? undefined : { name: found[1] ?? '', argument: (found[2] ?? '').trim() };
}

function showHelp({ agent, say }: CommandContext): void {
  say({ kind: 'page', title: 'Commands', text: helpPage(slashCommands, agent.state.commands) });
}

function page(title: string, text: (state: Agent['state']) => string): SlashCommand['run'] {
  return ({ agent, say }) => say({ kind: 'page', title, text: text(agent.state) });
}

async function showContext({ agent, say }: CommandContext): Promise<void> {
  say({ kind: 'context', usage: await agent.contextUsage() });
}

async function showAgents({ agent, agents, say }: CommandContext): Promise<void> {
  const own = (await agent.contextUsage()).agents;
  say({ kind: 'page', title: 'Agents', text: agentsPage(agents, own) });
}

async function addFolder({ agent, argument, say }: CommandContext): Promise<void> {
  if (argument === '') return say({ kind: 'notice', level: 'warn', text: 'no folder given; use /add-dir FOLDER' });
  const named = argument.replace(/^~(?=\/|$)/, homedir());
  const folder = path.resolve(agent.state.cwd, named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UserError(`${folder} is not a folder`, 'name an existing one');
  await agent.updatePermissions([{ type: 'addDirectories', directories: [folder], destination: 'session' }]);
  say({ kind: 'note', text: `the agent may read ${folder}, and change it as it may change the project` });
}

const defaultEffort = 'default';

async function chooseEffort({ agent, argument, ask, say }: CommandContext): Promise<void> {
  const choices = [defaultEffort, ...efforts];
  const { effort: current, model } = agent.state;
  const hint = current === undefined ? `${model} has no such setting` : `now ${current}`;
  const title = `How much work may an answer take? (${hint})`;
  const index = argument !== '' ? undefined : await choose(ask, { title, choices: choices.map(asLabel) });
  const level = argument !== '' ? argument.toLowerCase() : index === undefined ? undefined : choices[index];
  if (level === undefined) return;
  if (level !== defaultEffort && !isEffort(level)) {
    const text = `"${oneLine(level, 40)}" is not a level; use /effort ${choices.join(', ')}`;
    return say({ kind: 'notice', level: 'warn', text });
  }
  agent.setEffort(level === defaultEffort ? undefined : level);
  const { effort } = agent.state;
  const text =
    effort === undefined ? `${model} has no effort setting` : `the effort of the next prompt is ${effort} (${model})`;
  say({ kind: 'note', text });
}

async function chooseModel({ agent, argument, ask, say }: CommandContext): Promise<void> {
  const models = [...new Set([agent.state.model, ...[...knownModels()].reverse()])];
  const index =
    argument !== '' ? undefined : await choose(ask, { title: 'Which model?', choices: models.map(asLabel) });
  const model = argument !== '' ? argument : index === undefined ? undefined : models[index];
  if (model === undefined) return;
  agent.setModel(model);
  say({ kind: 'note', text: `the next request uses ${model}` });
}

function asLabel(label: string): { label: string } {
  return { label };
}
