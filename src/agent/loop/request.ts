// The conversation as it is now → the next request, without the thinking that the API would refuse.
import type { ModelRequest } from '../../api/client/model.ts';
import { outputTokensOf } from '../../models/facts.ts';
import { fitThinking } from '../session/thinking.ts';
import type { AgentContext } from './context.ts';

const defaultOutputTokens = 32_000;

type RequestContext = Pick<
  AgentContext,
  'prompt' | 'model' | 'messages' | 'marks' | 'thinkingTokens' | 'thinkingNotices' | 'emit'
>;

/** Emits a notice if the request leaves out more thinking than the last one. */
export async function makeRequest(context: RequestContext): Promise<ModelRequest> {
  const { thinkingTokens, thinkingNotices } = context;
  const { system, tools } = await context.prompt().current();
  const model = context.model();
  const request: ModelRequest = {
    model,
    system,
    messages: context.messages(model),
    tools,
    maxTokens: outputTokensOf(model, defaultOutputTokens),
    ...(thinkingTokens === undefined ? {} : { thinkingTokens }),
  };
  const { messages, leftOut } = fitThinking(request, context.marks());
  const answers = leftOut?.answers ?? 0;
  if (answers > thinkingNotices.leftOut) {
    const which = answers === 1 ? '1 answer' : `${answers} answers`;
    const text = `the reasoning of ${which} is no longer sent: ${leftOut?.why ?? ''}`;
    await context.emit({ type: 'notice', level: 'warn', text });
  }
  thinkingNotices.leftOut = answers;
  return { ...request, messages };
}
