// The user's hooks as the loop calls them: each gets the stdin that Claude Code's hooks get, and its messages become
// notices. A hook that fails stops nothing, unless it is a guard that could not be asked.
import type { JsonObject, JsonValue } from '../../base/json/index.ts';
import type { PermissionMode } from './confinement.ts';
import type { EmitEvent } from './event.ts';

/** All events that settings and the Agent SDK (0.3.325) may name. docs/hooks.md lists the ones that Clew runs. */
export const hookNames = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'PermissionRequest',
  'PermissionDenied',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
] as const;
/** The name of a hook event. */
export type HookName = (typeof hookNames)[number];

export function isHookName(name: string): name is HookName {
  return hookNames.some((each) => each === name);
}

/**
 * What these report happens in Clew too, but no hook is run for it. Other events that Clew does not run have no cause in
 * it: it has no teammates, worktrees, task lists or elicitation, and no mode in which a model decides about calls.
 */
export const unreportedHooks: ReadonlySet<HookName> = new Set<HookName>([
  ...(['PreModelSwitch', 'PostModelSwitch', 'InstructionsLoaded', 'ConfigChange', 'FileChanged'] as const),
  ...(['DirectoryAdded', 'MessageDisplay'] as const),
]);

export interface HookVerdict {
  /** From exit code 2 or `decision: "block"`: the reason for the model or, if a prompt is blocked, for the user. */
  readonly blocked?: string;
  readonly permission?: { readonly decision: 'allow' | 'deny' | 'ask'; readonly reason: string };
  /** The answer of a PermissionRequest hook, in place of the user's. */
  readonly request?: PermissionAnswer;
  readonly updatedInput?: JsonObject;
  /** Of PostToolUse: replaces the output for the model. */
  readonly updatedOutput?: JsonValue;
  readonly context: readonly string[];
  readonly messages: readonly string[];
  /** `continue: false`. */
  readonly stop?: string;
}

export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: JsonObject;
      /** `PermissionUpdate`s of the Agent SDK. */
      readonly updatedPermissions?: readonly JsonObject[];
    }
  | { readonly behavior: 'deny'; readonly message?: string; readonly isInterrupt: boolean };

export interface HookRunner {
  /** A matcher is compared with `subject`: the tool's name, the start's source or the compaction's trigger. */
  run(name: HookName, subject: string, input: JsonObject, signal: AbortSignal): Promise<HookVerdict>;
  has(name: HookName): boolean;
}

/** These decide whether something happens: if they cannot be asked, it does not. */
export const guardEvents: ReadonlySet<HookName> = new Set<HookName>([
  ...(['PreToolUse', 'PermissionRequest', 'UserPromptSubmit', 'UserPromptExpansion', 'PreCompact'] as const),
]);

/** The verdict that refuses what the event is about. */
export function refusal(name: HookName, reason: string): Partial<HookVerdict> {
  return name === 'PermissionRequest'
    ? { request: { behavior: 'deny', message: reason, isInterrupt: false } }
    : { blocked: reason };
}

/** What a guard that was not asked does; for a call, in the words of Claude Code. */
export function notTakenText(name: HookName): string {
  return name === 'PreToolUse'
    ? 'The tool call was not executed; other configured hooks may not have completed.'
    : 'The action was not taken.';
}

/** A hook could not be asked: the program that answers is gone. A guard counts as having refused. */
export class HookUnanswered extends Error {}

/** A hook that is a function, for example a callback of the Agent SDK. It runs next to the hooks of the settings. */
export interface HookCallback {
  readonly event: HookName;
  /** The same as in the settings. */
  readonly matcher?: string;
  /** Names the hook in messages. */
  readonly label: string;
  readonly timeoutMs?: number;
  /** `block`: a failure counts as exit code 2. */
  readonly onFailure?: 'continue' | 'block';
  /** Resolves to the JSON that a hook prints. */
  call(input: JsonObject, callId: string | undefined, signal: AbortSignal): Promise<JsonObject>;
}

/** Sent to every hook; read when the hook runs, because the session may change. */
export interface HookFacts {
  readonly sessionId: string;
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly mode: PermissionMode;
  /** Set in a sub-agent. */
  readonly agent?: { readonly id: string; readonly type: string };
  /** The same for everything from one prompt to the next. */
  readonly promptId?: string;
  /** The model's effort, if it has one. */
  readonly effort?: string;
}

/** Hooks of a session, not of a turn: they get no permission mode and no effort, as in 2.1.325. */
const ofSession: ReadonlySet<HookName> = new Set<HookName>([
  ...(['SessionStart', 'SessionEnd', 'PreCompact', 'PostCompact', 'SubagentStart', 'CwdChanged'] as const),
  ...(['UserPromptExpansion', 'StopFailure', 'Notification'] as const),
]);

/** What the hooks say about the end of a turn. */
export interface StopAnswer {
  /** The reason to continue. */
  readonly blocked?: string;
  /** A hook answered `continue: false`: nothing else may continue the turn. */
  readonly isFinal: boolean;
}

export function stopAnswer({ stop, blocked }: HookVerdict): StopAnswer {
  if (stop !== undefined) return { isFinal: true };
  return { isFinal: false, ...(blocked === undefined ? {} : { blocked }) };
}

export interface AgentHooks {
  run(name: HookName, subject: string, fields: JsonObject, signal: AbortSignal): Promise<HookVerdict>;
}

export const emptyVerdict: HookVerdict = { context: [], messages: [] };

export function bindHooks(runner: HookRunner, facts: () => HookFacts, emit: EmitEvent): AgentHooks {
  return {
    run: async (name, subject, fields, signal) => {
      if (!runner.has(name)) return emptyVerdict;
      const verdict = await runner.run(name, subject, hookInput(name, facts(), fields), signal).catch(
        (error: unknown): HookVerdict => ({
          ...(guardEvents.has(name)
            ? refusal(name, `${name} hook failed with an unexpected error. ${notTakenText(name)}`)
            : {}),
          context: [],
          messages: [`the ${name} hook failed: ${error instanceof Error ? error.message : String(error)}`],
        }),
      );
      for (const text of verdict.messages) await emit({ type: 'notice', level: 'info', text, isOfHook: true });
      return verdict;
    },
  };
}

function hookInput(
  name: HookName,
  { sessionId, transcriptPath, cwd, mode, agent, promptId, effort }: HookFacts,
  fields: JsonObject,
): JsonObject {
  return {
    session_id: sessionId,
    transcript_path: transcriptPath,
    cwd,
    ...(promptId === undefined || name === 'SessionStart' ? {} : { prompt_id: promptId }),
    ...(ofSession.has(name) && name !== 'UserPromptExpansion' ? {} : { permission_mode: mode }),
    ...(agent === undefined ? {} : { agent_id: agent.id, agent_type: agent.type }),
    ...(effort === undefined || ofSession.has(name) || name === 'UserPromptSubmit'
      ? {}
      : { effort: { level: effort } }),
    hook_event_name: name,
    ...fields,
  };
}
