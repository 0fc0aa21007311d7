// The pages of /help, /cost, /context, /permissions and /mcp, as Markdown.
import type { AgentState } from '../../../agent/contract/agent.ts';
import { counted, formatCount, formatTokens } from '../../../base/text/human.ts';
import type { Usage } from '../../../format/entry/usage.ts';
import { formatCost } from '../../render/money.ts';

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
  ['Enter', 'send; prompts sent while the agent works are queued'],
  ['Ctrl-J, Alt-Enter, or a backslash before Enter', 'a new line'],
  ['Esc', 'interrupt; decline a question; twice at an empty prompt opens /rewind'],
  ['Ctrl-C', 'clear the prompt or interrupt; twice exits, like Ctrl-D at an empty prompt'],
  ['Shift-Tab', 'asks first → accepts edits → plan mode'],
  ['Up, Down', 'earlier prompts; Up edits a queued prompt'],
  ['Tab', 'complete `/command` and `@file`'],
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
  const cost = isUnknown ? 'The cost is unknown' : `**${formatCost(state.costMicros)}**`;
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
    return `The last request used ${formatCount(contextTokens)} tokens. The context window of ${cell(model)} is unknown; compaction assumes 200,000 tokens.`;
  const share = Math.min(1, contextTokens / contextWindow);
  const filled = Math.round(share * barWidth);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`;
  const percent = `${Math.round(share * 100)}%`;
  return [
    `\`${bar}\` ${percent}`,
    `The last request used ${formatCount(contextTokens)} of the ${formatCount(contextWindow)} tokens of ${cell(model)}.`,
    share >= 0.8 ? 'It is nearly full: `/compact` frees space, `/clear` starts a new session.' : '',
  ]
    .filter((line) => line !== '')
    .join('\n\n');
}

export function permissionsPage(state: AgentState): string {
  const rules = state.allowRules.map((rule) => `- \`${rule.replaceAll('`', "'")}\``);
  const list =
    rules.length === 0 ? 'No rules allow anything without asking.' : `Allowed without asking:\n\n${rules.join('\n')}`;
  return `Mode: **${state.mode}** (Shift-Tab changes it).\n\n${list}\n\nRules are in \`.claude/settings.json\`, \`.claude/settings.local.json\` and the user's settings; "always" in a question adds a rule.`;
}

export function mcpPage(state: AgentState): string {
  if (state.mcpServers.length === 0)
    return 'No MCP servers are configured. Clew reads them from `.mcp.json` and the settings.';
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
