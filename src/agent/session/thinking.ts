// A request → the request without the thinking that the API would refuse. Every answer is stored with hashes of its
// request; its thinking is valid as long as the same content comes before it.
import type { ModelRequest } from '../../api/client/index.ts';
import { isBinding, sentBlocks, shortHash, thinkingId } from '../../api/request/index.ts';
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import { promptHash } from './frozen-prompt.ts';

/** Hashes of the request that an answer belongs to. */
export interface PrefixMark {
  /** The system prompt and the tools. */
  readonly prompt: string;
  /** All messages without thinking. */
  readonly messages: string;
  /** The last thinking block before the answer. */
  readonly thinking: string | null;
}

/** What is stored about a thinking block. */
export interface KnownThinking {
  /** `undefined` if another program or an older Clew wrote it. */
  readonly mark: PrefixMark | undefined;
  readonly model: string | undefined;
}

/** By block id. */
export type ThinkingMarks = ReadonlyMap<string, KnownThinking>;

export function readMark(value: unknown): PrefixMark | undefined {
  const { prompt, messages, thinking } = asObject(value) ?? {};
  if (typeof prompt !== 'string' || typeof messages !== 'string') return undefined;
  return { prompt, messages, thinking: asString(thinking) ?? null };
}

/** The mark for the answer to this request. */
export function markOf({ system, tools, messages }: ModelRequest): PrefixMark {
  const walk = new Walk();
  for (const block of sentBlocks(messages)) walk.pass(block);
  return { prompt: promptHash(system, tools), messages: walk.hash, thinking: walk.thinking ?? null };
}

/** Answers whose thinking is left out of a request. */
export interface LeftOut {
  readonly answers: number;
  /** The reason for the first of them. */
  readonly why: string;
}

export interface FittedRequest {
  readonly messages: ModelRequest['messages'];
  readonly leftOut: LeftOut | undefined;
}

/** Leaves out thinking that is no longer valid. Missing thinking at the start is harmless. */
export function fitThinking(request: ModelRequest, marks: ThinkingMarks): FittedRequest {
  if (!isBinding(request.model)) return { messages: request.messages, leftOut: undefined };
  const prompt = promptHash(request.system, request.tools);
  const blocks = sentBlocks(request.messages);
  const firstThinking = new Map(
    blocks
      .filter(({ isThinking }) => isThinking)
      .toReversed()
      .map(({ messageIndex, block }) => [messageIndex, thinkingId(block)] as const),
  );
  const removed = new Set<JsonObject>();
  const answers = new Set<number>();
  const walk = new Walk();
  let why: string | undefined;
  /** All blocks of an answer are valid or none. */
  let answer: { readonly index: number; readonly problem: string | undefined } | undefined;
  for (const sent of blocks) {
    if (sent.messageIndex !== answer?.index) {
      const id = firstThinking.get(sent.messageIndex);
      const problem = id === undefined ? undefined : problemOf(marks.get(id), prompt, walk);
      answer = { index: sent.messageIndex, problem };
    }
    if (sent.isThinking && answer.problem !== undefined) {
      removed.add(sent.block);
      answers.add(sent.messageIndex);
      why ??= answer.problem;
    } else {
      walk.pass(sent);
      if (!sent.isThinking) continue;
      // A valid answer was made without the missing thinking before it, so the user already knows.
      answers.clear();
      why = undefined;
    }
  }
  if (removed.size === 0) return { messages: request.messages, leftOut: undefined };
  const messages = request.messages.map((message) => {
    const { content } = message;
    if (typeof content === 'string' || !content.some((block) => removed.has(block))) return message;
    return { ...message, content: content.filter((block) => !removed.has(block)) };
  });
  return { messages, leftOut: why === undefined ? undefined : { answers: answers.size, why } };
}

function problemOf(known: KnownThinking | undefined, prompt: string, walk: Walk): string | undefined {
  const mark = known?.mark;
  // Older models accept their thinking after any text.
  if (mark === undefined) return isBinding(known?.model) ? 'another program, or an older Clew, wrote it' : undefined;
  if (mark.prompt !== prompt) return 'the system prompt or the tools have changed';
  if (mark.messages !== walk.hash) return 'the conversation before it has changed';
  if (walk.thinking !== undefined && mark.thinking !== walk.thinking) return 'reasoning before it is not sent';
  return undefined;
}

export function hasThinking({ messages }: ModelRequest): boolean {
  return sentBlocks(messages).some(({ isThinking }) => isThinking);
}

export function withoutThinking(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message) => {
    const { content } = message;
    if (typeof content === 'string' || message.role !== 'assistant') return message;
    const kept = content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
    return kept.length === content.length ? message : { ...message, content: kept };
  });
  return { ...request, messages: messages.filter(({ content }) => content.length > 0) };
}

/** The content that was sent so far. */
class Walk {
  hash = '';
  thinking: string | undefined;

  pass(sent: ReturnType<typeof sentBlocks>[number]): void {
    if (sent.isThinking) this.thinking = thinkingId(sent.block);
    else this.hash = shortHash([this.hash, sent.hash]);
  }
}
