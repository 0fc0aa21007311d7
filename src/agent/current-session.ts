// The session that the agent works in. Another session is opened before this one is closed, so that a failure to open
// it changes nothing. SessionStart and SessionEnd hooks run at every change.

import path from 'node:path';
import { apiKeySourceOf } from '../api/connection/index.ts';
import { asString, type JsonObject } from '../base/json/index.ts';
import type {
  AgentHooks,
  BackgroundTask,
  BackgroundTasks,
  Sandbox,
  SessionChoice,
  ToolCallView,
  Workspace,
} from './contract/index.ts';
import type { AgentContext } from './loop/index.ts';
import { PathMemory, type Section } from './prompt/index.ts';
import {
  entrypointOf,
  type OpenSession,
  openSession,
  PromptKeeper,
  type PromptSource,
  UsedIds,
} from './session/index.ts';
import type { AgentSetup } from './setup.ts';
import { makeWorkspace } from './tools/shell/index.ts';

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
    const { cwd, env, root, withProgressEntries = false, isEphemeral, isInteractive } = options;
    const before = this.#live;
    const place = { cwd, env, root, isEphemeral, entrypoint: entrypointOf(isInteractive, env) };
    const open = await openSession(choice, { ...place, withProgressEntries, currentCwd: () => this.cwd });
    if (before !== undefined) await this.leave(source === 'clear' ? 'clear' : 'resume');
    const background = before?.workspace.background;
    const { env: shellEnv, extraDirs, sandbox } = setup;
    const onBackground = this.#context.followShell;
    const shell = {
      env: shellEnv,
      extraDirs,
      sandbox,
      onBackground,
      ...(background === undefined ? {} : { background }),
    };
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
      shell,
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
    await live.greet(hooks, open.isNew && source === 'resume' ? 'startup' : source, lifetime);
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
      apiKeySource: apiKeySourceOf(setup.env, setup.apiKeyHelper),
      messageCount: open.isNew ? 0 : open.messages(model()).length,
    });
    for (const text of open.notes) await bus.emit({ type: 'notice', level: 'warn', text });
  }
}

type SessionSource = 'startup' | 'resume' | 'clear' | 'compact';

const fileTools: ReadonlySet<string> = new Set(['Read', 'Edit', 'Write', 'NotebookEdit']);

export class LiveSession {
  readonly open: OpenSession;
  readonly workspace: Workspace;
  readonly usedIds: UsedIds;
  title: string | undefined;
  /** Output of SessionStart hooks for the model; sent with the first prompt. */
  #context: string[] = [];
  readonly #pathMemory: PathMemory;
  readonly prompt: PromptKeeper;
  readonly #describe: (live: LiveSession) => Promise<readonly Section[]>;

  constructor(
    open: OpenSession,
    place: {
      readonly env: NodeJS.ProcessEnv;
      readonly extraDirs: readonly string[];
      readonly sandbox: Sandbox;
      readonly background?: BackgroundTasks;
      readonly onBackground: (task: BackgroundTask) => void;
    },
    pathMemory: PathMemory,
    prompt: Omit<PromptSource, 'stored'>,
    describe: (live: LiveSession) => Promise<readonly Section[]>,
  ) {
    this.open = open;
    this.title = open.title;
    this.workspace = makeWorkspace({ projectDir: open.cwd, sessionDir: open.sessionDir, ...place });
    this.usedIds = new UsedIds(open.model === undefined ? [] : open.messages(open.model));
    this.#pathMemory = pathMemory;
    this.prompt = new PromptKeeper({ ...prompt, stored: () => open.prompt() });
    this.#describe = describe;
  }

  sections(): Promise<readonly Section[]> {
    return this.#describe(this);
  }

  /** Called after a compaction. */
  async startOver(hooks: AgentHooks, model: string, signal: AbortSignal): Promise<void> {
    this.prompt.startOver();
    await this.greet(hooks, 'compact', signal, { model });
  }

  async greet(hooks: AgentHooks, source: SessionSource, signal: AbortSignal, more: JsonObject = {}): Promise<void> {
    const verdict = await hooks.run('SessionStart', source, { source, ...more }, signal);
    this.#context.push(...verdict.context);
  }

  /** Compares with the conversation: a resume restores instructions, a compaction removes them. */
  async findInstructions({ name, input }: ToolCallView, model: string): Promise<readonly string[]> {
    const file = fileTools.has(name) ? (asString(input.file_path) ?? asString(input.notebook_path)) : undefined;
    if (file === undefined) return [];
    const texts = await this.#pathMemory.textsFor(path.resolve(this.workspace.projectDir, file));
    if (texts.length === 0) return [];
    const said = this.open
      .messages(model)
      .flatMap(({ content }) => content.flatMap((block) => asString(block.text) ?? []));
    return texts.filter((text) => !said.some((each) => each.includes(text)));
  }

  takeContext(): readonly string[] {
    const context = this.#context;
    this.#context = [];
    return context;
  }
}
