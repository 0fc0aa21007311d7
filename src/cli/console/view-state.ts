// Events of the agent → what the screen shows: items that are finished, in order, and the little that is still moving.
// A pure reducer: tests play scripts of events through it, and the components only draw what it says.
import type { AgentEvent, CallFinished, PartArrived, ToolCallView, TurnEnded } from '../../agent/event.ts';
import type { CallProgress } from '../../agent/tool.ts';
import { counted, formatDuration, formatTokens } from '../../base/human.ts';
import { type Block, blocksOf, isText, isThinking } from '../../format/block.ts';
import { promptText } from '../../session/prompt-text.ts';
import { agentsAfter } from './agent-work.ts';
import type { AgentWork, Item, NoticeLevel } from './item.ts';
import { splitSettled } from './settled-text.ts';

export interface ViewState {
  /** Only ever grows at its end. */
  readonly finished: readonly Item[];
  /** The blocks of an answer that are being written, or wait for their line to be written, in order. */
  readonly streams: readonly LiveStream[];
  readonly calls: readonly LiveCall[];
  readonly agents: readonly AgentWork[];
  readonly retry: LiveRetry | undefined;
  readonly isCompacting: boolean;
  readonly busySinceMs: number | undefined;
  /** Characters of a tool's input that came so far. */
  readonly inputChars: number;
  /** Whether the trouble of this turn was told already. */
  readonly isFailureTold: boolean;
}

/** `settledChars` of it stand in the scrollback already. */
export interface LiveStream {
  /** Which block of the answer it is. */
  readonly index: number;
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  readonly settledChars: number;
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
  isFailureTold: false,
};

export function viewAfter(before: ViewState, event: AgentEvent): ViewState {
  const view = { ...before, agents: agentsAfter(before.agents, event) };
  // What a sub-agent says and does is told by the line of its call.
  if (event.agent !== undefined) return view;
  switch (event.type) {
    case 'prompt': {
      const text = event.isMeta ? '' : promptText(blocksOf(event.content)).trim();
      return text === '' ? view : addItem({ ...view, busySinceMs: event.at.getTime() }, { kind: 'prompt', text });
    }
    case 'request':
      return { ...view, streams: [], inputChars: 0, retry: undefined, ...busyFrom(view, event.at) };
    case 'part':
      return viewAfterPart(view, event);
    case 'block':
      return viewAfterBlock(view, event.block);
    case 'answer-abandoned':
      return addNotice({ ...view, streams: [] }, 'warn', 'the answer broke off and is asked for again');
    case 'retry': {
      const { attempt, maxRetries, delayMs, error } = event;
      const retry = { attempt, maxRetries, untilMs: event.at.getTime() + delayMs, reason: error.message };
      return { ...view, streams: [], retry };
    }
    case 'request-failed':
      return addNotice(
        { ...endStream(view), retry: undefined, isFailureTold: true },
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
    case 'answer':
    case 'prompt-frozen':
    case 'thinking-stripped':
    case 'thinking-reported':
    case 'session-opened':
    case 'file-kept':
    case 'queued':
    case 'unqueued':
    case 'mode':
    case 'agent-started':
    case 'agent-finished':
      return view;
    default:
      event satisfies never;
      return view;
  }
}

export function addItem(view: ViewState, item: Item): ViewState {
  return { ...view, finished: [...view.finished, item] };
}

export function addNotice(view: ViewState, level: NoticeLevel, text: string): ViewState {
  return addItem(view, { kind: 'notice', level, text });
}

/** So much is held back before it goes to the scrollback: short answers are drawn in one piece. */
const settleFromChars = 600;

function viewAfterPart(view: ViewState, { kind, text, index }: PartArrived): ViewState {
  if (kind === 'input') return { ...view, inputChars: view.inputChars + text.length };
  if (kind === 'other') return view;
  const before = view.streams.find((stream) => stream.index === index);
  const stream = before ?? { index, kind, text: '', settledChars: 0 };
  const grown = { ...stream, text: stream.text + text };
  const streams =
    before === undefined ? [...view.streams, grown] : view.streams.map((each) => (each === before ? grown : each));
  return text.includes('\n') ? settleStream({ ...view, streams }) : { ...view, streams };
}

/** Only the first may go to the scrollback: what follows it must stay below it. */
function settleStream(view: ViewState): ViewState {
  const [stream, ...others] = view.streams;
  if (stream?.kind !== 'text') return view;
  const open = stream.text.slice(stream.settledChars);
  const { settled } = open.length < settleFromChars ? { settled: '' } : splitSettled(open);
  if (settled.trim() === '') return view;
  const streams = [{ ...stream, settledChars: stream.settledChars + settled.length }, ...others];
  return addItem({ ...view, streams }, answerItem(stream, settled));
}

/** The block as it was written is what counts; what the parts gave is only its preview. */
function viewAfterBlock(view: ViewState, block: Block): ViewState {
  const kind = isText(block) ? 'text' : isThinking(block) ? 'thinking' : undefined;
  if (kind === undefined) return view;
  const at = view.streams.findIndex((stream) => stream.kind === kind);
  const stream = view.streams[at] ?? { index: 0, kind, text: '', settledChars: 0 };
  const done = { ...view, streams: view.streams.filter((_, i) => i !== at) };
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

/** What was streamed and never finished as a block is still something that was said. */
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
      `the conversation could not be compacted, nothing was changed: ${event.result.problem}`,
    );
  }
  const why = event.trigger === 'auto' ? ' because the window was nearly full' : '';
  return addItem(done, {
    kind: 'note',
    text: `conversation compacted from ${formatTokens(event.preTokens)} tokens${why}; the original stays in the file`,
  });
}

/** A turn shorter than this needs no line that says how long it took. */
const tellTurnFromMs = 5000;

function viewAfterTurn(view: ViewState, event: TurnEnded): ViewState {
  const ended: ViewState = {
    ...endStream(view),
    calls: [],
    agents: [],
    retry: undefined,
    isCompacting: false,
    busySinceMs: undefined,
    inputChars: 0,
    isFailureTold: false,
  };
  switch (event.outcome) {
    case 'success':
      if (event.durationMs < tellTurnFromMs) return ended;
      return addItem(ended, {
        kind: 'note',
        text: `took ${formatDuration(event.durationMs)}, ${counted(event.rounds, 'request')}`,
      });
    case 'interrupted':
      return ended;
    case 'error_max_turns':
      return addNotice(
        ended,
        'warn',
        `stopped after ${counted(event.rounds, 'request')}, the most that --max-turns allows`,
      );
    case 'error_max_budget_usd':
      return addNotice(ended, 'warn', 'stopped: the budget of --max-budget-usd is used up');
    case 'error_during_execution':
      if (view.isFailureTold) return ended;
      return addNotice(ended, 'error', event.error === undefined ? 'the turn failed' : failureText(event.error));
    default:
      event.outcome satisfies never;
      return ended;
  }
}

function failureText({ message, status }: { readonly message: string; readonly status: number | undefined }): string {
  return status === undefined ? message : `${message} (HTTP ${status})`;
}

function busyFrom(view: ViewState, at: Date): Pick<ViewState, 'busySinceMs'> {
  return { busySinceMs: view.busySinceMs ?? at.getTime() };
}
