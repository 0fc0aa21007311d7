// The one session that is worked in: another is opened before this one is left, so that where it cannot be had nothing
// changes. Hooks hear of every beginning and end, and the recorder of the bus is always that of the open one.
import type { AgentHooks } from './agent-hooks.ts';
import { PathMemory } from './context/path-memory.ts';
import type { CostMeter } from './cost-meter.ts';
import type { EventBus } from './event-bus.ts';
import type { AgentOptions, SessionChoice } from './handle.ts';
import { LiveSession, type SessionSource } from './live-session.ts';
import type { PermissionMode } from './permission-mode.ts';
import { openSession } from './session/open-session.ts';
import type { Surroundings } from './surroundings.ts';

export interface DeskParts {
  readonly options: AgentOptions;
  readonly bus: EventBus;
  readonly meter: CostMeter;
  readonly surroundings: Surroundings;
  readonly hooks: AgentHooks;
  readonly lifetime: AbortSignal;
  readonly mode: () => PermissionMode;
  readonly model: () => string;
  /** The session that was opened goes on with its own model. */
  readonly takeModel: (model: string) => void;
}

export class SessionDesk {
  readonly #parts: DeskParts;
  #live: LiveSession | undefined;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get live(): LiveSession {
    if (this.#live === undefined) throw new TypeError('the agent has no session yet');
    return this.#live;
  }

  /** Where the shell stands. */
  get cwd(): string {
    return this.#live?.workspace.cwd ?? this.#parts.options.cwd;
  }

  async enter(choice: SessionChoice, source: SessionSource): Promise<void> {
    const { options, bus, meter, surroundings, hooks, lifetime } = this.#parts;
    const { cwd, env, root, withProgressEntries = false } = options;
    const before = this.#live;
    const open = await openSession(choice, { cwd, env, root, withProgressEntries, currentCwd: () => this.cwd });
    if (before !== undefined) await this.leave(source === 'clear' ? 'clear' : 'resume');
    const background = before?.workspace.background;
    const { env: shellEnv, extraDirs, sandbox } = surroundings;
    const place = { env: shellEnv, extraDirs, sandbox, ...(background === undefined ? {} : { background }) };
    const note = (text: string): void => bus.tell({ type: 'notice', level: 'warn', text });
    surroundings.enterSession(open.sessionDir);
    const memory = new PathMemory(surroundings.memoryOptions(open.cwd), note);
    const noted = new Set<string>();
    const noteOnce = (text: string): void => {
      if (!noted.has(text)) note(text);
      noted.add(text);
    };
    const live = new LiveSession(
      open,
      place,
      memory,
      {
        ...surroundings.promptSource(),
        emit: (happening) => bus.emit(happening),
      },
      ({ workspace, prompt }) =>
        surroundings.describe(workspace, {
          model: this.#parts.model(),
          mode: this.#parts.mode(),
          prompt,
          note: noteOnce,
        }),
    );
    this.#live = live;
    if (open.model !== undefined && (options.model === undefined || before !== undefined))
      this.#parts.takeModel(open.model);
    meter.setContext(open.recorder.windowTokens);
    bus.setRecorder(open.recorder.sink);
    await live.greet(hooks, source, lifetime);
    await this.#announce(live);
  }

  async leave(reason: string): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    try {
      // Its own signal: the agent's is over when it is closed.
      await this.#parts.hooks.run('SessionEnd', reason, { reason }, new AbortController().signal);
    } finally {
      await live.open.close();
    }
  }

  /** Also where no session was ever opened. */
  async endCommands(): Promise<void> {
    await this.#live?.workspace.background.close();
  }

  async #announce({ open }: LiveSession): Promise<void> {
    const { surroundings, bus, mode, model } = this.#parts;
    const { sessionId, file, cwd } = open;
    await bus.emit({
      type: 'session-opened',
      sessionId,
      file,
      cwd,
      model: model(),
      mode: mode(),
      tools: surroundings.tools().map(({ name }) => name),
      mcpServers: surroundings.servers().map(({ name, status }) => ({ name, status })),
      commands: surroundings.commands.map(({ name }) => name),
      agents: surroundings.definitions.map(({ name }) => name),
      messageCount: open.isNew ? 0 : open.messages(model()).length,
    });
    for (const text of open.notes) await bus.emit({ type: 'notice', level: 'warn', text });
  }
}
