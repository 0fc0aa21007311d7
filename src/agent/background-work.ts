// Commands and sub-agents that run next to the conversation: reports their start and their end, and sends
// the model a notice of an end that it does not know yet.
import {
  type AgentEnd,
  type BackgroundTask,
  type EmitEvent,
  newRunId,
  type TaskEnded,
  type TaskView,
} from './contract/index.ts';

export interface BackgroundOwner {
  readonly emit: EmitEvent;
  /** Sends a notice to the model at the next pause, or in a turn of its own. */
  readonly notify: (text: string, runId: string) => void;
  readonly onFailure: (text: string, error: unknown) => void;
}

export class BackgroundWork {
  readonly #owner: BackgroundOwner;
  readonly #running = new Map<string, TaskView>();
  /** Stops a task, by its id; also tasks that have ended. */
  readonly #stops = new Map<string, () => void>();
  readonly #following = new Set<Promise<void>>();
  readonly #agents = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #isClosing = false;
  #isEndingAgents = false;

  constructor(owner: BackgroundOwner) {
    this.#owner = owner;
  }

  /** The tasks in the background. */
  get running(): readonly TaskView[] {
    return [...this.#running.values()];
  }

  /** Whether a task runs, or its end is not reported yet. */
  get isActive(): boolean {
    return this.#following.size > 0;
  }

  /** From now on, an end is not sent to the model. */
  close(): void {
    this.#isClosing = true;
  }

  followShell(shell: BackgroundTask): void {
    const { id, callId, description, outputFile, command } = shell;
    const task = {
      id,
      runId: newRunId(),
      kind: 'shell',
      callId,
      description,
      isBackground: true,
      outputFile,
      command,
    } as const;
    this.#stops.set(id, () => void shell.kill('host'));
    this.#follow(task, async () => {
      await shell.ended;
      const summary = shellSummary(shell);
      await this.#end({ type: 'task-ended', task, status: endOf(shell), ...summary, running: [] });
      // The model knows what it stopped itself. As with the client, what a program stops does not begin a turn.
      if (shell.stoppedBy !== 'model' && shell.stoppedBy !== 'host')
        this.#notify(shellNotice(task, endOf(shell), shell));
    });
  }

  /** `work` runs the sub-agent. */
  followAgent(task: TaskView, work: (stop: AbortSignal) => Promise<AgentEnd>): void {
    const stop = new AbortController();
    this.#stops.set(task.id, () => stop.abort());
    const followed = this.#follow(task, async () => {
      const end = await work(stop.signal);
      await this.#end(agentEnded(task, end));
      if (!this.#isEndingAgents) this.#notify({ task, text: agentNotice(task, end) });
    }).finally(() => this.#agents.delete(followed));
    this.#agents.add(followed);
  }

  /** Stops a task if it still runs; `false` for a task that never was in the background. */
  stop(id: string): boolean {
    const stop = this.#stops.get(id);
    stop?.();
    return stop !== undefined;
  }

  /** Ends the sub-agents, because they write to the session that they began in. The next session gets no notice. */
  async endAgents(abort: () => void): Promise<void> {
    this.#isEndingAgents = true;
    abort();
    while (this.#agents.size > 0) await Promise.all(this.#agents);
    this.#isEndingAgents = false;
  }

  /** Resolves when no task is in the background. */
  async settle(): Promise<void> {
    while (this.#following.size > 0) await Promise.all(this.#following);
  }

  /** Resolves at the next end of a task. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  #follow(task: TaskView, work: () => Promise<void>): Promise<void> {
    this.#running.set(task.id, task);
    const started = this.#owner.emit({ type: 'task-started', task, running: this.running });
    const followed = started
      .then(work)
      .catch((error: unknown) => {
        this.#running.delete(task.id);
        const why = error instanceof Error ? error.message : String(error);
        this.#owner.onFailure(`the background task ${task.id} failed: ${why}`, error);
      })
      .finally(() => {
        this.#following.delete(followed);
        for (const resolve of this.#waiting) resolve();
        this.#waiting.clear();
      });
    this.#following.add(followed);
    return followed;
  }

  async #end(ended: TaskEnded): Promise<void> {
    this.#running.delete(ended.task.id);
    await this.#owner.emit({ ...ended, running: this.running });
  }

  #notify({ task, text }: Notice): void {
    if (!this.#isClosing) this.#owner.notify(text, task.runId);
    // It stays in the queue of the session, as with the client.
    else this.#owner.emit({ type: 'queued', text, isNotice: true }).catch(() => undefined);
  }
}

interface Notice {
  readonly task: TaskView;
  readonly text: string;
}

function endOf({ state }: BackgroundTask): TaskEnded['status'] {
  return state === 'running' ? 'killed' : state;
}

function shellSummary(shell: BackgroundTask): { readonly summary: string } {
  const name = `Background command "${shell.description}"`;
  switch (endOf(shell)) {
    case 'completed':
      return { summary: `${name} completed (exit code 0)` };
    case 'failed':
      return { summary: `${name} failed with exit code ${shell.exitCode ?? 1}` };
    case 'killed':
      if (shell.stoppedBy === 'limit')
        return { summary: `${name} was stopped after reaching its background time limit` };
      return { summary: shell.description };
    default:
      throw new TypeError(`unknown state ${shell.state}`);
  }
}

const limitNote =
  'If the work in progress still needs it, start it again with run_in_background and a longer timeout. If it already had the longest timeout allowed, do not restart it. Either way, report that it was stopped.';

function shellNotice(task: TaskView, status: TaskEnded['status'], shell: BackgroundTask): Notice {
  const isEnded = status === 'killed' && shell.stoppedBy !== 'limit';
  const summary = isEnded ? `Background command "${shell.description}" was stopped` : shellSummary(shell).summary;
  const note = shell.stoppedBy === 'limit' ? [tag('note', limitNote)] : [];
  return { task, text: noticeText(task, status, summary, note) };
}

function agentEnded(task: TaskView, { status, report, usage }: AgentEnd): TaskEnded {
  const error = status === 'failed' ? { error: report } : {};
  return { type: 'task-ended', task, status, summary: report, usage, ...error, running: [] };
}

function agentNotice(task: TaskView, { status, report, usage }: AgentEnd): string {
  const how = { completed: 'finished', failed: 'failed', killed: 'was stopped' }[status];
  const { totalTokens, toolUses, durationMs } = usage;
  const used = [
    tag('subagent_tokens', String(totalTokens)),
    tag('tool_uses', String(toolUses)),
    tag('duration_ms', String(durationMs)),
  ];
  return noticeText(task, status, `Agent "${task.description}" ${how}`, [
    tag('result', report),
    tag('usage', used.join('')),
  ]);
}

/** As client 2.1.325 writes it. */
function noticeText(
  { id, callId, outputFile }: TaskView,
  status: TaskEnded['status'],
  summary: string,
  more: readonly string[],
): string {
  const lines = [
    tag('task-id', id),
    tag('tool-use-id', callId),
    tag('output-file', outputFile),
    tag('status', status),
    tag('summary', summary),
    ...more,
  ];
  return `<task-notification>\n${lines.join('\n')}\n</task-notification>`;
}

/** A report must not end the notice or the reminder around it: the text after that would count as the user's. */
function tag(name: string, text: string): string {
  return `<${name}>${text.replace(/<(?=\/?(?:task-notification|system-reminder)\b)/gi, '&lt;')}</${name}>`;
}
