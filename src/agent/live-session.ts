// One session of an agent while it is the one that is worked in: its recorder, its workspace, the ids it has had and the
// system prompt, which is made once so that the cache of the prompt holds.
import type { AgentHooks } from './agent-hooks.ts';
import type { OpenSession } from './session/open-session.ts';
import type { BackgroundTasks, Workspace } from './tool.ts';
import { makeWorkspace } from './tools/workspace.ts';
import { UsedIds } from './used-ids.ts';

export type SessionSource = 'startup' | 'resume' | 'clear' | 'compact';

export class LiveSession {
  readonly open: OpenSession;
  readonly workspace: Workspace;
  readonly usedIds: UsedIds;
  title: string | undefined;
  /** What hooks said at the start, for the model: told with the first prompt. */
  #context: string[] = [];
  readonly #writeSystem: (workspace: Workspace) => Promise<readonly string[]>;
  #system: Promise<readonly string[]> | undefined;

  constructor(
    open: OpenSession,
    place: {
      readonly env: NodeJS.ProcessEnv;
      readonly extraDirs: readonly string[];
      readonly background?: BackgroundTasks;
    },
    writeSystem: (workspace: Workspace) => Promise<readonly string[]>,
  ) {
    this.open = open;
    this.title = open.title;
    this.workspace = makeWorkspace({ projectDir: open.cwd, sessionDir: open.sessionDir, ...place });
    this.usedIds = new UsedIds(open.model === undefined ? [] : open.messages(open.model));
    this.#writeSystem = writeSystem;
  }

  system(): Promise<readonly string[]> {
    this.#system ??= this.#writeSystem(this.workspace);
    return this.#system;
  }

  async greet(hooks: AgentHooks, source: SessionSource, signal: AbortSignal): Promise<void> {
    const verdict = await hooks.run('SessionStart', source, { source }, signal);
    this.#context.push(...verdict.context);
  }

  takeContext(): readonly string[] {
    const context = this.#context;
    this.#context = [];
    return context;
  }
}
