// A task of the model → a sub-agent that does it: a conversation and a loop of its own, fewer tools, a limit of rounds,
// and its last words as the outcome. In the background it reports later, by a file and by news.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '../base/json.ts';
import { makeFolderSync } from '../base/make-folder.ts';
import { resolveModelAlias } from '../models/facts.ts';
import type { AgentCore, AgentDefinition } from './agent-core.ts';
import { bindHooks } from './agent-hooks.ts';
import { soundText } from './context/system-prompt.ts';
import { makeLoopParts } from './conversation-parts.ts';
import type { AgentHappening, AgentMark, EmitEvent, TurnEnded } from './event.ts';
import { runTurn } from './loop.ts';
import { interruptedText } from './permit-call.ts';
import { PromptKeeper } from './prompt-keeper.ts';
import { type AgentTask, failedOutcome, type Tool, type ToolOutcome } from './tool.ts';
import { makeWorkspace } from './tools/workspace.ts';
import { UsedIds } from './used-ids.ts';

const maxRounds = 200;
/** A sub-agent starts none, asks no person, and ends no plan. */
const ownTools: ReadonlySet<string> = new Set(['Task', 'Agent', 'AskUserQuestion', 'ExitPlanMode']);

export async function startSubAgent(
  core: AgentCore,
  task: AgentTask,
  parentCallId: string,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const definition = core.definitions.find(({ name }) => name === task.type);
  if (definition === undefined) return failedOutcome(`There is no agent of the type "${task.type}".`);
  const mark = { agentId: `a${randomBytes(8).toString('hex')}`, parentCallId };
  const { type: agentType, description } = task;
  await core.bus.emit({ type: 'agent-started', ...mark, agentType, description });
  const agent = new SubAgent(core, task, definition, mark);
  if (!task.isBackground) {
    const outcome = await agent.run(signal);
    await core.bus.emit({ type: 'agent-finished', ...mark, outcome });
    return outcome;
  }
  const outputFile = path.join(core.workspace().sessionDir, 'tool-results', `${mark.agentId}.output`);
  core.addBackground(runInBackground(core, agent, task, outputFile));
  return {
    content: `The agent ${mark.agentId} works in the background. You will be told when it has ended; its report will stand in ${outputFile}.`,
    isError: false,
    stored: {
      isAsync: true,
      status: 'async_launched',
      agentId: mark.agentId,
      description,
      prompt: task.prompt,
      outputFile,
    },
    agentId: mark.agentId,
  };
}

async function runInBackground(core: AgentCore, agent: SubAgent, task: AgentTask, outputFile: string): Promise<void> {
  const outcome = await agent.run(core.lifetime);
  const report = outcomeText(outcome);
  makeFolderSync(path.dirname(outputFile), 0o777);
  await writeFile(outputFile, report);
  const status = outcome.isError ? 'failed' : 'completed';
  core.addNews(
    `<task-notification>\n<task-id>${agent.mark.agentId}</task-id>\n<status>${status}</status>\n<summary>The agent "${task.description}" has ended.</summary>\n<output-file>${outputFile}</output-file>\n<result>\n${report}\n</result>\n</task-notification>`,
  );
  await core.bus.emit({ type: 'agent-finished', ...agent.mark, outcome });
}

class SubAgent {
  readonly mark: AgentMark;
  readonly #core: AgentCore;
  readonly #task: AgentTask;
  readonly #definition: AgentDefinition;
  readonly #emit: EmitEvent;
  #calls = 0;
  #usage: JsonObject = {};

  constructor(core: AgentCore, task: AgentTask, definition: AgentDefinition, mark: AgentMark) {
    this.#core = core;
    this.#task = task;
    this.#definition = definition;
    this.mark = mark;
    this.#emit = async (happening) => {
      this.#count(happening);
      await core.bus.emit(happening, mark);
    };
  }

  async run(signal: AbortSignal): Promise<ToolOutcome> {
    const { clock } = this.#core;
    const started = clock.now().getTime();
    const prompts = [{ content: this.#task.prompt, isMeta: false }];
    const ended = await runTurn(prompts, this.#parts(), this.#emit, signal);
    return this.#outcome(ended, clock.now().getTime() - started);
  }

  #count(happening: AgentHappening): void {
    if (happening.type === 'result') this.#calls++;
    if (happening.type === 'answer') this.#usage = happening.usage;
  }

  #parts() {
    const core = this.#core;
    const { agentId } = this.mark;
    const main = core.workspace();
    const workspace = makeWorkspace({ ...main, todos: [] });
    const tools = this.#tools();
    const model = this.#model();
    const hooks = bindHooks(core.hookRunner, () => this.#hookFacts(workspace.cwd), this.#emit);
    const usedIds = new UsedIds();
    const prompt = new PromptKeeper({
      stored: () => undefined,
      render: () => [soundText(this.#definition.prompt)].filter((text) => text !== ''),
      tools: () => tools,
      emit: this.#emit,
    });
    return makeLoopParts(core, {
      mark: this.mark,
      hooks,
      workspace: () => workspace,
      model: () => model,
      tools: () => tools,
      prompt: () => prompt,
      sections: async () => core.environment(model),
      messages: (asked) => core.session().recorder.messages(asked, core.host, agentId),
      marks: () => core.session().recorder.marks(agentId),
      limits: { maxTurns: maxRounds, ...(core.budgetUsd === undefined ? {} : { maxBudgetUsd: core.budgetUsd }) },
      usedIds: () => usedIds,
      compaction: undefined,
      takeNews: () => [],
      findInstructions: async () => [],
      askStop: async (text, isActive, signal) => {
        const fields = {
          stop_hook_active: isActive,
          agent_transcript_path: this.#transcript(),
          last_assistant_message: text,
        };
        const verdict = await hooks.run('SubagentStop', this.#task.type, fields, signal);
        return verdict.stop === undefined ? verdict.blocked : undefined;
      },
      startAgent: async () => failedOutcome('A sub-agent cannot start others.'),
    });
  }

  #tools(): readonly Tool[] {
    const { tools, disallowedTools = [] } = this.#definition;
    return this.#core
      .tools()
      .filter(({ name }) => !ownTools.has(name) && !disallowedTools.includes(name))
      .filter(({ name }) => tools === undefined || tools.includes('*') || tools.includes(name));
  }

  #model(): string {
    const named = this.#task.model ?? this.#definition.model;
    return named === undefined || named === 'inherit' ? this.#core.model() : resolveModelAlias(named);
  }

  #hookFacts(cwd: string) {
    const { session, mode } = this.#core;
    const { sessionId, file } = session();
    return {
      sessionId,
      transcriptPath: file,
      cwd,
      mode: mode(),
      agent: { id: this.mark.agentId, type: this.#task.type },
    };
  }

  #transcript(): string {
    return path.join(this.#core.session().sessionDir, 'subagents', `agent-${this.mark.agentId}.jsonl`);
  }

  #outcome(ended: TurnEnded, totalDurationMs: number): ToolOutcome {
    const { agentId } = this.mark;
    if (ended.outcome === 'interrupted') return { ...failedOutcome(interruptedText), agentId };
    if (ended.outcome === 'error_during_execution')
      return { ...failedOutcome(`The agent failed: ${ended.error?.message ?? 'for no known reason'}`), agentId };
    const said = ended.text.trim() === '' ? '(The agent ended without a report.)' : ended.text;
    const text =
      ended.outcome === 'success' ? said : `${said}\n\n(The agent was stopped at its limit; this may be unfinished.)`;
    const content = [{ type: 'text', text }];
    return {
      content,
      isError: false,
      stored: {
        status: 'completed',
        prompt: this.#task.prompt,
        agentId,
        content,
        totalDurationMs,
        totalTokens: this.#core.meter.contextTokens(agentId),
        totalToolUseCount: this.#calls,
        usage: this.#usage,
      },
      agentId,
    };
  }
}

function outcomeText({ content }: ToolOutcome): string {
  if (typeof content === 'string') return content;
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}
