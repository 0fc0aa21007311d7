// Reduces agent events to the state of the screen: the finished items in order, and the unfinished part. A pure
// reducer; the components only draw its state.
import type {
  AgentEvent,
  CallFinished,
  CallProgress,
  PartArrived,
  TaskEnded,
  ToolCallView,
  TurnEnded,
} from '../../../agent/contract/index.ts';
import { counted, formatDuration, formatTokens } from '../../../base/text/index.ts';
import { type Block, blocksOf, isText, isThinking } from '../../../format/entry/index.ts';
import { promptText } from '../../../session/transcript/index.ts';
import { type AgentWork, agentsAfter, foldPrompt, type Item, type NoticeLevel, splitSettled } from './item.ts';

export interface ViewState {
  /** Append-only. */
  readonly finished: readonly Item[];
  /** The unfinished blocks of an answer, in order. */
  readonly streams: readonly LiveStream[];
  readonly calls: readonly LiveCall[];
  readonly agents: readonly AgentWork[];
  readonly retry: LiveRetry | undefined;
  readonly isCompacting: boolean;
  readonly busySinceMs: number | undefined;
  /** Received characters of a tool's input. */
  readonly inputChars: number;
  /** Whether an error of this turn was shown already. */
  readonly isFailureShown: boolean;
  /** Prompts with long pastes, by their whole text: as they were typed, with placeholders. */
  readonly folded: ReadonlyMap<string, string>;
}

/** `settledChars` of it are in the scrollback already. */
export interface LiveStream {
  /** The index of the block in the answer. */
  readonly index: number;
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  readonly settledChars: number;
  /** The block is complete and in the scrollback, but not written to the session yet. */
  readonly isEnded: boolean;
}

export interface LiveCall {
  readonly call: ToolCallView;
  readonly startedMs: number;
  readonly progress: CallProgress | undefined;
}

export interface LiveRetry {
  readonly attempt: number;
  readonly maxRetries: number;
  readonly untilMs: number;
  readonly reason: string;
}

export const emptyView: ViewState = {
  finished: [],
  streams: [],
  calls: [],
  agents: [],
  retry: undefined,
  isCompacting: false,
  busySinceMs: undefined,
  inputChars: 0,
  isFailureShown: false,
  folded: new Map(),
};

export function viewAfter(before: ViewState, event: AgentEvent): ViewState {
  const view = { ...before, agents: agentsAfter(before.agents, event) };
  // The work of a sub-agent is shown by the line of its call.
  if (event.agent !== undefined) return view;
  switch (event.type) {
    case 'prompt': {
      const isTyped = !event.isMeta && event.origin === undefined;
      return isTyped ? viewAfterPrompt(view, promptText(blocksOf(event.content)), event.at) : view;
    }
    case 'shell-ran':
      return addItem(view, { kind: 'shell', command: event.command, report: event.report });
    case 'unqueued':
      // The running turn gets it: it is shown where the model reads it.
      return event.operation === 'steer' && !event.isNotice ? viewAfterPrompt(view, event.text, event.at) : view;
    case 'task-ended':
      if (!event.task.isBackground) return view;
      return addNotice(view, event.status === 'failed' ? 'warn' : 'info', taskEndText(event));
    case 'request':
      return {
        ...view,
        streams: [],
        inputChars: 0,
        retry: undefined,
        busySinceMs: view.busySinceMs ?? event.at.getTime(),
      };
    case 'part':
      return viewAfterPart(view, event);
    case 'block':
      return viewAfterBlock(view, event.block);
    case 'answer-abandoned':
      return addNotice({ ...view, streams: [] }, 'warn', 'the answer was cut off; retrying');
    case 'retry': {
      const { attempt, maxRetries, delayMs, error } = event;
      const retry = { attempt, maxRetries, untilMs: event.at.getTime() + delayMs, reason: error.message };
      return { ...view, streams: [], retry };
    }
    case 'request-failed':
      return addNotice(
        { ...endStream(view), retry: undefined, isFailureShown: true },
        'error',
        failureText(event.error),
      );
    case 'call':
      return {
        ...view,
        calls: [...view.calls, { call: event.call, startedMs: event.at.getTime(), progress: undefined }],
      };
    case 'call-progress':
      return { ...view, calls: view.calls.map((each) => withProgress(each, event.callId, event.progress)) };
    case 'result':
      return viewAfterResult(view, event, event.at.getTime());
    case 'interrupted':
      return addNotice(
        endStream(view),
        'warn',
        event.during === 'tool' ? 'interrupted, the tool was stopped' : 'interrupted',
      );
    case 'compacting':
      return { ...view, isCompacting: true };
    case 'compacted':
      return viewAfterCompaction(view, event);
    case 'hook':
      return event.message === undefined ? view : addNotice(view, 'info', `hook ${event.event}: ${event.message}`);
    case 'notice':
      return addNotice(view, event.level, event.text);
    case 'turn-end':
      return viewAfterTurn(view, event);
    case 'model-switched':
      return { ...view, streams: [], retry: undefined };
    case 'answer':
    case 'prompt-frozen':
    case 'thinking-stripped':
    case 'thinking-reported':
    case 'session-opened':
    case 'file-kept':
    case 'queued':
    case 'task-started':
    case 'task-progress':
    case 'mode':
    case 'agent-started':
    case 'agent-finished':
      return view;
    default:
      event satisfies never;
      return view;
  }
}

function viewAfterPrompt(view: ViewState, content: string, at: Date): ViewState {
  const text = content.trim();
  if (text === '') return view;
  const shown = foldPrompt(text, view.folded);
  return addItem({ ...view, busySinceMs: at.getTime() }, { kind: 'prompt', text: shown });
}

/** The report of a sub-agent is for the model; the user gets one line. */
function taskEndText({ task, status, summary }: TaskEnded): string {
  if (task.kind === 'shell') return status === 'killed' ? `background command "${summary}" was stopped` : summary;
  const how = { completed: 'finished', failed: 'failed', killed: 'was stopped' }[status];
  return `agent "${task.description}" ${how}`;
}

export function addItem(view: ViewState, item: Item): ViewState {
  return { ...view, finished: [...view.finished, item] };
}

export function addNotice(view: ViewState, level: NoticeLevel, text: string): ViewState {
  return addItem(view, { kind: 'notice', level, text });
}

/** Holds back this much before text goes to the scrollback, so that short answers are drawn in one piece. */
const settleFromChars = 600;

function viewAfterPart(view: ViewState, { kind, text, index, raw }: PartArrived): ViewState {
  if (kind === 'input') return { ...view, inputChars: view.inputChars + text.length };
  if (kind === 'other') return raw.type === 'content_block_stop' ? viewAfterStop(view, index) : view;
  const before = view.streams.find((stream) => stream.index === index);
  const stream = before ?? { index, kind, text: '', settledChars: 0, isEnded: false };
  const grown = { ...stream, text: stream.text + text };
  const streams =
    before === undefined ? [...view.streams, grown] : view.streams.map((each) => (each === before ? grown : each));
  return text.includes('\n') ? settleStream({ ...view, streams }) : { ...view, streams };
}

/** Only the first open block may go to the scrollback, to keep the order. */
function settleStream(view: ViewState): ViewState {
  const stream = view.streams.find(({ isEnded }) => !isEnded);
  if (stream?.kind !== 'text') return view;
  const open = stream.text.slice(stream.settledChars);
  const { settled } = open.length < settleFromChars ? { settled: '' } : splitSettled(open);
  if (settled.trim() === '') return view;
  const grown = { ...stream, settledChars: stream.settledChars + settled.length };
  const streams = view.streams.map((each) => (each === stream ? grown : each));
  return addItem({ ...view, streams }, answerItem(stream, settled));
}

/**
 * The agent holds back the event of a finished block until the next block or the end of the answer, which may be long
 * after the last character. A block is complete here when the API ends it.
 */
function viewAfterStop(view: ViewState, index: number): ViewState {
  const stream = view.streams.find((each) => each.index === index);
  // Only in order: the blocks before it are in the scrollback.
  if (stream === undefined || view.streams.some((each) => each.index < index && !each.isEnded)) return view;
  const ended = { ...stream, settledChars: stream.text.length, isEnded: true };
  const streams = view.streams.map((each) => (each === stream ? ended : each));
  const rest = stream.text.slice(stream.settledChars);
  if (rest.trim() === '') return { ...view, streams };
  const item: Item = stream.kind === 'text' ? answerItem(stream, rest) : { kind: 'thinking', text: rest.trim() };
  return addItem({ ...view, streams }, item);
}

/** The finished block replaces its streamed parts. */
function viewAfterBlock(view: ViewState, block: Block): ViewState {
  const kind = isText(block) ? 'text' : isThinking(block) ? 'thinking' : undefined;
  if (kind === undefined) return view;
  const at = view.streams.findIndex((stream) => stream.kind === kind);
  const stream = view.streams[at] ?? { index: 0, kind, text: '', settledChars: 0, isEnded: false };
  const done = { ...view, streams: view.streams.filter((_, i) => i !== at) };
  if (stream.isEnded) return done;
  if (isText(block)) {
    const rest = block.text.slice(stream.settledChars);
    return rest.trim() === '' ? done : addItem(done, answerItem(stream, rest));
  }
  const text = 'thinking' in block && typeof block.thinking === 'string' ? block.thinking.trim() : '';
  return text === '' ? done : addItem(done, { kind: 'thinking', text });
}

function answerItem({ settledChars }: LiveStream, text: string): Item {
  return { kind: 'answer', text, isContinued: settledChars > 0 };
}

/** Streamed text that never became a finished block is kept. */
function endStream(view: ViewState): ViewState {
  const rests = view.streams.flatMap((stream) => {
    const rest = stream.text.slice(stream.settledChars);
    return stream.kind === 'thinking' || rest.trim() === '' ? [] : [answerItem(stream, rest)];
  });
  return rests.reduce(addItem, { ...view, streams: [] });
}

function viewAfterResult(view: ViewState, event: CallFinished, atMs: number): ViewState {
  const { call, outcome, refused } = event;
  const live = view.calls.find((each) => each.call.id === call.id);
  const item: Item = {
    kind: 'call',
    call,
    outcome,
    ...(refused === undefined ? {} : { refused }),
    agents: view.agents.filter((agent) => agent.parentCallId === call.id),
    durationMs: atMs - (live?.startedMs ?? atMs),
  };
  const rest = {
    ...view,
    calls: view.calls.filter((each) => each.call.id !== call.id),
    agents: view.agents.filter((agent) => agent.parentCallId !== call.id),
  };
  return addItem(rest, item);
}

function withProgress(live: LiveCall, callId: string, progress: CallProgress): LiveCall {
  return live.call.id === callId ? { ...live, progress } : live;
}

function viewAfterCompaction(view: ViewState, event: Extract<AgentEvent, { type: 'compacted' }>): ViewState {
  const done = { ...view, isCompacting: false };
  if ('problem' in event.result) {
    return addNotice(
      done,
      'error',
      `the conversation could not be compacted and is unchanged: ${event.result.problem}`,
    );
  }
  const why = event.trigger === 'auto' ? ' because the context window was nearly full' : '';
  return addItem(done, {
    kind: 'note',
    text: `conversation compacted from ${formatTokens(event.preTokens)} tokens${why}; the original stays in the file`,
  });
}

/** A shorter turn does not show its duration. */
const showDurationFromMs = 5000;

function viewAfterTurn(view: ViewState, event: TurnEnded): ViewState {
  const ended = { ...emptyView, finished: endStream(view).finished, folded: view.folded };
  switch (event.outcome) {
    case 'success':
      if (event.durationMs < showDurationFromMs) return ended;
      return addItem(ended, {
        kind: 'note',
        text: `took ${formatDuration(event.durationMs)}, ${counted(event.rounds, 'request')}`,
      });
    case 'interrupted':
      return ended;
    case 'error_max_turns':
      return addNotice(ended, 'warn', `stopped after ${counted(event.rounds, 'request')}, the limit of --max-turns`);
    case 'error_max_budget_usd':
      return addNotice(ended, 'warn', 'stopped: the budget of --max-budget-usd is used up');
    case 'error_max_structured_output_retries':
    case 'error_during_execution':
      if (view.isFailureShown) return ended;
      return addNotice(ended, 'error', event.error === undefined ? 'the turn failed' : failureText(event.error));
    default:
      event.outcome satisfies never;
      return ended;
  }
}

function failureText({ message, status }: { readonly message: string; readonly status: number | undefined }): string {
  return status === undefined ? message : `${message} (HTTP ${status})`;
}
