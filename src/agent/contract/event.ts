// All events of a running agent, as one union. The loop awaits each event and the recorder receives it first: what a
// screen shows or a tool does is already written.
import { randomBytes } from 'node:crypto';
import type { ModelFailure } from '../../api/client/index.ts';
import type { ApiKeySource } from '../../api/connection/index.ts';
import type { JsonObject, JsonValue } from '../../base/json/index.ts';
import type { Effort } from '../../models/index.ts';
import type { PermissionMode } from './confinement.ts';
import type { CallProgress, ShellReport, ToolOutcome } from './tool.ts';

/** One thing that happened in a run of the agent, with its time. */
export type AgentEvent = { readonly at: Date; readonly agent?: AgentMark } & AgentHappening;

/** Marks the events of a sub-agent. It names the sub-agent and the call that started it. */
export interface AgentMark {
  readonly agentId: string;
  readonly parentCallId: string;
}

/** Receives every event of the agent, in order. */
export type EventSink = (event: AgentEvent) => void | Promise<void>;

export type EmitEvent = (happening: AgentHappening) => Promise<void>;

/** The content of an event; `type` is the discriminator. */
export type AgentHappening =
  | SessionOpened
  | PromptGiven
  | PromptFrozen
  | ShellRan
  | RequestSent
  | PartArrived
  | BlockFinished
  | AnswerFinished
  | AnswerAbandoned
  | RetryPlanned
  | ModelSwitched
  | RequestFailed
  | ThinkingStripped
  | ThinkingReported
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
  | TaskStarted
  | TaskProgressed
  | TaskEnded
  | HookRan
  | Notice
  | TurnEnded;

/** The session is open and the agent is ready for a prompt. */
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
  readonly apiKeySource: ApiKeySource;
  /** The messages of a resumed session. */
  readonly messageCount: number;
}

/** A prompt was written to the session as a user line. With `isMeta` it comes from the program, not from the user. */
export interface PromptGiven {
  readonly type: 'prompt';
  readonly uuid: string;
  readonly content: string | readonly JsonObject[];
  readonly isMeta: boolean;
  /** Describes the environment of the agent; a view of the conversation leaves it out. */
  readonly isSituation?: true;
  /** The turn continues because of it, for example the reason of a Stop hook. */
  readonly isFeedback?: true;
  /** The running turn got it between two requests: a prompt that was typed meanwhile, or the end of a task. */
  readonly isSteered?: true;
  /** The end of a background task, in a turn of its own; nobody typed it. */
  readonly origin?: PromptOrigin;
}

/** What a prompt comes from, if the user did not type it. */
export interface PromptOrigin {
  readonly kind: 'task-notification';
  /** The run of the task. */
  readonly runId?: string;
}

/** The user ran a shell command: two user lines, the command and its output. */
export interface ShellRan {
  readonly type: 'shell-ran';
  readonly uuid: string;
  readonly outputUuid: string;
  readonly command: string;
  readonly report: ShellReport;
}

/**
 * The system prompt and the tools that are sent until the conversation is compacted: a private line of the session.
 */
export interface PromptFrozen {
  readonly type: 'prompt-frozen';
  readonly prompt: {
    readonly hash: string;
    readonly system: readonly string[];
    readonly tools: readonly {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: JsonObject;
    }[];
  };
}

/** A request was sent to the model. */
export interface RequestSent {
  readonly type: 'request';
  readonly model: string;
  readonly attempt: number;
}

/** A part of a block arrived from the model; it is for the screen only. `raw` is the event as the API sent it. */
export interface PartArrived {
  readonly type: 'part';
  readonly index: number;
  readonly kind: 'text' | 'thinking' | 'input' | 'other';
  readonly text: string;
  readonly raw: JsonObject;
}

/**
 * A block of an answer is complete: one assistant line. The last block is emitted when the answer ends, with the final
 * usage.
 */
export interface BlockFinished {
  readonly type: 'block';
  readonly uuid: string;
  readonly message: AnswerHead;
  readonly block: JsonObject;
  readonly stopReason: string | null;
  readonly usage: JsonObject;
  /** The number of the block in the answer, as the API counts. */
  readonly index?: number;
  /** From the start of the block to its end. */
  readonly streamMs?: number;
  /** The user interrupted the answer inside this block. */
  readonly isAborted?: true;
}

/** Names the message that an answer belongs to. */
export interface AnswerHead {
  readonly id: string;
  readonly model: string;
  readonly requestId: string | undefined;
  /** The model that was requested; the answer may come from another one. */
  readonly requestedModel?: string;
  /** What the request asked for. */
  readonly effort?: Effort;
  /** Hashes of the request: the API accepts the thinking of the answer only after the same content. */
  readonly prefix?: { readonly prompt: string; readonly messages: string; readonly thinking: string | null };
}

/** An answer of the model is complete. */
export interface AnswerFinished {
  readonly type: 'answer';
  readonly message: AnswerHead;
  readonly stopReason: string | null;
  readonly usage: JsonObject;
  readonly durationMs: number;
}

/**
 * An answer broke off and the request is sent again. The lines that are already written become a dead branch.
 */
export interface AnswerAbandoned {
  readonly type: 'answer-abandoned';
  readonly message: AnswerHead;
}

/** A request failed and will be sent again: a `system/api_error` line. */
export interface RetryPlanned {
  readonly type: 'retry';
  readonly uuid: string;
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
  readonly error: ModelFailure;
}

/** The rest of the turn uses a fallback model: a `system/model_fallback` line. */
export interface ModelSwitched {
  readonly type: 'model-switched';
  readonly uuid: string;
  readonly trigger: 'overloaded' | 'server_error' | 'model_not_found' | 'last_resort';
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/**
 * A request failed and is not sent again: an assistant line with `isApiErrorMessage`, which no client sends to the API.
 */
export interface RequestFailed {
  readonly type: 'request-failed';
  readonly uuid: string;
  readonly error: ModelFailure;
}

/**
 * The API refused the thinking in a request and accepted the request without it: a `thinking_stripped` line. No client
 * sends the thinking before that line.
 */
export interface ThinkingStripped {
  readonly type: 'thinking-stripped';
  readonly uuid: string;
  /** The message of the API. */
  readonly why: string;
}

/** The API hid some thinking of the request from the model: a private line of the session. */
export interface ThinkingReported {
  readonly type: 'thinking-reported';
  readonly message: AnswerHead;
  readonly entries: readonly { readonly type: string; readonly path: string; readonly reason: string }[];
}

/** A tool call of the model: its id, the tool's name and its input. */
export interface ToolCallView {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** A tool call starts. */
export interface CallStarted {
  readonly type: 'call';
  readonly call: ToolCallView;
}

/** A running tool call reports progress. */
export interface CallProgressed {
  readonly type: 'call-progress';
  readonly callId: string;
  readonly progress: CallProgress;
}

/** A tool call has its result: a user line with one tool_result, in the order of the calls. */
export interface CallFinished {
  readonly type: 'result';
  readonly uuid: string;
  readonly call: ToolCallView;
  /** The line of the call. */
  readonly callUuid: string;
  readonly outcome: ToolOutcome;
  /** Why the call did not run. */
  readonly refused?: 'permission' | 'hook' | 'interrupted' | 'input';
  /** Who decided about the call; absent if nobody did. */
  readonly permission?: PermissionFact;
}

/** Who decided that a call may run, in the words of Claude Code. */
export interface PermissionFact {
  readonly decision: 'accept' | 'reject';
  /** `config`: a rule or the mode; `user_permanent`: the user, from now on. */
  readonly source: 'config' | 'hook' | 'user_temporary' | 'user_permanent' | 'user_reject';
  readonly reasonType?: 'hook' | 'mode';
  readonly grantScope?: 'once' | 'session';
}

/**
 * A file was copied before its first change since the last prompt, so that a rewind can restore it: a
 * `file-history-snapshot` line.
 */
export interface FileKept {
  readonly type: 'file-kept';
  readonly file: string;
  /** `undefined`: the file did not exist. */
  readonly backupName: string | undefined;
  readonly version: number;
}

/** The turn was interrupted: a user line, written after every open call has its result. */
export interface Interrupted {
  readonly type: 'interrupted';
  readonly uuid: string;
  readonly during: 'text' | 'tool';
}

/** The conversation is about to be compacted. */
export interface Compacting {
  readonly type: 'compacting';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number;
}

/**
 * The conversation was compacted: a `compact_boundary` line and its summary. With `problem` the summary failed and
 * nothing changed.
 */
export interface Compacted {
  readonly type: 'compacted';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number;
  readonly result:
    | { readonly boundaryUuid: string; readonly summaryUuid: string; readonly summary: string }
    | { readonly problem: string };
}

/** A prompt was queued while a turn was running, or the end of a background task waits for a pause. */
export interface PromptQueued {
  readonly type: 'queued';
  readonly text: string;
  /** Nobody typed it. */
  readonly isNotice?: true;
}

/**
 * A prompt or notice left the queue. `dequeue`: its turn starts; `steer`: the running turn gets it between two requests;
 * `remove`: the user took it back.
 */
export interface PromptTaken {
  readonly type: 'unqueued';
  readonly operation: 'dequeue' | 'steer' | 'remove';
  readonly text: string;
  readonly isNotice?: true;
}

/** The permission mode changed. */
export interface ModeChanged {
  readonly type: 'mode';
  readonly mode: PermissionMode;
}

/** A sub-agent starts. */
export interface AgentStarted {
  readonly type: 'agent-started';
  readonly agentId: string;
  readonly parentCallId: string;
  readonly agentType: string;
  readonly description: string;
  readonly isBuiltIn?: boolean;
  readonly isBackground?: boolean;
}

/** A sub-agent has ended. */
export interface AgentFinished {
  readonly type: 'agent-finished';
  readonly agentId: string;
  readonly parentCallId: string;
  readonly outcome: ToolOutcome;
}

/** Work that runs next to the conversation: a command or a sub-agent. */
export interface TaskView {
  readonly id: string;
  /** Names this run of the task; runs sort in the order of their start. */
  readonly runId: string;
  readonly kind: 'shell' | 'agent';
  /** The call that started it. */
  readonly callId: string;
  readonly description: string;
  /** `false`: the call waits for it. */
  readonly isBackground: boolean;
  readonly outputFile: string;
  /** Of a command. */
  readonly command?: string;
  /** Of a sub-agent. */
  readonly agentType?: string;
  readonly prompt?: string;
}

/** What a sub-agent has used so far. */
export interface TaskUsage {
  readonly totalTokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
}

/** How a sub-agent ended. */
export interface AgentEnd {
  readonly status: 'completed' | 'failed' | 'killed';
  /** Its report, or why it failed. */
  readonly report: string;
  readonly usage: TaskUsage;
}

/** Runs sort as text in the order of their start. */
export function newRunId(): string {
  return `${Date.now().toString(36).padStart(9, '0')}-${randomBytes(4).toString('hex')}`;
}

/** A command or a sub-agent started. */
export interface TaskStarted {
  readonly type: 'task-started';
  readonly task: TaskView;
  /** All tasks in the background, with this one. */
  readonly running: readonly TaskView[];
}

/** A sub-agent calls a tool. */
export interface TaskProgressed {
  readonly type: 'task-progress';
  readonly task: TaskView;
  readonly tool: string;
  /** What the call does, in one line. */
  readonly text: string;
  readonly usage: TaskUsage;
}

/** A command or a sub-agent has ended. */
export interface TaskEnded {
  readonly type: 'task-ended';
  readonly task: TaskView;
  readonly status: 'completed' | 'failed' | 'killed';
  /** One line for the user. */
  readonly summary: string;
  readonly error?: string;
  readonly usage?: TaskUsage;
  /** The tasks that are still in the background. */
  readonly running: readonly TaskView[];
}

/** A hook ran. */
export interface HookRan {
  readonly type: 'hook';
  readonly event: string;
  readonly command: string;
  readonly callId?: string;
  readonly message?: string;
}

/** A message for the user, never for the model; it is not written to the session. */
export interface Notice {
  readonly type: 'notice';
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
  /** A hook says it. */
  readonly isOfHook?: true;
}

/** A turn has ended: its outcome, final text, usage and cost. */
export interface TurnEnded {
  readonly type: 'turn-end';
  readonly outcome:
    | 'success'
    | 'interrupted'
    | 'error_max_turns'
    | 'error_during_execution'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries';
  readonly durationMs: number;
  readonly apiDurationMs: number;
  /** Set if no user started the turn. */
  readonly origin?: PromptOrigin;
  /** Requests that were answered. */
  readonly rounds: number;
  /** The text of the last answer. */
  readonly text: string;
  readonly error?: ModelFailure;
  /** A hook answered `continue: false`: one of a call, or one that was asked whether the turn may end. */
  readonly isStoppedByHook?: 'in-calls' | 'at-end';
  /** The answer that matches `outputSchema`. */
  readonly output?: JsonObject;
  readonly denials: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: JsonValue;
  }[];
}
