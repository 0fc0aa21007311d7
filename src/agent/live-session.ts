// The session that the agent works in: its recorder, workspace, used ids, system prompt and tools.
import path from 'node:path';
import { asString } from '../base/json/json.ts';
import type { Sandbox } from './contract/confinement.ts';
import type { ToolCallView } from './contract/event.ts';
import type { AgentHooks } from './contract/hook.ts';
import type { BackgroundTasks, Workspace } from './contract/tool.ts';
import type { PathMemory } from './prompt/path-memory.ts';
import type { Section } from './prompt/situation.ts';
import type { OpenSession } from './session/open-session.ts';
import { PromptKeeper, type PromptSource } from './session/prompt-keeper.ts';
import { UsedIds } from './session/used-ids.ts';
import { makeWorkspace } from './tools/shell/workspace.ts';

export type SessionSource = 'startup' | 'resume' | 'clear' | 'compact';

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
  async startOver(hooks: AgentHooks, signal: AbortSignal): Promise<void> {
    this.prompt.startOver();
    await this.greet(hooks, 'compact', signal);
  }

  async greet(hooks: AgentHooks, source: SessionSource, signal: AbortSignal): Promise<void> {
    const verdict = await hooks.run('SessionStart', source, { source }, signal);
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
