// The options of `openAgent`: what a front end or a program decides before the session is open.
import type { JsonObject } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import type { Effort } from '../../models/index.ts';
import type { PermissionMode } from './confinement.ts';
import type { EventSink } from './event.ts';
import type { HookCallback } from './hook.ts';
import type { HostServers } from './host.ts';
import type { Approve } from './permission.ts';
import type { UserAnswer, UserQuestion } from './tool.ts';

/** Options of `openAgent`. */
export interface AgentOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** The `.claude` folder that stores the session. */
  readonly root: string;
  readonly session: SessionChoice;
  /** The title of a new session. */
  readonly title?: string;
  /** `true`: nothing is written to the session folder, and the session cannot be resumed. */
  readonly isEphemeral?: boolean;
  readonly model?: string;
  /** Used in this order while the model is overloaded or not available. */
  readonly fallbackModels?: readonly string[];
  /** Default: the settings, else the default of the model in Claude Code. */
  readonly effort?: Effort;
  readonly thinking?: ThinkingChoice;
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
  /** The built-in tools that exist, by name; all of them if absent. */
  readonly builtInTools?: readonly string[];
  readonly addDirs?: readonly string[];
  readonly mcpConfig?: readonly string[];
  /** Only the servers of `mcpConfig` are used. */
  readonly isMcpStrict?: boolean;
  /** The skills that the model may use; all of them if absent. */
  readonly skills?: readonly string[];
  /** Hooks that are functions. They run next to those of the settings. */
  readonly hookCallbacks?: readonly HookCallback[];
  /** MCP servers inside the program that runs the agent. */
  readonly hostServers?: HostServers;
  /** Sub-agents by name, as in the `agents` option of the Agent SDK. They win over those of the files. */
  readonly agents?: JsonObject;
  /** The agent of the main conversation: its prompt, tools and model replace the usual ones. */
  readonly agent?: string;
  /** The configuration on the disk that is used: settings, instructions, skills, commands, agents and servers. */
  readonly settingSources?: readonly SettingSource[];
  /** Settings in the shape of settings.json that precede all files. */
  readonly settings?: JsonObject;
  /** Features of the API that are not in use by default, as in the header `anthropic-beta`. */
  readonly betas?: readonly string[];
  /** JSON Schema of an object that the last answer of a turn must match. */
  readonly outputSchema?: JsonObject;
  readonly isInteractive: boolean;
  /** `askUser` reaches a user although the run is not interactive, so the model may ask questions. */
  readonly canAskUser?: boolean;
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

/** Whether and how a model thinks; what is missing comes from variables, settings and the model. */
export interface ThinkingChoice {
  /** Some models think always. */
  readonly kind?: 'on' | 'off';
  /** For models whose thinking has a budget. */
  readonly budgetTokens?: number;
  readonly display?: 'omitted' | 'summarized';
}

/** US dollars per million tokens. */
export interface RunPrice {
  readonly input: number;
  readonly output: number;
}

/** The names of the places that configuration comes from. */
export const settingSources = ['user', 'project', 'local'] as const;
/** Where configuration comes from: the user's folder, the project, or the user's own files in the project. */
export type SettingSource = (typeof settingSources)[number];

/** Without a list every source is used. */
export function isUsed(source: SettingSource, sources: readonly SettingSource[] | undefined): boolean {
  return sources === undefined || sources.includes(source);
}

/** Which session the agent works on: a new one, the latest of the folder, or a named one. */
export type SessionChoice =
  | { readonly kind: 'new'; readonly sessionId?: string }
  | {
      readonly kind: 'continue';
      readonly fork?: { readonly sessionId?: string };
      /** `true`: a new session where there is none to continue. */
      readonly orNew?: boolean;
    }
  | {
      readonly kind: 'resume';
      /** An id, a prefix of an id, a title or a path. */
      readonly session: string;
      readonly fork?: { readonly sessionId?: string };
      /** The uuid of the last message to keep; later ones stay in the file and are not sent. */
      readonly at?: string;
    };
