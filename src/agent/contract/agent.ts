// The agent as a front end (headless, console) uses it. Events go to the sinks it was opened with; failures of a model,
// a tool or the network never throw.

import type { ApiKeySource } from '../../api/connection/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import type { Usage } from '../../format/entry/index.ts';
import type { Effort } from '../../models/index.ts';
import type { PermissionMode } from './confinement.ts';
import type { ContextUsage } from './context-usage.ts';
import type { TaskView, TurnEnded } from './event.ts';
import type { HookCallback } from './hook.ts';
import type { McpControl } from './host.ts';
import type { SessionChoice, ThinkingChoice } from './options.ts';
import type { PermissionUpdate } from './permission.ts';
import type { ShellOptions, ShellReport, Todo } from './tool.ts';

/** A running agent. */
export interface Agent {
  readonly state: AgentState;
  /**
   * While a turn runs, the prompt is queued. The model gets it after the running calls, within that turn; if the turn ends
   * before, in the next one, together with the other prompts that wait. The promise is that of the turn that took it.
   * It rejects only if
   * events cannot be delivered: the disk is full, another program wrote to the session, or a sink failed. Everything that
   * the turn started has ended by then, and the session is complete up to that point.
   */
  prompt(content: string | readonly JsonObject[], identity?: PromptIdentity): Promise<TurnEnded>;
  /**
   * Runs a shell command that the user typed, without a question and without the sandbox, after the work that is queued.
   * The command and its output are written to the session and sent with the next prompt.
   */
  runShell(command: string, options: ShellOptions): Promise<ShellReport>;
  /**
   * Resolves when no turn runs, nothing waits, and no command or sub-agent runs in the background. Their ends start turns,
   * so the wait may contain several. Rejects like `prompt` if such a turn cannot be written.
   */
  idle(): Promise<void>;
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
  /** Replaces the hooks that are functions. */
  setHookCallbacks(callbacks: readonly HookCallback[]): void;
  updatePermissions(updates: readonly PermissionUpdate[]): Promise<void>;
  /** The MCP servers, once they have started. */
  mcp(): Promise<McpControl>;
  /** `undefined`: the default of the settings or the model. */
  setEffort(effort: Effort | undefined): void;
  setThinking(thinking: ThinkingChoice | undefined): void;
  /** Stops a command or sub-agent in the background; `false` if there never was one with this id. */
  stopTask(id: string): boolean;
  rename(title: string): Promise<void>;
  /** What the next request would consist of. It sends nothing and asks nobody. */
  contextUsage(): Promise<ContextUsage>;
  rewindPoints(): Promise<readonly RewindPoint[]>;
  /** What `rewind` of the files would change. */
  previewRewind(point: RewindPoint): Promise<RewindPreview>;
  rewind(point: RewindPoint, what: 'chat' | 'files' | 'both'): Promise<RewindReport>;
  /** Ends child processes, hooks and servers, and waits until everything is written. */
  close(reason: 'exit' | 'clear' | 'signal'): Promise<void>;
}

/** What a program that drives the agent knows a prompt by. */
export interface PromptIdentity {
  /** The uuid of the prompt's line. */
  readonly uuid?: string;
}

/** What the agent currently works on. */
export interface AgentState {
  readonly sessionId: string;
  readonly file: string;
  readonly title: string | undefined;
  readonly cwd: string;
  readonly model: string;
  /** Of the next request; `undefined`: the model has no such setting. */
  readonly effort: Effort | undefined;
  readonly mode: PermissionMode;
  /** Where the API key comes from; `none` for tokens and the credentials of a platform. */
  readonly apiKeySource: ApiKeySource;
  /** Who serves the model; `firstParty` is the Messages API itself, also behind a gateway. */
  readonly apiProvider: 'firstParty' | 'bedrock' | 'vertex' | 'foundry';
  readonly isBusy: boolean;
  readonly queued: readonly string[];
  /** The commands and sub-agents in the background. */
  readonly backgroundTasks: readonly TaskView[];
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
  readonly mcpServers: readonly {
    readonly name: string;
    readonly status: string;
    readonly tools: readonly string[];
    /** Whose configuration it is: flag, local, project or user; host, if it runs in the program that drives the agent. */
    readonly scope?: string;
  }[];
  /** The tools that the model is offered. */
  readonly tools: readonly string[];
  /** The types of sub-agents. */
  readonly agents: readonly { readonly name: string; readonly description: string; readonly model?: string }[];
  readonly commands: readonly {
    readonly name: string;
    readonly description: string;
    readonly argumentHint?: string;
    readonly kind?: 'command' | 'skill';
  }[];
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

/** What a rewind of the files would change. */
export interface RewindPreview {
  readonly files: readonly string[];
  /** Lines. */
  readonly insertions: number;
  readonly deletions: number;
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
