// A hook of the type `prompt` → one request to a model, outside of the conversation.
import type { ModelRequest } from '../../api/client/index.ts';
import { asString } from '../../base/json/index.ts';
import { outputTokensOf, resolveModel } from '../../models/index.ts';
import type { AgentContext } from './context.ts';
import { collectAnswer } from './request.ts';

const maxTokens = 2000;

/** Without a model, the small one is asked. */
export async function askForHook(
  context: AgentContext,
  question: { readonly system: string; readonly prompt: string; readonly model?: string },
  signal: AbortSignal,
): Promise<string> {
  const model = question.model === undefined ? context.smallModel : resolveModel(question.model, context.options.env);
  const request: ModelRequest = {
    model,
    system: [question.system],
    messages: [{ role: 'user', content: question.prompt }],
    tools: [],
    maxTokens: outputTokensOf(model, maxTokens),
  };
  const answer = await collectAnswer(request, context, signal);
  if (answer.kind === 'answered') return answer.blocks.map((block) => asString(block.text) ?? '').join('');
  throw new Error(answer.kind === 'failed' ? answer.failure.message : 'it was interrupted');
}
