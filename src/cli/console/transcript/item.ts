// The finished items of a conversation, as data. item-lines.ts renders them once, into the scrollback.
import type { ToolCallView } from '../../../agent/contract/event.ts';
import type { ToolOutcome } from '../../../agent/contract/tool.ts';

export type Item =
  | { readonly kind: 'prompt'; readonly text: string }
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
