// The `/commands` of the console. Any other text with a leading slash is a command of the project or the user and goes
// to the agent.
import type { Agent, AgentState, RewindPoint } from '../../../agent/contract/index.ts';
import { counted, formatAge, formatCount, formatTokens, oneLine } from '../../../base/text/index.ts';
import type { Usage } from '../../../format/entry/index.ts';
import { knownModels } from '../../../models/index.ts';
import { formatCost } from '../../render/index.ts';
import { type Dialog, type DialogAnswer, type DialogOptions, makeDialog, openOrCopy } from '../dialog/index.ts';
import type { Item } from '../transcript/index.ts';

interface NamedCommand {
  readonly name: string;
  readonly argument?: string;
  readonly description: string;
}

function helpPage(builtIn: readonly NamedCommand[], own: readonly NamedCommand[]): string {
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

function costPage(state: AgentState): string {
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

function contextPage(state: AgentState): string {
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

function permissionsPage(state: AgentState): string {
  const rules = state.allowRules.map((rule) => `- \`${rule.replaceAll('`', "'")}\``);
  const list =
    rules.length === 0 ? 'No rules allow anything without asking.' : `Allowed without asking:\n\n${rules.join('\n')}`;
  return `Mode: **${state.mode}** (Shift-Tab changes it).\n\n${list}\n\nRules are in \`.claude/settings.json\`, \`.claude/settings.local.json\` and the user's settings; "always" in a question adds a rule.`;
}

function mcpPage(state: AgentState): string {
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

export interface CommandContext {
  readonly agent: Agent;
  readonly argument: string;
  readonly nowMs: number;
  say(item: Item): void;
  ask(dialog: Dialog): Promise<DialogAnswer>;
  setPrompt(text: string): void;
  /** Runs a command of the program and returns its lines. */
  runProgram(
    name: 'export' | 'doctor',
    words: readonly string[],
    flags: Record<string, string | boolean>,
  ): Promise<void>;
  /** Sessions of the project first, newest first. */
  listSessions(): Promise<readonly SessionChoiceRow[]>;
  exit(): void;
}

export interface SessionChoiceRow {
  readonly path: string;
  readonly sessionId: string;
  readonly title: string;
  readonly lastUseMs: number;
  readonly folder: string;
}

export interface SlashCommand extends NamedCommand {
  run(context: CommandContext): Promise<void> | void;
}

export const slashCommands: readonly SlashCommand[] = [
  { name: 'help', description: 'commands and keys', run: showHelp },
  { name: 'clear', description: 'start a new, empty session', run: ({ agent }) => agent.clear() },
  {
    name: 'compact',
    argument: '[FOCUS]',
    description: 'replace the conversation with a summary',
    run: ({ agent, argument }) => agent.compact(argument === '' ? undefined : argument),
  },
  { name: 'resume', argument: '[SESSION]', description: 'resume another session', run: resume },
  { name: 'rewind', description: 'go back to an earlier prompt: the chat, the files, or both', run: rewind },
  { name: 'rename', argument: 'TITLE', description: 'give the session a title', run: rename },
  { name: 'model', argument: '[NAME]', description: 'choose the model', run: chooseModel },
  { name: 'cost', description: 'tokens and dollars of this run', run: page('Cost', costPage) },
  { name: 'context', description: 'how full the context window is', run: page('Context', contextPage) },
  { name: 'permissions', description: 'the mode and the rules', run: page('Permissions', permissionsPage) },
  { name: 'mcp', description: 'MCP servers and their tools', run: page('MCP servers', mcpPage) },
  { name: 'export', argument: '[FILE]', description: 'write the session as Markdown', run: exportSession },
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

async function rename({ agent, argument, say }: CommandContext): Promise<void> {
  if (argument === '') return say({ kind: 'notice', level: 'warn', text: 'no title given; use /rename TITLE' });
  await agent.rename(argument);
  say({ kind: 'note', text: `the title is now “${oneLine(argument, 80)}”` });
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

async function resume({ agent, argument, ask, say, listSessions, nowMs }: CommandContext): Promise<void> {
  const goTo = (session: string): Promise<void> =>
    openOrCopy({ kind: 'resume', session }, (choice) => agent.switchTo(choice), ask);
  if (argument !== '') return goTo(argument);
  const sessions = (await listSessions()).filter(({ sessionId }) => sessionId !== agent.state.sessionId);
  if (sessions.length === 0) return say({ kind: 'notice', level: 'info', text: 'there are no other sessions' });
  const choices = sessions.map(({ title, lastUseMs, folder }) => ({
    label: oneLine(title, 60),
    hint: `${formatAge(lastUseMs, nowMs)} · ${folder}`,
  }));
  const index = await choose(ask, { title: 'Resume which session?', choices });
  const chosen = index === undefined ? undefined : sessions[index];
  if (chosen !== undefined) await goTo(chosen.path);
}

const rewindWays = ['both', 'chat', 'files'] as const;

async function rewind(context: CommandContext): Promise<void> {
  const { agent, ask, say, setPrompt, nowMs } = context;
  const points = [...(await agent.rewindPoints())].reverse();
  if (points.length === 0)
    return say({ kind: 'notice', level: 'info', text: 'there are no earlier prompts to rewind to' });
  const title = 'Rewind to before which prompt?';
  const index = await choose(ask, { title, choices: points.map((point) => pointChoice(point, nowMs)) });
  const point = index === undefined ? undefined : points[index];
  if (point === undefined) return;
  const files = counted(point.changedFiles.length, 'file');
  const choices = [
    { label: 'Chat and files', hint: `${files} changed since` },
    { label: 'Only the chat' },
    { label: 'Only the files' },
  ];
  const way = await choose(ask, {
    title: 'What should be rewound?',
    choices,
    selected: point.changedFiles.length === 0 ? 1 : 0,
  });
  const what = way === undefined ? undefined : rewindWays[way];
  if (what === undefined) return;
  const report = await agent.rewind(point, what);
  const outcome = [
    what === 'files' ? 'the chat is unchanged' : 'the chat is rewound to before that prompt',
    ...(what === 'chat'
      ? []
      : [`${counted(report.restored.length, 'file')} restored, ${report.removed.length} removed`]),
  ];
  say({ kind: 'note', text: outcome.join('; ') });
  for (const problem of report.problems) say({ kind: 'notice', level: 'warn', text: problem });
  if (what !== 'files') setPrompt(report.prompt);
}

function pointChoice({ prompt, at, changedFiles }: RewindPoint, nowMs: number): { label: string; hint: string } {
  const age = formatAge(at.getTime(), nowMs);
  const files = changedFiles.length === 0 ? '' : ` · ${counted(changedFiles.length, 'file')} changed`;
  return { label: oneLine(prompt, 60), hint: `${age}${files}` };
}

async function exportSession({ agent, argument, runProgram }: CommandContext): Promise<void> {
  const output = argument === '' ? `clew-${agent.state.sessionId.slice(0, 8)}.md` : argument;
  await runProgram('export', [agent.state.file], { output });
}

async function choose(ask: CommandContext['ask'], options: DialogOptions): Promise<number | undefined> {
  const answer = await ask(makeDialog(options));
  return answer.kind === 'cancelled' ? undefined : answer.indexes[0];
}

function asLabel(label: string): { label: string } {
  return { label };
}
