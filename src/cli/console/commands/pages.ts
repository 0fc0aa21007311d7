// The pages that `/commands` print, as Markdown: from the state of the agent, and nothing else.
import type { AgentState, ContextPart } from '../../../agent/contract/index.ts';
import { counted, formatCount, formatTokens } from '../../../base/text/index.ts';
import { version } from '../../../base/version/index.ts';
import type { Usage } from '../../../format/entry/index.ts';
import { formatCost } from '../../render/index.ts';
import { consoleKeys } from '../screen/index.ts';

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
  return `${rows(builtIn)}${custom}\n\n**Keys**\n\n${consoleKeys.map(([key, what]) => `- ${key}: ${what}`).join('\n')}`;
}

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

/** `own`: those of the project and the user, with the tokens of their descriptions. */
export function agentsPage(names: readonly string[], own: readonly ContextPart[]): string {
  if (names.length === 0) return 'The model cannot start sub-agents here.';
  const rows = names.map((name) => {
    const part = own.find((each) => each.name === name);
    const facts = part === undefined ? 'built in' : `${part.source}, ${counted(part.tokens, 'token')}`;
    return `- **${cell(name)}** ${cell(facts)}`;
  });
  return `${rows.join('\n')}\n\nYour own are in \`.claude/agents/\` of the project and of your home folder.`;
}

export function statusPage(state: AgentState): string {
  const { sessionId, title, file, cwd, model, mode, mcpServers } = state;
  const rows = [
    ['Clew', version],
    ['session', title === undefined ? sessionId : `${title} (${sessionId})`],
    ['file', file],
    ['working directory', cwd],
    ['model', model],
    ['mode', mode],
    ['context', contextLine(state)],
    ['cost', formatCost(state.costMicros)],
    [
      'MCP servers',
      mcpServers.length === 0 ? 'none' : mcpServers.map(({ name, status }) => `${name} ${status}`).join(', '),
    ],
  ];
  return rows.map(([name = '', value = '']) => `- **${name}**: ${cell(value)}`).join('\n');
}

function contextLine({ contextTokens, contextWindow }: AgentState): string {
  const of = contextWindow === undefined ? 'a window of unknown size' : formatCount(contextWindow);
  return `${formatCount(contextTokens)} tokens of ${of}`;
}

/** Names come from settings and servers; escapes everything that could end a cell or begin markup. */
function cell(text: string): string {
  return text.replace(/[|`*_<[\]\\]/g, '\\$&').replace(/\s+/g, ' ');
}
