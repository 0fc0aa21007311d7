// Slash commands that the program itself answers, typed as a prompt of `clew -p`. What they print is what the client
// 2.1.325 prints, in its words where a script may look for them.
import type { Agent, AgentState, ContextPart, ContextUsage } from '../../agent/contract/index.ts';
import { UserError } from '../../base/errors/index.ts';
import { asString, isObject, type JsonObject } from '../../base/json/index.ts';
import { formatDuration, formatTokens } from '../../base/text/index.ts';
import { efforts, isEffort } from '../../models/index.ts';
import { initPrompt } from '../input/index.ts';
import { isLocalCommand, type LocalCommandName } from './messages/index.ts';

export interface LocalCommand {
  readonly name: LocalCommandName | 'unavailable';
  /** As it was typed, without the slash. */
  readonly typed: string;
  readonly argument: string;
}

/** Commands of `clew chat` that need a screen. The model would only be confused by them. */
const screenCommands: ReadonlySet<string> = new Set(
  'help status resume rewind rename memory permissions mcp export doctor exit quit login logout config add-dir'.split(
    ' ',
  ),
);

/** `undefined` for an ordinary prompt, and for the user's own commands. */
export function findLocalCommand(content: string | readonly JsonObject[], state: AgentState): LocalCommand | undefined {
  const { typed, argument } = readCommand(content, state) ?? {};
  if (typed === undefined) return undefined;
  if (isLocalCommand(typed)) return { name: typed, typed, argument: argument ?? '' };
  return screenCommands.has(typed) ? { name: 'unavailable', typed, argument: '' } : undefined;
}

/** The prompt that a command stands for, otherwise the prompt as it is. */
export function promptOf(content: string | readonly JsonObject[], state: AgentState): string | readonly JsonObject[] {
  return readCommand(content, state)?.typed === 'init' ? initPrompt : content;
}

function readCommand(content: string | readonly JsonObject[], { commands }: AgentState) {
  const [, typed, argument = ''] = /^\/([a-z][a-z-]*)(?:\s+([\s\S]*))?$/.exec(promptText(content).trim()) ?? [];
  if (typed === undefined || commands.some(({ name }) => name === typed)) return undefined;
  return { typed, argument: argument.trim() };
}

function promptText(content: string | readonly JsonObject[]): string {
  if (typeof content === 'string') return content;
  const [block] = content;
  return content.length === 1 && isObject(block) && block.type === 'text' ? (asString(block.text) ?? '') : '';
}

export interface RunTimes {
  readonly apiMs: number;
  readonly wallMs: number;
}

/** What a command prints: its text, and more fields of the message that has it. */
export interface LocalAnswer {
  readonly text: string;
  readonly fields?: JsonObject;
}

export async function runLocalCommand(command: LocalCommand, agent: Agent, times: RunTimes): Promise<LocalAnswer> {
  const { name, argument } = command;
  switch (name) {
    case 'clear':
      await agent.clear();
      return { text: '' };
    case 'compact':
      await agent.compact(argument === '' ? undefined : argument);
      return { text: '' };
    case 'context': {
      const usage = await agent.contextUsage();
      return { text: contextText(usage), fields: { context_usage: contextFields(usage) } };
    }
    case 'cost':
    case 'usage':
      return { text: costText(agent.state, times) };
    case 'model':
      return { text: chooseModel(agent, argument) };
    case 'effort':
      return { text: chooseEffort(agent, argument.toLowerCase()) };
    case 'unavailable':
      return { text: `/${command.typed} isn't available in this environment.` };
    default:
      return name satisfies never;
  }
}

function chooseModel(agent: Agent, argument: string): string {
  if (argument === '') return `Current model: \`${agent.state.model}\`\nUsage: /model <name>`;
  try {
    agent.setModel(argument);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return `Set model to \`${agent.state.model}\` for this session only`;
}

function chooseEffort(agent: Agent, argument: string): string {
  const levels = [...efforts, 'auto'];
  if (argument === '') return `Usage: /effort <${levels.join('|')}>`;
  if (argument !== 'auto' && !isEffort(argument))
    return `Invalid argument: ${argument}. Valid options are: ${levels.join(', ')}`;
  agent.setEffort(argument === 'auto' ? undefined : argument);
  const { effort, model } = agent.state;
  return effort === undefined
    ? `\`${model}\` has no effort setting`
    : `Set effort level to ${effort} (this session only)`;
}

export function costText(state: AgentState, { apiMs, wallMs }: RunTimes): string {
  const models = [...state.usageByModel].map(([model, usage]) => {
    const written = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
    const counts = [
      `${formatTokens(usage.inputTokens)} input`,
      `${formatTokens(usage.outputTokens)} output`,
      `${formatTokens(usage.cacheReadTokens)} cache read`,
      `${formatTokens(written)} cache write`,
    ];
    const micros = state.costMicrosOf(model);
    return `    ${model}:  ${counts.join(', ')} (${micros === undefined ? 'no known price' : dollars(micros)})`;
  });
  return [
    `Total cost:            ${dollars(state.costMicros)}`,
    `Total duration (API):  ${formatDuration(apiMs)}`,
    `Total duration (wall): ${formatDuration(wallMs)}`,
    ...(models.length === 0
      ? ['Usage:                 0 input, 0 output, 0 cache read, 0 cache write']
      : ['Usage by model:', ...models]),
  ].join('\n');
}

function dollars(micros: number): string {
  return `$${(micros / 1_000_000).toFixed(4)}`;
}

export function contextText(usage: ContextUsage): string {
  const { model, usedTokens, windowTokens, categories, mcpTools, agents, memoryFiles, skills } = usage;
  const share = (tokens: number): string => `${((tokens / windowTokens) * 100).toFixed(1)}%`;
  const parts = [
    `## Context Usage\n\n**Model:** ${model}  \n**Tokens:** ${formatTokens(usedTokens)} / ${formatTokens(windowTokens)} (${Math.round((usedTokens / windowTokens) * 100)}%)`,
    `### Estimated usage by category\n\n${table(
      ['Category', 'Tokens', 'Percentage'],
      categories.map(({ name, tokens }) => [name, formatTokens(tokens), share(tokens)]),
    )}`,
    list('MCP Tools', ['Tool', 'Server', 'Tokens'], mcpTools),
    list('Custom Agents', ['Agent Type', 'Source', 'Tokens'], agents),
    list('Memory Files', ['Path', 'Type', 'Tokens'], memoryFiles),
    list('Skills', ['Skill', 'Source', 'Tokens'], skills),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** `SDKContextUsage`. */
function contextFields(usage: ContextUsage): JsonObject {
  const { model, usedTokens, windowTokens, categories, mcpTools, memoryFiles, agents, skills } = usage;
  return {
    model,
    total_tokens: usedTokens,
    raw_max_tokens: windowTokens,
    percentage: Math.round((usedTokens / windowTokens) * 100),
    categories: categories.map(({ name, tokens, kind }) => ({ name, tokens, kind })),
    mcp_tools: mcpTools.map(({ name, server, tokens }) => ({ name, server_name: server, tokens })),
    memory_files: memoryFiles.map(({ name, source, tokens }) => ({ path: name, type: source, tokens })),
    agents: agents.map(({ name, source, tokens }) => ({ agent_type: name, source, tokens })),
    skills: skills.map(({ name, source, tokens }) => ({ name, source, tokens })),
  };
}

function list(title: string, head: readonly string[], parts: readonly ContextPart[]): string {
  if (parts.length === 0) return '';
  const rows = parts.map(({ name, source, tokens }) => [name, source, formatTokens(tokens)]);
  return `### ${title}\n\n${table(head, rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map((cell) => '-'.repeat(cell.length + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}
