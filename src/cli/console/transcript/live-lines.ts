// Renders the unfinished part of a turn above the prompt: the end of the streaming text, the running calls, the status
// and the elapsed time, within the available rows.

import type { CallProgress, Todo } from '../../../agent/contract/index.ts';
import { displayWidth, formatTokens, oneLine } from '../../../base/text/index.ts';
import { summariseInput, withoutFolder } from '../../../session/calls/index.ts';
import { wrapSpans } from '../../render/index.ts';
import { type Drawing, safeLines } from './drawing.ts';
import { foldPrompt } from './item.ts';
import { agentLines, answerLines, wholeSeconds } from './item-lines.ts';
import type { LiveCall, LiveStream, ViewState } from './view-state.ts';

export interface LiveFacts {
  readonly todos: readonly TodoView[];
  readonly queued: readonly string[];
  readonly outputTokens: number;
  /** The shell command of the user that runs. */
  readonly shell: LiveShell | undefined;
  /** A question is open: the agent waits for the user. */
  readonly isAsking: boolean;
}

export interface LiveShell {
  readonly command: string;
  readonly startedMs: number;
  readonly progress: CallProgress | undefined;
}

export function liveLines(view: ViewState, facts: LiveFacts, drawing: Drawing, room: number): readonly string[] {
  const status = statusLines(view, facts, drawing);
  const queue = queueLines(
    facts.queued.map((text) => foldPrompt(text, view.folded)),
    drawing,
  );
  const todos = view.busySinceMs === undefined ? [] : currentTodos(facts.todos, drawing);
  const running = [
    ...view.calls.flatMap((live) => callLines(live, view, drawing)),
    ...shellLines(facts.shell, drawing),
  ];
  const isGrouped = running.length === 0 || (view.streams.length === 0 && view.finished.at(-1)?.kind === 'call');
  const calls = isGrouped ? running : ['', ...running];
  // From least to most important; the first ones are dropped if there is not enough space.
  const bottom = [...status, ...queue];
  let left = room - bottom.length;
  const shownTodos = left - todos.length >= 6 ? todos : [];
  left -= shownTodos.length;
  const shownCalls = calls.slice(-Math.max(0, Math.min(calls.length, left)));
  left -= shownCalls.length;
  const stream = view.streams.flatMap((each) => streamLines(each, drawing, left)).slice(-Math.max(0, left));
  return [...stream, ...shownCalls, ...shownTodos, ...bottom].slice(-Math.max(0, room));
}

/** More than any screen shows; rendering a long text for every frame would be slow. */
const tailChars = 8000;
const thinkingRows = 4;

function streamLines(stream: LiveStream, drawing: Drawing, room: number): readonly string[] {
  const { style, columns } = drawing;
  const open = stream.text.slice(stream.settledChars);
  if (open.trim() === '' || room < 2) return [];
  if (stream.kind === 'thinking') {
    const tail = open.slice(-tailChars).trim();
    const lines = wrapSpans(
      safeLines(tail, Number.MAX_SAFE_INTEGER).map((text, i) => ({
        text: `${i === 0 ? '' : '\n'}${text}`,
        paint: style.muted,
      })),
      columns - 2,
      true,
    );
    return ['', ...lines.slice(-Math.min(thinkingRows, room - 1)).map(({ text }) => `${style.muted('∴')} ${text}`)];
  }
  const lines = answerLines(tailOf(open), stream.settledChars > 0 || open.length > tailChars, drawing);
  return ['', ...lines.slice(-(room - 1))];
}

function tailOf(text: string): string {
  if (text.length <= tailChars) return text;
  const head = text.slice(0, -tailChars);
  const fences = head.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
  const tail = text.slice(-tailChars);
  const whole = tail.slice(tail.indexOf('\n') + 1);
  return fences % 2 === 1 ? `\`\`\`\n${whole}` : whole;
}

const outputRows = 5;

function callLines({ call, progress, startedMs }: LiveCall, view: ViewState, drawing: Drawing): string[] {
  const { style, columns, cwd, nowMs } = drawing;
  const agents = view.agents.filter((agent) => agent.parentCallId === call.id);
  const time = agents.length > 0 || nowMs - startedMs < 2000 ? '' : `  ${wholeSeconds(nowMs - startedMs)}`;
  const name = oneLine(call.name, Math.max(8, columns - 24));
  const summary = oneLine(
    withoutFolder(summariseInput(call.name, call.input), cwd),
    columns - name.length - time.length - 4,
  );
  const head = `${style.yellow('▸')} ${style.bold(name)} ${summary}${style.muted(time)}`.trimEnd();
  return [head, ...agents.flatMap((agent) => agentLines(agent, call, drawing)), ...progressLines(progress, drawing)];
}

function shellLines(shell: LiveShell | undefined, drawing: Drawing): string[] {
  if (shell === undefined) return [];
  const { style, columns, nowMs } = drawing;
  const time = wholeSeconds(nowMs - shell.startedMs);
  const facts = columns < 40 ? time : `${time} · Esc stops it`;
  const command = oneLine(shell.command, Math.max(8, columns - facts.length - 5));
  const room = columns - displayWidth(command) - 5;
  return [
    `${style.accent('!')} ${style.bold(command)}  ${style.muted(oneLine(facts, Math.max(1, room)))}`,
    ...progressLines(shell.progress, drawing),
  ];
}

function progressLines(progress: LiveCall['progress'], { style, columns }: Drawing): readonly string[] {
  if (progress === undefined) return [];
  if (progress.kind === 'status') return [style.muted(`  ${oneLine(progress.text, columns - 4)}`)];
  const lines = safeLines(progress.text.slice(-tailChars).trimEnd(), columns - 5);
  const tail = lines.filter((line) => line !== '').slice(-outputRows);
  const hidden = progress.totalLines - tail.length;
  const more = hidden > 0 ? [style.muted(`  ┊ … ${hidden} lines above`)] : [];
  return [...more, ...tail.map((line) => style.muted(`  ┊ ${line}`))];
}

const todoRows = 8;

/** A long list is cut around the item in progress. */
function currentTodos(todos: readonly TodoView[], drawing: Drawing): readonly string[] {
  if (todos.every((todo) => todo.status === 'completed')) return [];
  const current = Math.max(
    0,
    todos.findIndex((todo) => todo.status !== 'completed'),
  );
  const first = Math.max(0, Math.min(current - 2, todos.length - todoRows));
  return ['', ...todoLines(todos.slice(first, first + todoRows), drawing)];
}

const queueRows = 3;

function queueLines(queued: readonly string[], { style, columns }: Drawing): readonly string[] {
  const hidden = queued.length - queueRows;
  const lines = queued.slice(0, queueRows).map((text) => style.muted(`  ⋮ ${oneLine(text, columns - 5)}`));
  if (hidden > 0) lines.push(style.muted(`  ⋮ and ${hidden} more`));
  if (lines.length > 0) lines.push(style.muted(`    ${oneLine('queued; Up edits it', columns - 5)}`));
  return lines;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧'] as const;

function statusLines(view: ViewState, { outputTokens, isAsking }: LiveFacts, drawing: Drawing): readonly string[] {
  const { style, columns, nowMs } = drawing;
  if (isAsking) return [];
  if (view.busySinceMs === undefined && !view.isCompacting) return [];
  const frame = frames[Math.floor(nowMs / 250) % frames.length] ?? frames[0];
  const facts = [
    wholeSeconds(nowMs - (view.busySinceMs ?? nowMs)),
    ...(outputTokens > 0 ? [`${formatTokens(outputTokens)} tokens out`] : []),
    'Esc interrupts',
  ];
  const doing = oneLine(doingNow(view, nowMs), Math.max(10, columns - 20));
  let line = doing;
  for (const fact of facts) {
    const longer = `${line} · ${fact}`;
    if (longer.length + 3 > columns) break;
    line = longer;
  }
  return ['', `${style.accent(frame)} ${style.bold(doing)}${style.muted(line.slice(doing.length))}`];
}

function doingNow(view: ViewState, nowMs: number): string {
  if (view.retry !== undefined) {
    const { attempt, maxRetries, untilMs, reason } = view.retry;
    const seconds = Math.max(0, Math.ceil((untilMs - nowMs) / 1000));
    return `Retrying in ${seconds} s (${attempt} of ${maxRetries}): ${reason}`;
  }
  if (view.isCompacting) return 'Compacting the conversation';
  if (view.calls.length > 0) return view.calls.length === 1 ? 'Running a tool' : `Running ${view.calls.length} tools`;
  const stream = view.streams.at(-1);
  if (stream !== undefined && !stream.isEnded && view.inputChars === 0)
    return stream.kind === 'text' ? 'Writing' : 'Thinking';
  return view.inputChars > 0 ? `Preparing a tool call (${formatTokens(view.inputChars)} characters)` : 'Working';
}

type TodoView = Pick<Todo, 'content' | 'status'>;

function todoLines(todos: readonly TodoView[], { style, columns }: Drawing): readonly string[] {
  const marks = { completed: style.ok('☒'), in_progress: style.accent('◐'), pending: style.muted('☐') };
  const paints = { completed: style.muted, in_progress: style.bold, pending: (text: string) => text };
  return todos.map(({ content, status }) => `  ${marks[status]} ${paints[status](oneLine(content, columns - 5))}`);
}
