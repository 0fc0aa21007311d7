// Everything that happens in a session while the agent works, as one union. The loop awaits each event, and the recorder
// hears it first: what a screen shows or a tool does has already been written.
import type { ModelFailure } from '../api/client/model.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { PermissionMode } from './permission-mode.ts';
import type { CallProgress, ToolOutcome } from './tool.ts';

export type AgentEvent = { readonly at: Date; readonly agent?: AgentMark } & AgentHappening;

/** On events of a sub-agent: whose they are, and which call of the conversation above started it. */
export interface AgentMark {
  readonly agentId: string;
  readonly parentCallId: string;
}

export type EmitEvent = (happening: AgentHappening) => Promise<void>;

export type AgentHappening =
  | SessionOpened
  | PromptGiven
  | RequestSent
  | PartArrived
  | BlockFinished
  | AnswerFinished
  | AnswerAbandoned
  | RetryPlanned
  | RequestFailed
  | CallStarted
  | CallProgressed
  | CallFinished
  | FileKept
  | Interrupted
  | Compacting
  | Compacted
  | PromptQueued
  | PromptTaken
  | ModeChanged
  | AgentStarted
  | AgentFinished
  | HookRan
  | Notice
  | TurnEnded;

export interface SessionOpened {
  readonly type: 'session-opened';
  readonly sessionId: string;
  readonly file: string;
  readonly cwd: string;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly tools: readonly string[];
  readonly mcpServers: readonly { readonly name: string; readonly status: string }[];
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  /** Messages a resumed session brings along. */
  readonly messageCount: number;
}

/** A user line. `isMeta`: said by the program for the model, not by a person. */
export interface PromptGiven {
  readonly type: 'prompt';
  readonly uuid: string;
  readonly content: string | readonly JsonObject[];
  readonly isMeta: boolean;
}

export interface RequestSent {
  readonly type: 'request';
  readonly model: string;
  readonly attempt: number;
}

/** A piece of a block that is not finished: for the screen only. `raw` is the event as the API sent it. */
export interface PartArrived {
  readonly type: 'part';
  readonly index: number;
  readonly kind: 'text' | 'thinking' | 'input' | 'other';
  readonly text: string;
  readonly raw: JsonObject;
}

/** One assistant line. The last block of an answer is held until its end is known, so that it carries the final usage. */
export interface BlockFinished {
  readonly type: 'block';
  readonly uuid: string;
  readonly message: AnswerHead;
  readonly block: JsonObject;
  readonly stopReason: string | null;
  readonly usage: JsonObject;
}

export interface AnswerHead {
  readonly id: string;
  readonly model: string;
  readonly requestId: string | undefined;
}

export interface AnswerFinished {
  readonly type: 'answer';
  readonly message: AnswerHead;
  readonly stopReason: string | null;
  readonly usage: JsonObject;
  readonly durationMs: number;
}

/** The stream broke off and the request is sent again: lines already written of this message become a dead branch. */
export interface AnswerAbandoned {
  readonly type: 'answer-abandoned';
  readonly message: AnswerHead;
}

/** A `system/api_error` line. */
export interface RetryPlanned {
  readonly type: 'retry';
  readonly uuid: string;
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
  readonly error: ModelFailure;
}

/** No more retries: an assistant line with `isApiErrorMessage`, which no client sends to the API. */
export interface RequestFailed {
  readonly type: 'request-failed';
  readonly uuid: string;
  readonly error: ModelFailure;
}

export type { ModelFailure } from '../api/client/model.ts';

export interface ToolCallView {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export interface CallStarted {
  readonly type: 'call';
  readonly call: ToolCallView;
}

export interface CallProgressed {
  readonly type: 'call-progress';
  readonly callId: string;
  readonly progress: CallProgress;
}

/** A user line with one tool_result, in the order of the calls. */
export interface CallFinished {
  readonly type: 'result';
  readonly uuid: string;
  readonly call: ToolCallView;
  /** The line that made the call. */
  readonly callUuid: string;
  readonly outcome: ToolOutcome;
  /** Why it never ran, where it did not. */
  readonly refused?: 'permission' | 'hook' | 'interrupted' | 'input';
}

/** The content of a file before its first change since the last prompt: a `file-history-snapshot` line. */
export interface FileKept {
  readonly type: 'file-kept';
  readonly file: string;
  /** `undefined`: the file did not exist. */
  readonly backupName: string | undefined;
  readonly version: number;
}

/** A user line that says so, after every open call has its result. */
export interface Interrupted {
  readonly type: 'interrupted';
  readonly uuid: string;
  readonly during: 'text' | 'tool';
}

export interface Compacting {
  readonly type: 'compacting';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number;
}

/** A `compact_boundary` line and its summary; `problem` where the summary failed and nothing was changed. */
export interface Compacted {
  readonly type: 'compacted';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number;
  readonly result:
    | { readonly boundaryUuid: string; readonly summaryUuid: string; readonly summary: string }
    | { readonly problem: string };
}

export interface PromptQueued {
  readonly type: 'queued';
  readonly text: string;
}

/** `dequeue`: it becomes a prompt now; `remove`: it was taken back. */
export interface PromptTaken {
  readonly type: 'unqueued';
  readonly operation: 'dequeue' | 'remove';
  readonly text: string;
}

export interface ModeChanged {
  readonly type: 'mode';
  readonly mode: PermissionMode;
}

export interface AgentStarted {
  readonly type: 'agent-started';
  readonly agentId: string;
  readonly parentCallId: string;
  readonly agentType: string;
  readonly description: string;
}

export interface AgentFinished {
  readonly type: 'agent-finished';
  readonly agentId: string;
  readonly parentCallId: string;
  readonly outcome: ToolOutcome;
}

export interface HookRan {
  readonly type: 'hook';
  readonly event: string;
  readonly command: string;
  readonly callId?: string;
  readonly message?: string;
}

/** For the person, never for the model, never written. */
export interface Notice {
  readonly type: 'notice';
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface TurnEnded {
  readonly type: 'turn-end';
  readonly outcome: 'success' | 'interrupted' | 'error_max_turns' | 'error_during_execution' | 'error_max_budget_usd';
  readonly durationMs: number;
  readonly apiDurationMs: number;
  /** Requests that were answered. */
  readonly rounds: number;
  /** The text of the last answer. */
  readonly text: string;
  readonly error?: ModelFailure;
  readonly denials: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: JsonValue;
  }[];
}
