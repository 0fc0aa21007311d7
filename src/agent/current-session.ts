// The session that the agent works in. Another session is opened before this one is closed, so that a failure to open
// it changes nothing. SessionStart and SessionEnd hooks run at every change.

import type { SessionChoice } from './contract/agent.ts';
import { LiveSession, type SessionSource } from './live-session.ts';
import type { AgentContext } from './loop/context.ts';
import { PathMemory } from './prompt/path-memory.ts';
import { openSession } from './session/open-session.ts';
import type { AgentSetup } from './setup.ts';

export class CurrentSession {
  readonly #context: AgentContext;
  readonly #setup: AgentSetup;
  readonly #setModel: (model: string) => void;
  #live: LiveSession | undefined;

  /** `setModel` is called with the model of a resumed session. */
  constructor(context: AgentContext, setup: AgentSetup, setModel: (model: string) => void) {
    this.#context = context;
    this.#setup = setup;
    this.#setModel = setModel;
  }

  get live(): LiveSession {
    if (this.#live === undefined) throw new TypeError('the agent has no session yet');
    return this.#live;
  }

  /** The working directory of the shell. */
  get cwd(): string {
    return this.#live?.workspace.cwd ?? this.#context.options.cwd;
  }

  async enter(choice: SessionChoice, source: SessionSource): Promise<void> {
    const { options, bus, meter, hooks, lifetime, mode, model } = this.#context;
    const setup = this.#setup;
    const { cwd, env, root, withProgressEntries = false } = options;
    const before = this.#live;
    const open = await openSession(choice, { cwd, env, root, withProgressEntries, currentCwd: () => this.cwd });
    if (before !== undefined) await this.leave(source === 'clear' ? 'clear' : 'resume');
    const background = before?.workspace.background;
    const { env: shellEnv, extraDirs, sandbox } = setup;
    const place = { env: shellEnv, extraDirs, sandbox, ...(background === undefined ? {} : { background }) };
    const note = (text: string): void => bus.post({ type: 'notice', level: 'warn', text });
    setup.enterSession(open.sessionDir);
    const memory = new PathMemory(setup.memoryOptions(open.cwd), note);
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
        ...setup.promptSource(),
        emit: (happening) => bus.emit(happening),
      },
      ({ workspace, prompt }) =>
        setup.describe(workspace, {
          model: model(),
          mode: mode(),
          prompt,
          note: noteOnce,
        }),
    );
    this.#live = live;
    if (open.model !== undefined && (options.model === undefined || before !== undefined)) this.#setModel(open.model);
    meter.setContext(open.recorder.windowTokens);
    bus.setRecorder(open.recorder.sink);
    await live.greet(hooks, source, lifetime);
    await this.#announce(live);
  }

  async leave(reason: string): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    try {
      // Not the agent's signal, which is aborted when the agent closes.
      await this.#context.hooks.run('SessionEnd', reason, { reason }, new AbortController().signal);
    } finally {
      await live.open.close();
    }
  }

  /** Works without an open session too. */
  async endCommands(): Promise<void> {
    await this.#live?.workspace.background.close();
  }

  async #announce({ open }: LiveSession): Promise<void> {
    const { bus, mode, model } = this.#context;
    const setup = this.#setup;
    const { sessionId, file, cwd } = open;
    await bus.emit({
      type: 'session-opened',
      sessionId,
      file,
      cwd,
      model: model(),
      mode: mode(),
      tools: setup.tools().map(({ name }) => name),
      mcpServers: setup.servers().map(({ name, status }) => ({ name, status })),
      commands: setup.commands.map(({ name }) => name),
      agents: setup.definitions.map(({ name }) => name),
      messageCount: open.isNew ? 0 : open.messages(model()).length,
    });
    for (const text of open.notes) await bus.emit({ type: 'notice', level: 'warn', text });
  }
}
