// The agent as a front end (headless, console) uses it. Events go to the sinks it was opened with; failures of a model,
// a tool or the network never throw.

import type { JsonObject } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import type { Usage } from '../../format/entry/index.ts';
import type { PermissionMode } from './confinement.ts';
import type { EventSink, TurnEnded } from './event.ts';
import type { Approve } from './permission.ts';
import type { Todo, UserAnswer, UserQuestion } from './tool.ts';

/** Options of `openAgent`. */
export interface AgentOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** The `.claude` folder that stores the session. */
  readonly root: string;
  readonly session: SessionChoice;
  readonly model?: string;
  readonly mode?: PermissionMode;
  readonly maxTurns?: number;
  /** A model without a known price is refused. */
  readonly maxBudgetUsd?: number;
  /** For models without a known price, in this run. */
  readonly price?: RunPrice;
  readonly appendSystemPrompt?: string;
  readonly systemPrompt?: string;
  /** Rules in the syntax of settings.json; they precede those of the settings. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly addDirs?: readonly string[];
  readonly mcpConfig?: readonly string[];
  readonly isInteractive: boolean;
  /**
   * Whether the user trusts the folder's hooks, MCP servers, allow rules, variables, skills, commands and agents. With
   * `false` only its instruction files and its deny and ask rules are used.
   */
  readonly isProjectTrusted: boolean;
  /** Writes `progress` entries (seed 003 §12.7), which current clients no longer do. */
  readonly withProgressEntries?: boolean;
  readonly approve: Approve;
  readonly askUser: (question: UserQuestion, signal: AbortSignal) => Promise<UserAnswer | undefined>;
  readonly sinks: readonly EventSink[];
}

/** US dollars per million tokens. */
export interface RunPrice {
  readonly input: number;
  readonly output: number;
}

/** Which session the agent works on: a new one, the latest of the folder, or a named one. */
export type SessionChoice =
  | { readonly kind: 'new'; readonly sessionId?: string }
  | { readonly kind: 'continue'; readonly fork?: { readonly sessionId?: string } }
  /** An id, a prefix of an id, a title or a path. */
  | { readonly kind: 'resume'; readonly session: string; readonly fork?: { readonly sessionId?: string } };

/** A running agent. */
export interface Agent {
  readonly state: AgentState;
  /**
   * While a turn runs, the prompt is queued until the next pause; the promise is that of its own turn. It rejects only if
   * events cannot be delivered: the disk is full, another program wrote to the session, or a sink failed. Everything that
   * the turn started has ended by then, and the session is complete up to that point.
   */
  prompt(content: string | readonly JsonObject[]): Promise<TurnEnded>;
  /** Removes the last queued prompt and returns it, for editing. */
  unqueue(): string | undefined;
  interrupt(): void;
  compact(focus?: string): Promise<void>;
  /** Continues in a new, empty session. */
  clear(): Promise<void>;
  /** Continues in another session. */
  switchTo(choice: SessionChoice): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  setModel(model: string): void;
  rename(title: string): Promise<void>;
  rewindPoints(): Promise<readonly RewindPoint[]>;
  rewind(point: RewindPoint, what: 'chat' | 'files' | 'both'): Promise<RewindReport>;
  /** Ends child processes, hooks and servers, and waits until everything is written. */
  close(reason: 'exit' | 'clear' | 'signal'): Promise<void>;
}

/** What the agent currently works on. */
export interface AgentState {
  readonly sessionId: string;
  readonly file: string;
  readonly title: string | undefined;
  readonly cwd: string;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly isBusy: boolean;
  readonly queued: readonly string[];
  readonly todos: readonly Todo[];
  /** Tokens of the context window that the last request used. */
  readonly contextTokens: number;
  /** `undefined` for an unknown model. */
  readonly contextWindow: number | undefined;
  /** Of this run, with sub-agents. */
  readonly usage: Usage;
  readonly usageByModel: ReadonlyMap<string, Usage>;
  /** Of everything that has a price. */
  readonly costMicros: number;
  /** Tokens that are not in the cost, because their model has no known price. */
  readonly unpricedTokens: number;
  /** `undefined` if no price is known. */
  costMicrosOf(model: string): number | undefined;
  readonly mcpServers: readonly { readonly name: string; readonly status: string; readonly tools: readonly string[] }[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly allowRules: readonly string[];
}

/** A prompt that the session can be rewound to. */
export interface RewindPoint {
  /** The uuid of the prompt's line. */
  readonly uuid: string;
  readonly prompt: string;
  readonly at: Date;
  readonly changedFiles: readonly string[];
}

/** What a rewind restored and removed. */
export interface RewindReport {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  /** Files that could not be restored, with the reason. */
  readonly problems: readonly string[];
  /** The prompt, for the editor. */
  readonly prompt: string;
}
