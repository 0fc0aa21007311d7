// What is finished and goes to the scrollback, once: the things a conversation is made of, as data. How they look is
// item-lines.ts.
import type { ToolCallView } from '../../agent/event.ts';
import type { ToolOutcome } from '../../agent/tool.ts';

export type Item =
  | { readonly kind: 'prompt'; readonly text: string }
  /** Typed for the console, not for the model. */
  | { readonly kind: 'command'; readonly text: string }
  /** Text of the model; a long one comes in several pieces, of which only the first begins with a mark. */
  | { readonly kind: 'answer'; readonly text: string; readonly isContinued: boolean }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'plan'; readonly text: string }
  | CallItem
  | { readonly kind: 'notice'; readonly level: NoticeLevel; readonly text: string }
  /** Said by the program in passing: the end of a turn, a compaction. */
  | { readonly kind: 'note'; readonly text: string }
  /** What a command of the console answers, as Markdown. */
  | { readonly kind: 'page'; readonly title: string; readonly text: string }
  /** Lines that are safe and painted already. */
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

/** What a sub-agent has done so far. */
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
  /** What it does now, in one line. */
  readonly doing: string;
}
