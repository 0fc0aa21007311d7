// The pages of /help, /cost, /context, /permissions and /mcp, as Markdown.
import type { AgentState } from '../../agent/handle.ts';
import { counted, formatCount, formatTokens } from '../../base/human.ts';
import type { Usage } from '../../format/usage.ts';
import { formatCost } from '../money.ts';

export interface NamedCommand {
  readonly name: string;
  readonly argument?: string;
  readonly description: string;
}

export function helpPage(builtIn: readonly NamedCommand[], own: readonly NamedCommand[]): string {
  const rows = (commands: readonly NamedCommand[]): string =>
    commands
      .map(({ name, argument, description }) => {
        const call = `/${name}${argument === undefined ? '' : ` ${argument}`}`;
        return `- \`${call}\` ${description}`;
      })
      .join('\n');
  const custom = own.length === 0 ? '' : `\n\n**Your own commands**\n\n${rows(own)}`;
  return `${rows(builtIn)}${custom}\n\n**Keys**\n\n${keys.map(([key, what]) => `- ${key}: ${what}`).join('\n')}`;
}

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'sends; while the agent works, what you send waits for its turn'],
  ['Ctrl-J, Alt-Enter, or a backslash before Enter', 'a new line'],
  ['Esc', 'interrupts; in a question it says no; twice at an empty prompt opens /rewind'],
  ['Ctrl-C', 'clears the prompt or interrupts; twice exits, as does Ctrl-D at an empty prompt'],
  ['Shift-Tab', 'asks first → accepts edits → plan mode'],
  ['Up, Down', 'earlier prompts; Up takes back what waits'],
  ['Tab', 'completes `/command` and `@file`'],
  ['Ctrl-A, Ctrl-E, Ctrl-W, Ctrl-U, Ctrl-K, Alt-B, Alt-F', 'as in a shell'],
];

export function costPage(state: AgentState): string {
  const rows = [...state.usageByModel].map(([model, usage]) => usageRow(model, usage));
  const table = [
    '| model | input | cache read | cache write | output |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...(rows.length === 0 ? [usageRow('all', state.usage)] : rows),
  ].join('\n');
  const { unpricedTokens } = state;
  const rest = unpricedTokens === 0 ? '' : `, + ${counted(unpricedTokens, 'token')} without a price`;
  const isUnknown = unpricedTokens > 0 && state.costMicros === 0;
  const cost = isUnknown ? 'The cost is not known' : `**${formatCost(state.costMicros)}**`;
  return `${cost} in this run, sub-agents included${rest}.\n\n${table}`;
}

function usageRow(model: string, usage: Usage): string {
  const written = usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const numbers = [usage.inputTokens, usage.cacheReadTokens, written, usage.outputTokens].map(formatTokens);
  return `| ${cell(model)} | ${numbers.join(' | ')} |`;
}

const barWidth = 30;

export function contextPage(state: AgentState): string {
  const { contextTokens, contextWindow, model } = state;
  if (contextWindow === undefined)
    return `The last request took ${formatCount(contextTokens)} tokens. The window of ${cell(model)} is not known; 200,000 tokens are assumed for compaction.`;
  const share = Math.min(1, contextTokens / contextWindow);
  const filled = Math.round(share * barWidth);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
  const percent = `${Math.round(share * 100)}%`;
  return [
    `\`${bar}\` ${percent}`,
    `The last request took ${formatCount(contextTokens)} of the ${formatCount(contextWindow)} tokens of ${cell(model)}.`,
    share >= 0.8 ? 'It is nearly full: `/compact` makes room, `/clear` starts anew.' : '',
  ]
    .filter((line) => line !== '')
    .join('\n\n');
}

export function permissionsPage(state: AgentState): string {
  const rules = state.allowRules.map((rule) => `- \`${rule.replaceAll('`', "'")}\``);
  const list =
    rules.length === 0 ? 'No rule allows anything beforehand.' : `Allowed without asking:\n\n${rules.join('\n')}`;
  return `Mode: **${state.mode}** (Shift-Tab changes it).\n\n${list}\n\nRules live in \`.claude/settings.json\`, \`.claude/settings.local.json\` and the user's settings; "always" in a question adds one.`;
}

export function mcpPage(state: AgentState): string {
  if (state.mcpServers.length === 0) return 'No MCP server is set up. They are read from `.mcp.json` and the settings.';
  return state.mcpServers
    .map(({ name, status, tools }) => {
      const list = tools.length === 0 ? '' : `: ${tools.map(cell).join(', ')}`;
      return `- **${cell(name)}** ${cell(status)}, ${counted(tools.length, 'tool')}${list}`;
    })
    .join('\n');
}

/** Names come from settings and servers; escapes everything that could end a cell or begin markup. */
function cell(text: string): string {
  return text.replace(/[|`*_<[\]\\]/g, '\\$&').replace(/\s+/g, ' ');
}
