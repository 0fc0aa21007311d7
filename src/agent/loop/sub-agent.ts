// A task of the model → a sub-agent that does it, with its own conversation, fewer tools and a limit of rounds. Its
// last text is the outcome; a sub-agent in the background reports later, in a file and in a message to the model.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { resolveModelAlias } from '../../models/index.ts';
import {
  type AgentHappening,
  type AgentMark,
  type AgentTask,
  bindHooks,
  type EmitEvent,
  failedOutcome,
  type Tool,
  type ToolOutcome,
  type TurnEnded,
} from '../contract/index.ts';
import { type AgentDefinition, soundText } from '../prompt/index.ts';
import { PromptKeeper, UsedIds } from '../session/index.ts';
import { makeWorkspace } from '../tools/shell/index.ts';
import type { AgentContext } from './context.ts';
import { runTurn } from './loop.ts';
import { interruptedText } from './permit-call.ts';

const maxRounds = 200;
/** Not for sub-agents: they start no others, ask no questions and end no plan. */
const mainTools: ReadonlySet<string> = new Set(['Task', 'Agent', 'AskUserQuestion', 'ExitPlanMode']);

export async function startSubAgent(
  context: AgentContext,
  task: AgentTask,
  parentCallId: string,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const definition = context.definitions.find(({ name }) => name === task.type);
  if (definition === undefined) return failedOutcome(`There is no agent of the type "${task.type}".`);
  const mark = { agentId: `a${randomBytes(8).toString('hex')}`, parentCallId };
  const { type: agentType, description } = task;
  await context.bus.emit({ type: 'agent-started', ...mark, agentType, description });
  const agent = new SubAgent(context, task, definition, mark);
  if (!task.isBackground) {
    const outcome = await agent.run(signal);
    await context.bus.emit({ type: 'agent-finished', ...mark, outcome });
    return outcome;
  }
  const outputFile = path.join(context.workspace().sessionDir, 'tool-results', `${mark.agentId}.output`);
  context.addBackground(runInBackground(context, agent, task, outputFile));
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

async function runInBackground(
  context: AgentContext,
  agent: SubAgent,
  task: AgentTask,
  outputFile: string,
): Promise<void> {
  const outcome = await agent.run(context.lifetime);
  const report = outcomeText(outcome);
  makeFolderSync(path.dirname(outputFile), 0o777);
  await writeFile(outputFile, report);
  const status = outcome.isError ? 'failed' : 'completed';
  context.addNews(
    `<task-notification>\n<task-id>${agent.mark.agentId}</task-id>\n<status>${status}</status>\n<summary>The agent "${task.description}" has ended.</summary>\n<output-file>${outputFile}</output-file>\n<result>\n${report}\n</result>\n</task-notification>`,
  );
  await context.bus.emit({ type: 'agent-finished', ...agent.mark, outcome });
}

class SubAgent {
  readonly mark: AgentMark;
  readonly #context: AgentContext;
  readonly #task: AgentTask;
  readonly #definition: AgentDefinition;
  readonly #emit: EmitEvent;
  #calls = 0;
  #usage: JsonObject = {};

  constructor(context: AgentContext, task: AgentTask, definition: AgentDefinition, mark: AgentMark) {
    this.#context = context;
    this.#task = task;
    this.#definition = definition;
    this.mark = mark;
    this.#emit = async (happening) => {
      this.#count(happening);
      await context.bus.emit(happening, mark);
    };
  }

  async run(signal: AbortSignal): Promise<ToolOutcome> {
    const { clock } = this.#context;
    const started = clock.now().getTime();
    const prompts = [{ content: this.#task.prompt, isMeta: false }];
    const ended = await runTurn(prompts, this.#ownContext(), signal);
    return this.#outcome(ended, clock.now().getTime() - started);
  }

  #count(happening: AgentHappening): void {
    if (happening.type === 'result') this.#calls++;
    if (happening.type === 'answer') this.#usage = happening.usage;
  }

  #ownContext(): AgentContext {
    const context = this.#context;
    const { agentId } = this.mark;
    const { maxBudgetUsd } = context.options;
    const workspace = makeWorkspace({ ...context.workspace(), todos: [] });
    const tools = this.#tools();
    const model = this.#model();
    const hooks = bindHooks(context.hookRunner, () => this.#hookFacts(workspace.cwd), this.#emit);
    const usedIds = new UsedIds();
    const prompt = new PromptKeeper({
      stored: () => undefined,
      render: () => [soundText(this.#definition.prompt)].filter((text) => text !== ''),
      tools: () => tools,
      emit: this.#emit,
    });
    return {
      ...context,
      mark: this.mark,
      emit: this.#emit,
      hooks,
      limits: { maxTurns: maxRounds, ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }) },
      compaction: undefined,
      thinkingNotices: { leftOut: 0, reported: new Set() },
      workspace: () => workspace,
      model: () => model,
      tools: () => tools,
      prompt: () => prompt,
      sections: async () => context.describeEnvironment(model),
      messages: (asked) => context.session().recorder.messages(asked, context.host, agentId),
      marks: () => context.session().recorder.marks(agentId),
      usedIds: () => usedIds,
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
    };
  }

  #tools(): readonly Tool[] {
    const { tools, disallowedTools = [] } = this.#definition;
    return this.#context
      .tools()
      .filter(({ name }) => !mainTools.has(name) && !disallowedTools.includes(name))
      .filter(({ name }) => tools === undefined || tools.includes('*') || tools.includes(name));
  }

  #model(): string {
    const named = this.#task.model ?? this.#definition.model;
    return named === undefined || named === 'inherit' ? this.#context.model() : resolveModelAlias(named);
  }

  #hookFacts(cwd: string) {
    const { session, mode } = this.#context;
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
    return path.join(this.#context.session().sessionDir, 'subagents', `agent-${this.mark.agentId}.jsonl`);
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
        totalTokens: this.#context.meter.contextTokens(agentId),
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
