// One session of an agent while it is the one that is worked in: its recorder, its workspace, the ids it has had and the
// system prompt, which is made once so that the cache of the prompt holds.
import path from 'node:path';
import { asString } from '../base/json.ts';
import type { AgentHooks } from './agent-hooks.ts';
import type { PathMemory } from './context/path-memory.ts';
import type { ToolCallView } from './event.ts';
import type { OpenSession } from './session/open-session.ts';
import type { BackgroundTasks, Workspace } from './tool.ts';
import { makeWorkspace } from './tools/workspace.ts';
import { UsedIds } from './used-ids.ts';

export type SessionSource = 'startup' | 'resume' | 'clear' | 'compact';

const fileTools: ReadonlySet<string> = new Set(['Read', 'Edit', 'Write', 'NotebookEdit']);

export class LiveSession {
  readonly open: OpenSession;
  readonly workspace: Workspace;
  readonly usedIds: UsedIds;
  title: string | undefined;
  /** What hooks said at the start, for the model: told with the first prompt. */
  #context: string[] = [];
  readonly #pathMemory: PathMemory;
  readonly #writeSystem: (workspace: Workspace) => Promise<readonly string[]>;
  #system: Promise<readonly string[]> | undefined;

  constructor(
    open: OpenSession,
    place: {
      readonly env: NodeJS.ProcessEnv;
      readonly extraDirs: readonly string[];
      readonly background?: BackgroundTasks;
    },
    pathMemory: PathMemory,
    writeSystem: (workspace: Workspace) => Promise<readonly string[]>,
  ) {
    this.open = open;
    this.title = open.title;
    this.workspace = makeWorkspace({ projectDir: open.cwd, sessionDir: open.sessionDir, ...place });
    this.usedIds = new UsedIds(open.model === undefined ? [] : open.messages(open.model));
    this.#pathMemory = pathMemory;
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

  /** By the conversation itself: a resume brings them along, a compaction loses them. */
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
