// Renders a finished item for the scrollback. It is printed once, wrapped to the current width.
import type { ShellReport, ToolCallView } from '../../../agent/contract/index.ts';
import { counted, formatDuration, formatTokens, neutralise, oneLine } from '../../../base/text/index.ts';
import { blocksOf } from '../../../format/entry/index.ts';
import { resultText, summariseInput, withoutFolder } from '../../../session/calls/index.ts';
import { renderMarkdown } from '../../markdown/index.ts';
import { callLine, hanging, quoted, shortFolder, wrapSpans } from '../../render/index.ts';
import { contextLines } from './context-lines.ts';
import { countChanges, type Drawing, diffLines, firstLines, safeLines, storedHunks } from './drawing.ts';
import type { AgentWork, CallItem, Item } from './item.ts';

/** With a blank line before it if it begins something new. */
export function itemLines(item: Item, previous: Item | undefined, drawing: Drawing): readonly string[] {
  const lines = ownLines(item, drawing);
  const isGrouped = previous?.kind === item.kind && (item.kind === 'call' || item.kind === 'notice');
  return previous === undefined || isGrouped || lines.length === 0 ? lines : ['', ...lines];
}

const maxDiffLines = 40;
const maxErrorLines = 5;
const proseColumns = 120;

function ownLines(item: Item, drawing: Drawing): readonly string[] {
  const { style, columns } = drawing;
  switch (item.kind) {
    case 'prompt':
      return quoted(item.text, '›', { style, width: columns }).split('\n');
    case 'shell':
      return shellLines(item.command, item.report, drawing);
    case 'command':
      return [style.muted(`› ${oneLine(item.text, columns - 3)}`)];
    case 'answer':
      return answerLines(item.text, item.isContinued, drawing);
    case 'thinking':
      return [style.muted(`∴ thought: ${oneLine(item.text, columns - 11)}`)];
    case 'plan':
      return planLines(item.text, drawing);
    case 'call':
      return callLines(item, drawing);
    case 'notice':
      return noticeLines(item.level, item.text, drawing);
    case 'note':
      return wrapSpans([{ text: neutralise(`  ${item.text}`), paint: style.muted, keepSpaces: true }], columns).map(
        ({ text }) => text,
      );
    case 'page': {
      const text = renderMarkdown(item.text, { width: Math.min(columns, proseColumns), style, indent: 2 });
      return [style.heading(oneLine(item.title, columns)), ...text.split('\n')];
    }
    case 'context':
      return contextLines(item.usage, drawing);
    case 'lines':
      return item.lines;
    default:
      item satisfies never;
      return [];
  }
}

const maxShellLines = 20;

/** The end of a long output is the part that matters in a terminal; Ctrl-O shows all of it. */
function shellLines(command: string, report: ShellReport, { style, columns }: Drawing): readonly string[] {
  const [first = '', ...rest] = safeLines(command, columns - 3);
  const output = report.output === '' ? [] : safeLines(report.output, columns - 4);
  const hidden = Math.max(0, output.length - maxShellLines);
  const facts = [
    ...(report.isInterrupted ? ['interrupted'] : report.exitCode === 0 ? [] : [`exit code ${report.exitCode}`]),
    ...(report.keptCwd === undefined ? [] : [`the working directory is still ${shortFolder(report.keptCwd)}`]),
  ];
  return [
    `${style.accent('!')} ${style.bold(first)}`,
    ...rest.map((line) => `  ${style.bold(line)}`),
    ...(hidden > 0 ? [style.muted(`  │ … ${hidden} lines above; Ctrl-O shows all`)] : []),
    ...output.slice(hidden).map((line) => `${style.muted('  │')} ${line}`.trimEnd()),
    ...facts.map((fact) => style.muted(`  ${oneLine(fact, columns - 3)}`)),
  ];
}

/** The mark is at the margin, so that prompts and answers differ without colour. */
export function answerLines(text: string, isContinued: boolean, { style, columns }: Drawing): readonly string[] {
  const width = Math.min(columns, proseColumns);
  const lines = renderMarkdown(text.trim(), { width, style, indent: 2 }).split('\n');
  return isContinued ? lines : lines.map((line, i) => (i === 0 ? `${style.accent('●')} ${line.slice(2)}` : line));
}

function planLines(plan: string, { style, columns }: Drawing): readonly string[] {
  const text = renderMarkdown(plan, { width: Math.min(columns, proseColumns) - 2, style });
  return [style.heading('Plan'), ...text.split('\n').map((line) => `${style.muted('│')} ${line}`.trimEnd())];
}

const noticeMarks = { info: 'ℹ', warn: '!', error: '✗' } as const;

function noticeLines(level: keyof typeof noticeMarks, text: string, { style, columns }: Drawing): readonly string[] {
  const paint = { info: style.muted, warn: style.yellow, error: style.error }[level];
  const mark = noticeMarks[level];
  return hanging(text.trim(), { mark, width: columns, paintMark: paint, paint }).split('\n');
}

function callLines(item: CallItem, drawing: Drawing): readonly string[] {
  const { style, columns, cwd } = drawing;
  const { call, outcome, refused, agents } = item;
  const text = refused === undefined ? resultText(blocksOf(outcome.content)) : '';
  const hunks = outcome.isError ? [] : storedHunks(outcome.stored);
  if (hunks.length > 0) return changeLines(item, drawing);
  const shown = { name: call.name, input: call.input, isError: outcome.isError, result: outcome };
  const summary = resultSummary(item, text);
  const line = callLine(shown, agents.length > 0 ? '' : summary, { style, width: columns, cwd });
  const error = outcome.isError && refused === undefined ? text.trim().split('\n').slice(1) : [];
  const more = firstLines(safeLines(error.join('\n'), columns - 4), maxErrorLines, (each) => each);
  return [
    line,
    ...agents.flatMap((agent) => agentLines(agent, call, drawing)),
    ...(error.length === 0 ? [] : more.map((each) => style.muted(`  │ ${each}`.trimEnd()))),
  ];
}

/** The result of TodoWrite is for the model; the list is shown below. */
function resultSummary({ call, outcome, refused }: CallItem, text: string): string {
  if (refused !== undefined) return refusals[refused];
  return call.name === 'TodoWrite' && !outcome.isError ? '' : text;
}

const refusals = {
  permission: 'not allowed',
  hook: 'blocked by a hook',
  interrupted: 'interrupted before it ran',
  input: 'the input was not valid',
} as const;

function changeLines({ call, outcome }: CallItem, drawing: Drawing): readonly string[] {
  const { style, columns, cwd } = drawing;
  const hunks = storedHunks(outcome.stored);
  const { added, removed } = countChanges(hunks);
  const counts = `+${added} -${removed}`;
  const file = withoutFolder(summariseInput(call.name, call.input), cwd);
  const room = columns - call.name.length - counts.length - 6;
  const head = `${style.ok('✓')} ${style.bold(call.name)} ${oneLine(file, room)}  ${style.muted(counts)}`;
  const diff = diffLines(hunks, { style, width: columns - 4, isPlaced: true });
  return [head, ...firstLines(diff, maxDiffLines, style.muted).map((line) => `    ${line}`)];
}

/** `0 s`, `12 s`, `4 min 5 s`. */
export function wholeSeconds(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

/** `↳ explore  12 calls · 3.4k out · 45 s` */
export function agentLines(
  agent: AgentWork,
  call: ToolCallView,
  { style, columns, nowMs }: Drawing,
): readonly string[] {
  const { agentType, description, calls, tokens, startedMs, endedMs, doing } = agent;
  const lasted = Math.max(0, (endedMs ?? nowMs) - startedMs);
  // A running agent shows whole seconds; jumping tenths are noise.
  const time = endedMs === undefined ? wholeSeconds(lasted) : formatDuration(lasted);
  const totals = [counted(calls, 'call'), `${formatTokens(tokens)} out`, time].join(' · ');
  const end = agent.isFailed === true ? `failed · ${totals}` : totals;
  const isShown = description === call.input.description;
  const name = oneLine(isShown ? agentType : `${agentType}: ${description}`, Math.max(8, columns - end.length - 8));
  const head = `  ${style.accent('↳')} ${style.bold(name)}  ${style.muted(end)}`;
  const now = endedMs === undefined ? oneLine(doing, columns - 6) : '';
  return now === '' ? [head] : [head, style.muted(`    ${now}`)];
}
