// The context of one tool call: the only way in which a tool asks the user, a model or a sub-agent.
import type { ModelRequest } from '../../api/client/model.ts';
import { outputTokensOf } from '../../models/facts.ts';
import type { ToolCallView } from '../contract/event.ts';
import type { CallContext, SideAnswer, SideRequest } from '../contract/tool.ts';
import type { AgentContext } from './context.ts';
import { collectAnswer } from './side-answer.ts';

/** `close` ends its progress: a call reports nothing after its result. */
export function openCall(
  context: AgentContext,
  view: ToolCallView,
  signal: AbortSignal,
  { confinement, isApproved }: Pick<CallContext, 'confinement' | 'isApproved'>,
): { readonly call: CallContext; close(): void } {
  const { bus, mark } = context;
  let isOpen = true;
  const call: CallContext = {
    callId: view.id,
    signal,
    confinement,
    isApproved,
    workspace: context.workspace(),
    mayTouch: (access, file) => {
      const where = { mode: context.mode(), cwd: context.workspace().cwd, isReadOnly: access === 'read' };
      const { kind } = context.judge.judge({ ...view, input: { file_path: file } }, where);
      return kind === 'allow' || (kind === 'ask' && isApproved);
    },
    progress: (progress) => {
      if (isOpen) bus.post({ type: 'call-progress', callId: view.id, progress }, mark);
    },
    keepFile: async (file) => {
      const kept = await context.session().recorder.keepFile(file);
      if (kept !== undefined) await context.emit(kept);
    },
    askUser: (question) => context.askUser(question, signal),
    askModel: (request) => askModel(context, request, signal),
    startAgent: (task) => context.startAgent(task, view.id, signal),
  };
  return {
    call,
    close: () => {
      isOpen = false;
    },
  };
}

async function askModel(
  context: AgentContext,
  { system, prompt, maxTokens, serverTools, size }: SideRequest,
  signal: AbortSignal,
): Promise<SideAnswer> {
  const model = size === 'small' ? context.smallModel : context.model();
  const request: ModelRequest = {
    model,
    system: [system],
    messages: [{ role: 'user', content: prompt }],
    tools: [],
    ...(serverTools === undefined ? {} : { serverTools }),
    maxTokens: outputTokensOf(model, maxTokens),
  };
  const answer = await collectAnswer(request, context, signal);
  if (answer.kind === 'answered') return { blocks: answer.blocks };
  return { problem: answer.kind === 'failed' ? answer.failure.message : 'it was interrupted' };
}
