// The context of a running agent. It is built once when the agent opens and passed to every part of the loop; a
// sub-agent gets a copy with its own conversation.
import type { ModelRequest, StreamModel } from '../../api/client/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import type { ClientHost } from '../../session/resume/messages/index.ts';
import type {
  AgentEnd,
  AgentHooks,
  AgentMark,
  AgentOptions,
  AgentTask,
  Approve,
  AskUser,
  BackgroundTask,
  EmitEvent,
  HookRunner,
  PermissionJudge,
  PermissionMode,
  PermissionUpdate,
  PromptOrigin,
  StopAnswer,
  StructuredOutput,
  TaskView,
  Tool,
  ToolCallView,
  ToolOutcome,
  Workspace,
} from '../contract/index.ts';
import type { AgentDefinition, Section } from '../prompt/index.ts';
import type { OpenSession, PromptKeeper, ThinkingMarks, UsedIds } from '../session/index.ts';
import type { CostMeter } from './cost.ts';
import type { Clock, EventBus } from './event-bus.ts';
import type { RequestWish } from './request-wish.ts';

export interface AgentContext extends ConversationContext {
  readonly options: AgentOptions;
  readonly clock: Clock;
  readonly bus: EventBus;
  readonly meter: CostMeter;
  readonly streamModel: StreamModel;
  readonly maxRetries: number;
  readonly smallModel: string;
  /** What the user wants of thinking, effort and the length of answers. */
  readonly wish: () => RequestWish;
  /** The host that requests are sent to. */
  readonly host: ClientHost;
  readonly judge: PermissionJudge;
  readonly hookRunner: HookRunner;
  /** Asks one question at a time, for sub-agents too. */
  readonly approve: Approve;
  readonly updatePermissions: (updates: readonly PermissionUpdate[]) => Promise<void>;
  readonly askUser: AskUser;
  readonly definitions: readonly AgentDefinition[];
  /** Aborted when the agent closes, not when a turn ends. */
  readonly lifetime: AbortSignal;
  /** Aborted when the session is left or the agent closes. */
  readonly sessionSignal: () => AbortSignal;
  readonly session: () => OpenSession;
  readonly mode: () => PermissionMode;
  /** The date, folder and platform for a sub-agent with this model. */
  readonly describeEnvironment: (model: string) => readonly Section[];
  /** Runs a sub-agent in the background: the model gets its end, and closing the agent waits for it. */
  readonly addBackground: (task: TaskView, work: (stop: AbortSignal) => Promise<AgentEnd>) => void;
  readonly followShell: (task: BackgroundTask) => void;
  /** How long a command in the background may run if its call does not say it. */
  readonly backgroundTimeoutMs?: number;
  /** Names the last prompt of the user for hooks. */
  readonly promptId: () => string | undefined;
  /** The tasks in the background. */
  readonly backgroundTasks: () => readonly TaskView[];
}

/** The part of the context that is different in a sub-agent. */
export interface ConversationContext {
  /** Only in a sub-agent. */
  readonly mark?: AgentMark;
  readonly emit: EmitEvent;
  readonly hooks: AgentHooks;
  readonly limits: TurnLimits;
  /** `undefined` in a sub-agent, whose conversation is too short to be summarised. */
  readonly compaction: TurnCompaction | undefined;
  readonly thinkingNotices: ThinkingNotices;
  readonly workspace: () => Workspace;
  readonly model: () => string;
  /** Used in this order for the rest of a turn if the model is not available. */
  readonly fallbackModels: readonly string[];
  readonly tools: () => readonly Tool[];
  readonly prompt: () => Pick<PromptKeeper, 'current'>;
  /** The environment and instructions that the model has to know. */
  readonly sections: () => Promise<readonly Section[]>;
  readonly messages: (model: string) => ModelRequest['messages'];
  readonly marks: () => ThinkingMarks;
  readonly usedIds: () => UsedIds;
  /** Texts for the model that arrived since the last call and start no turn, such as the output of a late hook. */
  readonly takeNews: () => readonly string[];
  /** Prompts of the user and ends of background tasks that wait, as the model gets them within a turn. */
  readonly takeQueued: (signal: AbortSignal) => Promise<readonly TurnPrompt[]>;
  /** Instructions for the files that a call touched, if the conversation does not have them yet. */
  readonly findInstructions: (view: ToolCallView) => Promise<readonly string[]>;
  /** `undefined` if any answer will do, as in a sub-agent. */
  readonly output: StructuredOutput | undefined;
  /** Called before an answer without calls ends the turn. */
  readonly askStop: (text: string, isActive: boolean, signal: AbortSignal) => Promise<StopAnswer>;
  readonly startAgent: (task: AgentTask, callId: string, signal: AbortSignal) => Promise<ToolOutcome>;
}

export interface TurnPrompt {
  readonly content: string | readonly JsonObject[];
  readonly isMeta: boolean;
  /** Of its line; a new one if absent. */
  readonly uuid?: string;
  /** The running turn gets it between two requests. */
  readonly isSteered?: true;
  readonly origin?: PromptOrigin;
}

export interface TurnLimits {
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
}

export interface TurnCompaction {
  isDue(): boolean;
  /** Resolves to whether the conversation was compacted. */
  run(isTurnOpen: boolean, signal: AbortSignal): Promise<boolean>;
}

/** What the user already knows about thinking, so that each notice appears once. */
export interface ThinkingNotices {
  /** How many answers lost their thinking in the last request. */
  leftOut: number;
  /** The thinking blocks that the API reported. */
  readonly reported: Set<string>;
}
