// The finished items of a conversation, as data. item-lines.ts renders them once, into the scrollback.
import type {
  AgentEvent,
  ContextUsage,
  ShellReport,
  ToolCallView,
  ToolOutcome,
} from '../../../agent/contract/index.ts';
import { oneLine } from '../../../base/text/index.ts';
import { readUsage } from '../../../format/entry/index.ts';
import { summariseInput } from '../../../session/calls/index.ts';

export type Item =
  | { readonly kind: 'prompt'; readonly text: string }
  /** A shell command of the user. */
  | { readonly kind: 'shell'; readonly command: string; readonly report: ShellReport }
  /** Typed for the console, not for the model. */
  | { readonly kind: 'command'; readonly text: string }
  /** Text of the model. A long one is split into several items, of which only the first has a mark. */
  | { readonly kind: 'answer'; readonly text: string; readonly isContinued: boolean }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'plan'; readonly text: string }
  | CallItem
  | { readonly kind: 'notice'; readonly level: NoticeLevel; readonly text: string }
  /** A short message of the program: the end of a turn, a compaction. */
  | { readonly kind: 'note'; readonly text: string }
  /** The output of a console command, as Markdown. */
  | { readonly kind: 'page'; readonly title: string; readonly text: string }
  | { readonly kind: 'context'; readonly usage: ContextUsage }
  /** Lines that are safe and styled already. */
  | { readonly kind: 'lines'; readonly lines: readonly string[] };

export type NoticeLevel = 'info' | 'warn' | 'error';

export interface CallItem {
  readonly kind: 'call';
  readonly call: ToolCallView;
  readonly outcome: ToolOutcome;
  readonly refused?: 'permission' | 'hook' | 'interrupted' | 'input';
  readonly agents: readonly AgentWork[];
  readonly durationMs: number;
}

/** The totals of a sub-agent. */
export interface AgentWork {
  readonly agentId: string;
  readonly parentCallId: string;
  readonly agentType: string;
  readonly description: string;
  readonly startedMs: number;
  readonly endedMs?: number;
  readonly isFailed?: boolean;
  readonly calls: number;
  readonly tokens: number;
  /** Its current step, in one line. */
  readonly doing: string;
}

export function agentsAfter(agents: readonly AgentWork[], event: AgentEvent): readonly AgentWork[] {
  if (event.type === 'agent-started') {
    const { agentId, parentCallId, agentType, description, at } = event;
    const started = { agentId, parentCallId, agentType, description, startedMs: at.getTime() };
    return [...agents, { ...started, calls: 0, tokens: 0, doing: 'starting' }];
  }
  if (event.type === 'agent-finished') {
    const end = { endedMs: event.at.getTime(), isFailed: event.outcome.isError, doing: '' };
    return agents.map((agent) => (agent.agentId === event.agentId ? { ...agent, ...end } : agent));
  }
  const id = event.agent?.agentId;
  return id === undefined ? agents : agents.map((agent) => (agent.agentId === id ? workAfter(agent, event) : agent));
}

/** Longer than any screen is wide. */
const longestDoing = 200;

function workAfter(work: AgentWork, event: AgentEvent): AgentWork {
  switch (event.type) {
    case 'call': {
      const { name, input } = event.call;
      return { ...work, calls: work.calls + 1, doing: oneLine(`${name} ${summariseInput(name, input)}`, longestDoing) };
    }
    case 'request':
      return { ...work, doing: 'thinking' };
    case 'retry':
      return { ...work, doing: oneLine(`waiting to retry: ${event.error.message}`, longestDoing) };
    case 'part':
      return event.kind === 'text' && work.doing !== 'writing' ? { ...work, doing: 'writing' } : work;
    case 'answer': {
      const usage = readUsage(event.usage);
      return { ...work, tokens: work.tokens + (usage?.outputTokens ?? 0) };
    }
    default:
      return work;
  }
}

/** A prompt as it was typed. The agent may have joined several prompts that waited. */
export function foldPrompt(text: string, folded: ReadonlyMap<string, string>): string {
  return [...folded].reduce((shown, [whole, typed]) => shown.replace(whole, () => typed), text);
}

export interface SplitText {
  readonly settled: string;
  readonly rest: string;
}

/** Cuts before the last block that starts at the margin after a blank line, outside of fenced code. */
export function splitSettled(text: string): SplitText {
  let fence: string | undefined;
  let isAfterBlank = false;
  let cut = 0;
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    // An unfinished line may still change its meaning.
    if (end < 0) break;
    const line = text.slice(start, end);
    if (fence === undefined && isAfterBlank && startsBlock(line)) cut = start;
    fence = fenceAfter(fence, line);
    isAfterBlank = line.trim() === '';
    start = end + 1;
  }
  return { settled: text.slice(0, cut), rest: text.slice(cut) };
}

/** Indented lines, list items and quotes may belong to the text above the blank line. */
function startsBlock(line: string): boolean {
  return line.trim() !== '' && !/^(?:[ \t]|[-*+>] |[-*+]$|\d{1,9}[.)](?: |$)|\|)/.test(line);
}

function fenceAfter(open: string | undefined, line: string): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (mark === null) return open;
  const [, ticks = '', info = ''] = mark;
  if (open === undefined) return ticks;
  const closes = ticks[0] === open[0] && ticks.length >= open.length && info.trim() === '';
  return closes ? undefined : open;
}
