// The `/commands` of the console. Any other text with a leading slash is a command of the project or the user and goes
// to the agent.
import type { Agent, RewindPoint } from '../../../agent/contract/agent.ts';
import { counted, formatAge } from '../../../base/text/human.ts';
import { oneLine } from '../../../base/text/terminal-text.ts';
import { knownModels } from '../../../models/facts.ts';
import { type Dialog, type DialogAnswer, type DialogOptions, makeDialog } from '../dialog/dialog.ts';
import { openOrCopy } from '../dialog/opening.ts';
import type { Item } from '../transcript/item.ts';
import { contextPage, costPage, helpPage, mcpPage, type NamedCommand, permissionsPage } from './pages.ts';

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
