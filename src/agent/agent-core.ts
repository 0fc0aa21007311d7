// What the conversation of a session and those of its sub-agents have in common: the model, the rules, the hooks, the
// meter, and where events go.
import type { ClientHost } from '../session/resume/model.ts';
import type { AgentHooks } from './agent-hooks.ts';
import type { Clock } from './clock.ts';
import type { Section } from './context/situation.ts';
import type { CostMeter } from './cost-meter.ts';
import type { EventBus } from './event-bus.ts';
import type { Approve, HookRunner, PermissionJudge, StreamModel } from './parts.ts';
import type { PermissionMode } from './permission-mode.ts';
import type { OpenSession } from './session/open-session.ts';
import type { PersonAnswer, PersonQuestion, Tool, Workspace } from './tool.ts';

/** A kind of sub-agent. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly model?: string;
  readonly prompt: string;
}

export interface AgentCore {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly bus: EventBus;
  readonly meter: CostMeter;
  readonly streamModel: StreamModel;
  readonly maxRetries: number;
  readonly judge: PermissionJudge;
  readonly hookRunner: HookRunner;
  /** Of the main conversation. */
  readonly hooks: AgentHooks;
  /** One question at a time, whoever asks. */
  readonly approve: Approve;
  readonly askPerson: (question: PersonQuestion, signal: AbortSignal) => Promise<PersonAnswer | undefined>;
  readonly definitions: readonly AgentDefinition[];
  readonly budgetUsd: number | undefined;
  readonly thinkingTokens: number | undefined;
  readonly smallModel: string;
  /** Where requests go. */
  readonly host: ClientHost;
  /** These may change while it runs. */
  session(): OpenSession;
  workspace(): Workspace;
  mode(): PermissionMode;
  model(): string;
  tools(): readonly Tool[];
  /** Where and when it runs, for a sub-agent with this model. */
  environment(model: string): readonly Section[];
  /** Ended when the agent is closed, not when a turn is. */
  readonly lifetime: AbortSignal;
  /** A task in the background has ended: the model is told at the next pause. */
  addNews(text: string): void;
  /** Waited for when the agent is closed. */
  addBackground(task: Promise<unknown>): void;
}
