// The core of an agent and one of its conversations → the parts its loop runs with: which tools it has, what a call may
// ask back, what a request is made of.
import { outputTokensOf } from '../models/facts.ts';
import type { AgentCore } from './agent-core.ts';
import type { AgentHooks } from './agent-hooks.ts';
import type { AgentMark, ToolCallView } from './event.ts';
import type { LoopParts, TurnCompaction, TurnLimits } from './loop.ts';
import type { ModelRequest } from './parts.ts';
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
  readonly system: () => Promise<readonly string[]>;
  readonly messages: (model: string) => ModelRequest['messages'];
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
  return {
    streamModel: core.streamModel,
    clock: core.clock,
    maxRetries: core.maxRetries,
    usedIds: options.usedIds,
    findTool: (name) => findTool(options.tools(), name),
    hooks: options.hooks,
    judge: core.judge,
    approve: core.approve,
    mode: core.mode,
    cwd: () => options.workspace().cwd,
    ...(mark === undefined ? {} : { agentId: mark.agentId }),
    openCall: (view, signal) => openCall(core, options, view, signal),
    request: () => makeRequest(core, options),
    costMicros: () => core.meter.costMicros,
    limits: options.limits,
    compaction: options.compaction,
    takeNews: options.takeNews,
    findInstructions: options.findInstructions,
    askStop: options.askStop,
  };
}

export async function makeRequest(core: AgentCore, options: ConversationOptions): Promise<ModelRequest> {
  const system = await options.system();
  const model = options.model();
  return {
    model,
    system,
    messages: options.messages(model),
    tools: options.tools(),
    maxTokens: outputTokensOf(model, defaultOutputTokens),
    ...(core.thinkingTokens === undefined ? {} : { thinkingTokens: core.thinkingTokens }),
  };
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
): { readonly context: CallContext; close(): void } {
  const { mark } = options;
  let isOpen = true;
  const context: CallContext = {
    callId: view.id,
    signal,
    workspace: options.workspace(),
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
