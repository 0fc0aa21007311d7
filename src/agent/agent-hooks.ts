// The user's hooks as the loop calls them: each gets what Claude Code's hooks get on stdin, and what they say to the
// person becomes notices. A hook that fails in itself stops nothing.
import type { JsonObject } from '../base/json.ts';
import type { EmitEvent } from './event.ts';
import type { HookName, HookRunner, HookVerdict } from './parts.ts';
import type { PermissionMode } from './permission-mode.ts';

/** What every hook is told, read when it runs: a session may change. */
export interface HookFacts {
  readonly sessionId: string;
  readonly transcriptPath: string;
  readonly cwd: string;
  readonly mode: PermissionMode;
  /** Of the sub-agent it runs for. */
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
