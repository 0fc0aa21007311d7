// What the loop is given: each part as a value with its one job, so that a test passes a small one of its own.
import type { JsonObject } from '../base/json.ts';
import type { Confinement } from './confinement.ts';
import type { AgentEvent, ToolCallView } from './event.ts';
import type { PermissionMode } from './permission-mode.ts';

export type { ModelEvent, ModelRequest, StreamModel } from '../api/client/model.ts';

export type Decision =
  /** `confinement`: how a command runs; `open` if absent. */
  | { readonly kind: 'allow'; readonly why: string; readonly confinement?: Confinement }
  | { readonly kind: 'deny'; readonly why: string }
  | {
      readonly kind: 'ask';
      readonly why: string;
      readonly always: readonly RuleOffer[];
      readonly confinement?: Confinement;
    };

/** A permission rule that would allow a call from now on. */
export interface RuleOffer {
  readonly rule: string;
  readonly scope: 'session' | 'local';
}

export interface PermissionJudge {
  judge(
    call: ToolCallView,
    where: { readonly mode: PermissionMode; readonly cwd: string; readonly isReadOnly: boolean },
  ): Decision;
  /** From "always": kept in memory, and for `local` in `.claude/settings.local.json`. */
  addRule(offer: RuleOffer): Promise<void>;
}

/** Decides whether a tool call may run when the permission rules leave it open. */
export type Approve = (request: {
  readonly call: ToolCallView;
  readonly why: string;
  readonly always: readonly RuleOffer[];
  readonly agentId?: string;
  readonly signal: AbortSignal;
}) => Promise<Approval>;

/** The decision about a tool call. */
export type Approval =
  | { readonly kind: 'allow'; readonly input?: JsonObject; readonly always?: RuleOffer }
  | { readonly kind: 'deny'; readonly message: string; readonly isInterrupt: boolean };

export type HookName =
  | 'PreToolUse'
  | 'PostToolUse'
  | 'UserPromptSubmit'
  | 'Stop'
  | 'SubagentStop'
  | 'SessionStart'
  | 'SessionEnd'
  | 'PreCompact'
  | 'Notification';

export interface HookVerdict {
  /** Exit code 2 or `decision: "block"`: what the model, or for a prompt the person, is told. */
  readonly blocked?: string;
  readonly permission?: { readonly decision: 'allow' | 'deny' | 'ask'; readonly reason: string };
  readonly updatedInput?: JsonObject;
  readonly context: readonly string[];
  readonly messages: readonly string[];
  /** `continue: false`. */
  readonly stop?: string;
}

export interface HookRunner {
  /** `subject` is what a matcher is compared with: the tool's name, the start's source, the compaction's trigger. */
  run(name: HookName, subject: string, input: JsonObject, signal: AbortSignal): Promise<HookVerdict>;
  has(name: HookName): boolean;
}

/** Receives every event of the agent, in order. */
export type EventSink = (event: AgentEvent) => void | Promise<void>;
