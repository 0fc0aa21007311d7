// What a front end (headless, console) holds of a running agent. Events go out through the sinks it was opened with;
// nothing here throws for what a model, a tool or the network did.

import type { JsonObject } from '../base/json.ts';
import type { Environment } from '../base/node-types.ts';
import type { Usage } from '../format/usage.ts';
import type { EventSink, TurnEnded } from './event.ts';
import type { Approve } from './parts.ts';
import type { PermissionMode } from './permission-mode.ts';
import type { PersonAnswer, PersonQuestion, Todo } from './tool.ts';

/** Options of `openAgent`. */
export interface AgentOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** The `.claude` folder the session is kept in. */
  readonly root: string;
  readonly session: SessionChoice;
  readonly model?: string;
  readonly mode?: PermissionMode;
  readonly maxTurns?: number;
  /** Refused for a model without a known price. */
  readonly maxBudgetUsd?: number;
  /** Of models without a known price, in this run. */
  readonly price?: RunPrice;
  readonly appendSystemPrompt?: string;
  readonly systemPrompt?: string;
  /** Rules in the syntax of settings.json, before those of the settings. */
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly addDirs?: readonly string[];
  readonly mcpConfig?: readonly string[];
  readonly isInteractive: boolean;
  /**
   * Whether a person accepted what the folder brings: hooks, MCP servers, allow rules, variables, skills, commands and
   * agents. With `false` only its instruction files and its deny and ask rules are taken.
   */
  readonly isProjectTrusted: boolean;
  /** `progress` entries are written only on request (seed 003 §12.7; the clients of today do not). */
  readonly withProgressEntries?: boolean;
  readonly approve: Approve;
  readonly askPerson: (question: PersonQuestion, signal: AbortSignal) => Promise<PersonAnswer | undefined>;
  readonly sinks: readonly EventSink[];
}

/** Dollars for a million tokens. */
export interface RunPrice {
  readonly input: number;
  readonly output: number;
}

/** Which session the agent works on: a new one, the latest of the folder, or a named one. */
export type SessionChoice =
  | { readonly kind: 'new'; readonly sessionId?: string }
  | { readonly kind: 'continue'; readonly fork?: { readonly sessionId?: string } }
  /** An id, a prefix of one, a title or a path. */
  | { readonly kind: 'resume'; readonly session: string; readonly fork?: { readonly sessionId?: string } };

/** A running agent. */
export interface Agent {
  readonly state: AgentState;
  /**
   * While a turn runs, the prompt is queued and taken at the next pause; the promise is that of its own turn. It rejects
   * only where events cannot be told: the disk is full, somebody else has written to the session, a sink failed. What the
   * turn had started has ended then, and the session is whole up to there.
   */
  prompt(content: string | readonly JsonObject[]): Promise<TurnEnded>;
  /** Takes the last queued prompt back, for editing. */
  unqueue(): string | undefined;
  interrupt(): void;
  compact(focus?: string): Promise<void>;
  /** Goes on in a new, empty session. */
  clear(): Promise<void>;
  /** Goes on in another session. */
  switchTo(choice: SessionChoice): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  setModel(model: string): void;
  rename(title: string): Promise<void>;
  rewindPoints(): Promise<readonly RewindPoint[]>;
  rewind(point: RewindPoint, what: 'chat' | 'files' | 'both'): Promise<RewindReport>;
  /** Ends children, hooks and servers, and waits until everything is written. */
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
  /** Tokens the last request took of the model's window. */
  readonly contextTokens: number;
  /** `undefined` for a model that is not known. */
  readonly contextWindow: number | undefined;
  /** Of this run, sub-agents included, by the one counting rule. */
  readonly usage: Usage;
  readonly usageByModel: ReadonlyMap<string, Usage>;
  /** Of what has a price. */
  readonly costMicros: number;
  /** Tokens in no cost, because no price is known for their model. */
  readonly unpricedTokens: number;
  /** `undefined` where no price is known. */
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
  /** Could not be restored, and why. */
  readonly problems: readonly string[];
  /** The prompt that was taken back, for the editor. */
  readonly prompt: string;
}
