// Commands and sub-agents in the background as messages of the Agent SDK: one or several for each event of a task.
import { randomUUID } from 'node:crypto';
import type { AgentEvent, TaskUsage, TaskView } from '../../agent/contract/index.ts';
import type { JsonObject } from '../../base/json/index.ts';

/** Empty for other events. */
export function taskMessages(event: AgentEvent, sessionId: string): readonly JsonObject[] {
  switch (event.type) {
    case 'task-started':
      return withEnvelope(sessionId, [
        ...(event.task.isBackground ? [changed(event.running)] : []),
        { subtype: 'task_started', ...ids(event.task), ...startOf(event.task) },
      ]);
    case 'task-progress': {
      const { task, text, tool, usage } = event;
      const what = { description: text, ...subagentType(task), usage: usageOf(usage), last_tool_name: tool };
      return withEnvelope(sessionId, [{ subtype: 'task_progress', ...ids(task), ...what }]);
    }
    case 'task-ended': {
      const { task, status, summary, error, usage, running } = event;
      const patch = { status, end_time: event.at.getTime(), ...(error === undefined ? {} : { error }) };
      return withEnvelope(sessionId, [
        { subtype: 'task_updated', task_id: task.id, run_id: task.runId, patch },
        {
          subtype: 'task_notification',
          ...ids(task),
          status: status === 'killed' ? 'stopped' : status,
          output_file: task.outputFile,
          summary,
          ...(usage === undefined ? {} : { usage: usageOf(usage) }),
        },
        ...(task.isBackground ? [changed(running)] : []),
      ]);
    }
    default:
      return [];
  }
}

function withEnvelope(sessionId: string, bodies: readonly JsonObject[]): readonly JsonObject[] {
  return bodies.map((body) => ({ type: 'system', ...body, uuid: randomUUID(), session_id: sessionId }));
}

function ids({ id, runId, callId }: TaskView): JsonObject {
  return { task_id: id, run_id: runId, tool_use_id: callId };
}

function startOf(task: TaskView): JsonObject {
  return {
    description: task.description,
    ...subagentType(task),
    is_backgrounded: task.isBackground,
    ...(task.kind === 'agent' ? { spawn_depth: 1 } : {}),
    task_type: typeOf(task),
    ...(task.prompt === undefined ? {} : { prompt: task.prompt }),
  };
}

function changed(running: readonly TaskView[]): JsonObject {
  const tasks = running.map((task) => ({
    task_id: task.id,
    run_id: task.runId,
    task_type: typeOf(task),
    ...subagentType(task),
    description: task.description,
  }));
  return { subtype: 'background_tasks_changed', tasks };
}

function typeOf({ kind }: TaskView): string {
  return kind === 'shell' ? 'local_bash' : 'local_agent';
}

function subagentType({ agentType }: TaskView): JsonObject {
  return agentType === undefined ? {} : { subagent_type: agentType };
}

function usageOf({ totalTokens, toolUses, durationMs }: TaskUsage): JsonObject {
  return { total_tokens: totalTokens, tool_uses: toolUses, duration_ms: durationMs };
}
