// Sends one plain request to the Messages API and returns the text of the answer. An error is one line; nothing is
// retried, because every caller has a fallback.
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, isObject, parseJson } from '../../base/json/index.ts';
import { makeFetch } from '../../base/network/index.ts';
import { baseUrlOf, mergeHeaders } from '../connection/index.ts';
import { reasonOf } from './model.ts';

export interface Question {
  readonly model: string;
  readonly system: string;
  readonly prompt: string;
  readonly maxTokens: number;
}

export interface AskOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** What to do instead if it fails, for the error message. */
  readonly instead: string;
}

/** The connection is that of the agent, without settings, helpers and platforms (docs/connections.md). */
export async function askModel(question: Question, { env, timeoutMs = 180_000, instead }: AskOptions): Promise<string> {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token } = env;
  if (!key && !token) throw new UserError('ANTHROPIC_API_KEY is not set', `set it, or ${instead}`);
  const { status, text } = await post(env, question, timeoutMs, instead);
  const body = asObject(parseJson(text));
  if (status !== 200) {
    const said = asString(asObject(body?.error)?.message) ?? text.slice(0, 200);
    throw failure(`the API answered ${status}: ${said}`, instead);
  }
  const blocks = isArray(body?.content) ? body.content.filter(isObject) : [];
  const answer = blocks.flatMap((block) => (block.type === 'text' ? (asString(block.text) ?? []) : [])).join('\n');
  if (answer.trim() === '') throw failure(`the API returned no text (${body?.stop_reason ?? 'no reason'})`, instead);
  if (body?.stop_reason === 'max_tokens')
    throw failure(`the answer did not fit into ${question.maxTokens} tokens`, instead);
  return answer;
}

async function post(
  env: NodeJS.ProcessEnv,
  { model, system, prompt, maxTokens }: Question,
  timeoutMs: number,
  instead: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const messages = [{ role: 'user', content: prompt }];
  const url = `${baseUrlOf(env).replace(/\/+$/, '')}/v1/messages`;
  const keys = {
    ...(env.ANTHROPIC_API_KEY ? { 'x-api-key': env.ANTHROPIC_API_KEY } : {}),
    ...(env.ANTHROPIC_AUTH_TOKEN ? { authorization: `Bearer ${env.ANTHROPIC_AUTH_TOKEN}` } : {}),
  };
  const usual = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
  const headers = mergeHeaders({ ...usual, ...keys }, env);
  const fetch = makeFetch(env);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, max_tokens: maxTokens, system, messages }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const why = isLate
      ? `did not answer within ${Math.round(timeoutMs / 1000)} s`
      : `cannot be reached (${reasonOf(error)})`;
    throw failure(`${new URL(url).host} ${why}`, instead);
  }
}

function failure(message: string, instead: string): UserError {
  return new UserError(message.replace(/\s+/g, ' '), instead, exitCodes.failed);
}
