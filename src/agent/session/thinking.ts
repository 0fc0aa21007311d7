// A request → the request without the thinking that the API would refuse. Every answer is stored with hashes of its
// request; its thinking is valid as long as the same content comes before it.
import type { ModelRequest } from '../../api/client/index.ts';
import { isBinding, sentBlocks, shortHash, thinkingId } from '../../api/request/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject } from '../../base/json/index.ts';
import { type Effort, isEffort } from '../../models/index.ts';
import { isThinking } from '../../session/resume/messages/index.ts';
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

/** What is stored about the answers of a conversation. */
export interface ThinkingMarks {
  /** By block id. */
  readonly thinking: ReadonlyMap<string, KnownThinking>;
  /** The effort of an answer, by the hash of the messages before it. */
  readonly efforts: ReadonlyMap<string, Effort>;
}

export const noMarks: ThinkingMarks = { thinking: new Map(), efforts: new Map() };

/** Collects what the lines of a conversation say. */
export class KnownAnswers implements ThinkingMarks {
  readonly thinking: Map<string, KnownThinking>;
  readonly efforts: Map<string, Effort>;

  constructor({ thinking, efforts }: ThinkingMarks = noMarks) {
    this.thinking = new Map(thinking);
    this.efforts = new Map(efforts);
  }

  note(entry: JsonObject): void {
    const message = asObject(entry.message);
    if (entry.type !== 'assistant' || !isArray(message?.content)) return;
    const mark = readMark(entry.clewPrefix);
    if (mark !== undefined && isEffort(entry.effort)) this.efforts.set(mark.messages, entry.effort);
    for (const block of message.content.filter(isObject).filter(isThinking))
      this.thinking.set(thinkingId(block), { mark, model: asString(message.model) });
  }
}

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
export function fitThinking(request: ModelRequest, { thinking: known }: ThinkingMarks): FittedRequest {
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
      const problem = id === undefined ? undefined : problemOf(known.get(id), prompt, walk);
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

/**
 * Adds where the effort of the conversation changed. The API caches the messages together with the effort of the
 * request, so the request keeps the first one and a message reports each change.
 */
export function withEffortHistory(request: ModelRequest, { efforts }: ThinkingMarks): ModelRequest {
  const { effort, messages } = request;
  if (effort === undefined) return request;
  const before = hashesBefore(messages);
  const effortAfter = (index: number): Effort | undefined => {
    const answer = messages.findIndex(({ role }, i) => i > index && role === 'assistant');
    return answer < 0 ? effort : efforts.get(before[answer] ?? '');
  };
  const effortChanges: { readonly afterMessage: number; readonly effort: Effort }[] = [];
  let firstEffort: Effort | undefined;
  let current: Effort | undefined;
  for (const [afterMessage, message] of messages.entries()) {
    if (!hasNewInput(message)) continue;
    const next = effortAfter(afterMessage);
    if (next === undefined || next === current) continue;
    if (current === undefined) firstEffort = next;
    else effortChanges.push({ afterMessage, effort: next });
    current = next;
  }
  // In the middle of a turn the effort is still that of the turn's first request.
  return { ...request, effort: current ?? effort, firstEffort: firstEffort ?? effort, effortChanges };
}

/** By message: the hash of all messages before it. */
function hashesBefore(messages: ModelRequest['messages']): readonly string[] {
  const walk = new Walk();
  const hashes: string[] = [];
  for (const sent of sentBlocks(messages)) {
    hashes[sent.messageIndex] ??= walk.hash;
    walk.pass(sent);
  }
  return hashes;
}

/** Results alone are not new input for the API. */
function hasNewInput({ role, content }: ModelRequest['messages'][number]): boolean {
  if (role !== 'user') return false;
  return typeof content === 'string' || content.some(({ type }) => type !== 'tool_result');
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
