// The user's hooks as the loop calls them: each gets the stdin that Claude Code's hooks get, and its messages become
// notices. A hook that fails stops nothing.
import type { JsonObject } from '../../base/json/index.ts';
import type { PermissionMode } from './confinement.ts';
import type { EmitEvent } from './event.ts';

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
  /** From exit code 2 or `decision: "block"`: the reason for the model or, if a prompt is blocked, for the user. */
  readonly blocked?: string;
  readonly permission?: { readonly decision: 'allow' | 'deny' | 'ask'; readonly reason: string };
  readonly updatedInput?: JsonObject;
  readonly context: readonly string[];
  readonly messages: readonly string[];
  /** `continue: false`. */
  readonly stop?: string;
}

export interface HookRunner {
  /** A matcher is compared with `subject`: the tool's name, the start's source or the compaction's trigger. */
  run(name: HookName, subject: string, input: JsonObject, signal: AbortSignal): Promise<HookVerdict>;
  has(name: HookName): boolean;
}

/** Sent to every hook; read when the hook runs, because the session may change. */
export interface HookFacts {
  readonly sessionId: string;
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly mode: PermissionMode;
  /** Set in a sub-agent. */
  readonly agent?: { readonly id: string; readonly type: string };
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
          context: [],
          messages: [`the ${name} hook failed: ${error instanceof Error ? error.message : String(error)}`],
        }),
      );
      for (const text of verdict.messages) await emit({ type: 'notice', level: 'info', text });
      return verdict;
    },
  };
}

function hookInput(
  name: HookName,
  { sessionId, transcriptPath, cwd, mode, agent }: HookFacts,
  fields: JsonObject,
): JsonObject {
  return {
    session_id: sessionId,
    transcript_path: transcriptPath,
    cwd,
    permission_mode: mode,
    ...(agent === undefined ? {} : { agent_id: agent.id, agent_type: agent.type }),
    hook_event_name: name,
    ...fields,
  };
}
