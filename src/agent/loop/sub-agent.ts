// A task of the model → a sub-agent that does it, with its own conversation, fewer tools and a limit of rounds. Its
// last text is the outcome; a sub-agent in the background reports later, in a file and in a message to the model.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeFolderSync } from '../../base/files/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { resolveModel } from '../../models/index.ts';
import {
  type AgentEnd,
  type AgentHappening,
  type AgentMark,
  type AgentTask,
  bindHooks,
  type EmitEvent,
  failedOutcome,
  newRunId,
  stopAnswer,
  type TaskUsage,
  type TaskView,
  type Tool,
  type ToolCallView,
  type ToolOutcome,
  type TurnEnded,
} from '../contract/index.ts';
import { type AgentDefinition, soundText } from '../prompt/index.ts';
import { PromptKeeper, UsedIds } from '../session/index.ts';
import { makeWorkspace } from '../tools/shell/index.ts';
import type { AgentContext } from './context.ts';
import { runTurn } from './loop.ts';
import { interruptedText } from './permit-call.ts';
import { wishedFields } from './request-wish.ts';
import { ToolStats } from './tool-stats.ts';

const maxRounds = 200;
/** Not for sub-agents: they start no others, ask no questions, end no plan and give no final answer. */
const mainTools: ReadonlySet<string> = new Set([
  'Task',
  'Agent',
  'AskUserQuestion',
  'ExitPlanMode',
  'StructuredOutput',
]);

export async function startSubAgent(
  context: AgentContext,
  task: AgentTask,
  parentCallId: string,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const definition = context.definitions.find(({ name }) => name === task.type);
  if (definition === undefined) return failedOutcome(`There is no agent of the type "${task.type}".`);
  const mark = { agentId: `a${randomBytes(8).toString('hex')}`, parentCallId };
  const { type: agentType, description, prompt } = task;
  const isBackground = task.isBackground || definition.isBackground === true;
  const isBuiltIn = definition.scope === 'built-in';
  await context.bus.emit({ type: 'agent-started', ...mark, agentType, description, isBuiltIn, isBackground });
  const outputFile = path.join(context.workspace().sessionDir, 'tool-results', `${mark.agentId}.output`);
  const view: TaskView = {
    id: mark.agentId,
    runId: newRunId(),
    kind: 'agent',
    callId: parentCallId,
    description,
    isBackground,
    outputFile,
    agentType,
    prompt,
  };
  const agent = new SubAgent(context, task, definition, mark, view);
  if (!isBackground) {
    await context.bus.emit({ type: 'task-started', task: view, running: context.backgroundTasks() });
    const outcome = await agent.run(signal);
    await context.bus.emit({ type: 'agent-finished', ...mark, outcome });
    const { status, report, usage } = agent.end(outcome);
    const error = status === 'failed' ? { error: report } : {};
    const ended = { task: view, status, summary: report, usage, ...error, running: context.backgroundTasks() };
    await context.bus.emit({ type: 'task-ended', ...ended });
    return outcome;
  }
  context.addBackground(view, async (stop) => {
    const outcome = await agent.run(AbortSignal.any([context.sessionSignal(), stop]));
    const end = agent.end(outcome);
    makeFolderSync(path.dirname(outputFile), 0o777);
    await writeFile(outputFile, end.report);
    await context.bus.emit({ type: 'agent-finished', ...mark, outcome });
    return end;
  });
  return {
    content: `The agent ${mark.agentId} works in the background. You will be notified when it has ended. You know nothing of its results until then: do not report or assume them. Its report will be in ${outputFile}.`,
    isError: false,
    stored: {
      isAsync: true,
      status: 'async_launched',
      agentId: mark.agentId,
      description,
      resolvedModel: agent.model,
      prompt: task.prompt,
      outputFile,
    },
    agentId: mark.agentId,
  };
}

class SubAgent {
  readonly mark: AgentMark;
  readonly #context: AgentContext;
  readonly #task: AgentTask;
  readonly #definition: AgentDefinition;
  readonly #emit: EmitEvent;
  readonly #view: TaskView;
  #calls = 0;
  readonly #stats = new ToolStats();
  #usage: JsonObject = {};
  #started = 0;
  #durationMs = 0;

  constructor(context: AgentContext, task: AgentTask, definition: AgentDefinition, mark: AgentMark, view: TaskView) {
    this.#context = context;
    this.#task = task;
    this.#definition = definition;
    this.#view = view;
    this.mark = mark;
    this.#emit = async (happening) => {
      this.#count(happening);
      await context.bus.emit(happening, mark);
      if (happening.type === 'call') await this.#reportProgress(happening.call);
    };
  }

  async run(signal: AbortSignal): Promise<ToolOutcome> {
    const { clock } = this.#context;
    this.#started = clock.now().getTime();
    const context = this.#ownContext();
    const { context: added } = await context.hooks.run('SubagentStart', this.#task.type, {}, signal);
    const prompts = [
      { content: this.#task.prompt, isMeta: false },
      ...added.map((content) => ({ content, isMeta: true })),
    ];
    const ended = await runTurn(prompts, context, signal);
    this.#durationMs = clock.now().getTime() - this.#started;
    return this.#outcome(ended, this.#durationMs);
  }

  end(outcome: ToolOutcome): AgentEnd {
    const isKilled = outcome.isError && outcome.content === interruptedText;
    const status = isKilled ? 'killed' : outcome.isError ? 'failed' : 'completed';
    return { status, report: outcomeText(outcome), usage: this.#used(this.#durationMs) };
  }

  #used(durationMs: number): TaskUsage {
    return { totalTokens: this.#context.meter.contextTokens(this.mark.agentId), toolUses: this.#calls, durationMs };
  }

  async #reportProgress(call: ToolCallView): Promise<void> {
    const usage = this.#used(this.#context.clock.now().getTime() - this.#started);
    await this.#context.bus.emit({
      type: 'task-progress',
      task: this.#view,
      tool: call.name,
      text: progressText(call),
      usage,
    });
  }

  #count(happening: AgentHappening): void {
    if (happening.type === 'result') {
      this.#calls++;
      this.#stats.add(happening);
    }
    if (happening.type === 'answer') this.#usage = happening.usage;
  }

  #ownContext(): AgentContext {
    const context = this.#context;
    const { agentId } = this.mark;
    const { maxBudgetUsd } = context.options;
    const workspace = makeWorkspace({ ...context.workspace(), isCwdFixed: true, todos: [] });
    const tools = this.#tools();
    const { model } = this;
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
      limits: {
        maxTurns: this.#definition.maxTurns ?? maxRounds,
        ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
      },
      compaction: undefined,
      output: undefined,
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
      takeQueued: async () => [],
      findInstructions: async () => [],
      askStop: async (text, isActive, signal) => {
        const fields = {
          stop_hook_active: isActive,
          agent_transcript_path: this.#transcript(),
          last_assistant_message: text,
          ...backgroundFields(context.backgroundTasks()),
        };
        const verdict = await hooks.run('SubagentStop', this.#task.type, fields, signal);
        return stopAnswer(verdict);
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

  get model(): string {
    const { env } = this.#context.options;
    const forced = env.CLAUDE_CODE_SUBAGENT_MODEL?.trim();
    const named = forced && forced !== 'inherit' ? forced : (this.#task.model ?? this.#definition.model);
    return named === undefined || named === 'inherit' ? this.#context.model() : resolveModel(named, env);
  }

  #hookFacts(cwd: string) {
    const { session, mode } = this.#context;
    const { sessionId, file } = session();
    const promptId = this.#context.promptId();
    const { effort } = wishedFields(this.model, this.#context.wish());
    return {
      sessionId,
      transcriptPath: file,
      cwd,
      mode: mode(),
      agent: { id: this.mark.agentId, type: this.#task.type },
      ...(promptId === undefined ? {} : { promptId }),
      ...(effort === undefined ? {} : { effort }),
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
        agentType: this.#task.type,
        toolsUsed: this.#stats.toolsUsed,
        content,
        resolvedModel: this.model,
        totalDurationMs,
        totalTokens: this.#context.meter.contextTokens(agentId),
        totalToolUseCount: this.#calls,
        usage: this.#usage,
        toolStats: this.#stats.stats,
      },
      agentId,
    };
  }
}

/** As hooks get what runs in the background. Clew schedules nothing. */
export function backgroundFields(tasks: readonly TaskView[]): JsonObject {
  const background = tasks.map(({ id, kind, description, command, agentType }) => ({
    id,
    type: kind === 'shell' ? 'shell' : 'subagent',
    status: 'running',
    description: clip(description),
    ...(command === undefined ? {} : { command: clip(command) }),
    ...(agentType === undefined ? {} : { agent_type: agentType }),
  }));
  return { background_tasks: background, session_crons: [] };
}

const maxTaskChars = 1000;

function clip(text: string): string {
  const over = text.length - maxTaskChars;
  return over <= 0 ? text : `${text.slice(0, maxTaskChars).toWellFormed()}… [+${over} chars]`;
}

function outcomeText({ content }: ToolOutcome): string {
  if (typeof content === 'string') return content;
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

const verbs: Readonly<Record<string, string>> = { Read: 'Reading', Edit: 'Editing', Write: 'Writing', Bash: 'Running' };
const maxProgressChars = 120;

/** One line: what a sub-agent is doing. */
function progressText({ name, input }: ToolCallView): string {
  const named = [input.description, input.command, input.file_path, input.pattern, input.url, input.query];
  const what = named.find((each) => typeof each === 'string') ?? '';
  const text = `${verbs[name] ?? name} ${String(what)}`.replace(/\s+/g, ' ').trim();
  return text.length <= maxProgressChars ? text : `${text.slice(0, maxProgressChars).toWellFormed()}…`;
}
