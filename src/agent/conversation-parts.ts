// The core of an agent and one of its conversations → the parts its loop runs with: which tools it has, what a call may
// ask back, what a request is made of.
import { outputTokensOf } from '../models/facts.ts';
import type { AgentCore } from './agent-core.ts';
import type { AgentHooks } from './agent-hooks.ts';
import { type Section, toldTexts, untoldSections } from './context/situation.ts';
import type { AgentMark, Notice, ToolCallView } from './event.ts';
import { fitThinking, type LeftOut, type ThinkingMarks } from './fit-thinking.ts';
import type { LoopParts, TurnCompaction, TurnLimits } from './loop.ts';
import type { ModelRequest } from './parts.ts';
import type { PromptKeeper } from './prompt-keeper.ts';
import { collectAnswer } from './side-answer.ts';
import {
  type AgentTask,
  type CallContext,
  namesOf,
  type SideAnswer,
  type SideRequest,
  type Tool,
  type ToolOutcome,
  type Workspace,
} from './tool.ts';
import type { UsedIds } from './used-ids.ts';

export interface ConversationOptions {
  readonly mark?: AgentMark;
  readonly hooks: AgentHooks;
  readonly workspace: () => Workspace;
  readonly model: () => string;
  readonly tools: () => readonly Tool[];
  readonly prompt: () => PromptKeeper;
  readonly sections: () => Promise<readonly Section[]>;
  readonly messages: (model: string) => ModelRequest['messages'];
  /** What is known of the thinking in them. */
  readonly marks: () => ThinkingMarks;
  readonly limits: TurnLimits;
  readonly usedIds: () => UsedIds;
  readonly compaction: TurnCompaction | undefined;
  readonly takeNews: () => readonly string[];
  readonly findInstructions: LoopParts['findInstructions'];
  readonly askStop: LoopParts['askStop'];
  readonly startAgent: (task: AgentTask, callId: string, signal: AbortSignal) => Promise<ToolOutcome>;
}

const defaultOutputTokens = 32_000;

export function makeLoopParts(core: AgentCore, options: ConversationOptions): LoopParts {
  const { mark } = options;
  let toldLeftOut = 0;
  return {
    streamModel: core.streamModel,
    clock: core.clock,
    maxRetries: core.maxRetries,
    usedIds: options.usedIds,
    reportedThinking: new Set(),
    findTool: (name) => findTool(options.tools(), name),
    hooks: options.hooks,
    judge: core.judge,
    approve: core.approve,
    mode: core.mode,
    cwd: () => options.workspace().cwd,
    ...(mark === undefined ? {} : { agentId: mark.agentId }),
    openCall: (view, signal, permit) => openCall(core, options, view, signal, permit),
    request: async () => {
      const { request, leftOut } = await makeRequest(core, options);
      const answers = leftOut?.answers ?? 0;
      if (answers > toldLeftOut) await core.bus.emit(leftOutNotice(answers, leftOut?.why ?? ''), mark);
      toldLeftOut = answers;
      return request;
    },
    situation: async () => {
      const told = toldTexts(options.messages(options.model()));
      return untoldSections(await options.sections(), told);
    },
    costMicros: () => core.meter.costAgainstLimit,
    limits: options.limits,
    compaction: options.compaction,
    takeNews: options.takeNews,
    findInstructions: options.findInstructions,
    askStop: options.askStop,
  };
}

async function makeRequest(
  core: AgentCore,
  options: ConversationOptions,
): Promise<{ readonly request: ModelRequest; readonly leftOut: LeftOut | undefined }> {
  const { system, tools } = await options.prompt().current();
  const model = options.model();
  const request: ModelRequest = {
    model,
    system,
    messages: options.messages(model),
    tools,
    maxTokens: outputTokensOf(model, defaultOutputTokens),
    ...(core.thinkingTokens === undefined ? {} : { thinkingTokens: core.thinkingTokens }),
  };
  const { messages, leftOut } = fitThinking(request, options.marks());
  return { request: { ...request, messages }, leftOut };
}

function leftOutNotice(answers: number, why: string): Notice {
  const which = answers === 1 ? '1 answer' : `${answers} answers`;
  return { type: 'notice', level: 'warn', text: `the reasoning of ${which} is no longer sent: ${why}` };
}

function findTool(tools: readonly Tool[], name: string): Tool | undefined {
  const names = namesOf(name);
  return tools.find((tool) => names.includes(tool.name));
}

function openCall(
  core: AgentCore,
  options: ConversationOptions,
  view: ToolCallView,
  signal: AbortSignal,
  { confinement, isApproved }: Parameters<LoopParts['openCall']>[2],
): { readonly context: CallContext; close(): void } {
  const { mark } = options;
  let isOpen = true;
  const context: CallContext = {
    callId: view.id,
    signal,
    confinement,
    isApproved,
    workspace: options.workspace(),
    mayTouch: (access, file) => {
      const where = { mode: core.mode(), cwd: options.workspace().cwd, isReadOnly: access === 'read' };
      const { kind } = core.judge.judge({ ...view, input: { file_path: file } }, where);
      return kind === 'allow' || (kind === 'ask' && isApproved);
    },
    progress: (progress) => {
      if (isOpen) core.bus.tell({ type: 'call-progress', callId: view.id, progress }, mark);
    },
    keepFile: async (file) => {
      const kept = await core.session().recorder.keepFile(file);
      if (kept !== undefined) await core.bus.emit(kept, mark);
    },
    askPerson: (question) => core.askPerson(question, signal),
    askModel: (request) => askModel(core, options.model(), request, signal),
    startAgent: (task) => options.startAgent(task, view.id, signal),
  };
  return {
    context,
    close: () => {
      isOpen = false;
    },
  };
}

async function askModel(
  core: AgentCore,
  mainModel: string,
  { system, prompt, maxTokens, serverTools, size }: SideRequest,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const model = size === 'small' ? core.smallModel : mainModel;
  const request: ModelRequest = {
    model,
    system: [system],
    messages: [{ role: 'user', content: prompt }],
    tools: [],
    ...(serverTools === undefined ? {} : { serverTools }),
    maxTokens: outputTokensOf(model, maxTokens),
  };
  const answer = await collectAnswer(request, core, signal);
  if (answer.kind === 'answered') return { blocks: answer.blocks };
  return { problem: answer.kind === 'failed' ? answer.failure.message : 'it was interrupted' };
}
