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
  readonly stream: LiveStream | undefined;
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

/** Of the block that is being written; `settledChars` of it stand in the scrollback already. */
export interface LiveStream {
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
  stream: undefined,
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
      return { ...view, stream: undefined, inputChars: 0, retry: undefined, ...busyFrom(view, event.at) };
    case 'part':
      return viewAfterPart(view, event);
    case 'block':
      return viewAfterBlock(view, event.block);
    case 'answer-abandoned':
      return addNotice({ ...view, stream: undefined }, 'warn', 'the answer broke off and is asked for again');
    case 'retry': {
      const { attempt, maxRetries, delayMs, error } = event;
      const retry = { attempt, maxRetries, untilMs: event.at.getTime() + delayMs, reason: error.message };
      return { ...view, stream: undefined, retry };
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

function viewAfterPart(view: ViewState, { kind, text }: PartArrived): ViewState {
  if (kind === 'input') return { ...endStream(view), inputChars: view.inputChars + text.length };
  if (kind === 'other') return view;
  const same = view.stream?.kind === kind ? view.stream : undefined;
  const stream = { kind, text: (same?.text ?? '') + text, settledChars: same?.settledChars ?? 0 };
  const base = same === undefined ? endStream(view) : view;
  if (kind === 'thinking' || !text.includes('\n')) return { ...base, stream };
  const open = stream.text.slice(stream.settledChars);
  const { settled } = open.length < settleFromChars ? { settled: '' } : splitSettled(open);
  if (settled.trim() === '') return { ...base, stream };
  const item: Item = { kind: 'answer', text: settled, isContinued: stream.settledChars > 0 };
  return { ...addItem(base, item), stream: { ...stream, settledChars: stream.settledChars + settled.length } };
}

/** The block as it was written is what counts; what the parts gave is only its preview. */
function viewAfterBlock(view: ViewState, block: Block): ViewState {
  const { stream } = view;
  const done = { ...view, stream: undefined };
  if (isText(block)) {
    const shown = stream?.kind === 'text' ? stream.settledChars : 0;
    const rest = block.text.slice(shown);
    return rest.trim() === '' ? done : addItem(done, { kind: 'answer', text: rest, isContinued: shown > 0 });
  }
  if (!isThinking(block)) return view;
  const text = 'thinking' in block && typeof block.thinking === 'string' ? block.thinking.trim() : '';
  return text === '' ? done : addItem(done, { kind: 'thinking', text });
}

/** What was streamed and never finished as a block is still something that was said. */
function endStream(view: ViewState): ViewState {
  const { stream } = view;
  if (stream === undefined) return view;
  const rest = stream.text.slice(stream.settledChars);
  const done = { ...view, stream: undefined };
  if (stream.kind === 'thinking' || rest.trim() === '') return done;
  return addItem(done, { kind: 'answer', text: rest, isContinued: stream.settledChars > 0 });
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
