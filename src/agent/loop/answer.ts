// Sends a request and emits the answer as events, each block once; retries when the failure allows it. The last block
// is held back until the answer ends, so that its line has the final usage and stop reason.

import { randomUUID } from 'node:crypto';
import {
  isThinkingRefused,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  streamFailure,
} from '../../api/client/index.ts';
import { sentBlocks, thinkingId } from '../../api/request/index.ts';
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import type { AnswerHead, EmitEvent, ModelSwitched, ThinkingReported, ToolCallView } from '../contract/index.ts';
import { hasThinking, markOf, type UsedIds, withoutThinking } from '../session/index.ts';
import type { AgentContext } from './context.ts';
import type { Clock } from './event-bus.ts';
import { retryDelayMs, switchReason } from './retry.ts';

/** A call whose line is written but whose result is not. */
export interface OpenCall {
  readonly view: ToolCallView;
  /** The line of the call. */
  readonly uuid: string;
  /** Why the call cannot run. */
  readonly inputProblem?: string;
}

export interface Answer {
  readonly stopReason: string | null;
  readonly calls: readonly OpenCall[];
  /** The text blocks, joined. */
  readonly text: string;
  readonly blockCount: number;
}

export type AnswerOutcome = { readonly apiMs: number } & (
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'interrupted'; readonly calls: readonly OpenCall[] }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  /** Another model may answer. */
  | { readonly kind: 'switched'; readonly trigger: ModelSwitched['trigger'] }
);

type AnswerContext = Pick<
  AgentContext,
  'streamModel' | 'clock' | 'maxRetries' | 'usedIds' | 'thinkingNotices' | 'emit'
>;

export async function requestAnswer(
  request: ModelRequest,
  context: AnswerContext,
  signal: AbortSignal,
  hasFallback = false,
): Promise<AnswerOutcome> {
  const { clock, maxRetries, emit } = context;
  let apiMs = 0;
  let sent = request;
  let refusal: string | undefined;
  let isStripped = false;
  for (let attempt = 1; ; attempt++) {
    const begin = async (head: AnswerHead, transformations: readonly JsonObject[]): Promise<void> => {
      if (refusal !== undefined && !isStripped) await emitStripped(refusal, emit);
      isStripped = refusal !== undefined;
      await reportThinking(head, transformations, sent, context);
    };
    const taken = new TakenAnswer(sent, context, begin);
    await emit({ type: 'request', model: sent.model, attempt });
    const started = clock.now().getTime();
    const failure = await takeAnswer(context.streamModel(sent, signal), taken, signal);
    const durationMs = clock.now().getTime() - started;
    apiMs += durationMs;
    if (signal.aborted && !taken.isEnded) {
      return { kind: 'interrupted', calls: await taken.breakOff(), apiMs };
    }
    if (failure === undefined || taken.hasCalls) {
      return { kind: 'answered', answer: await taken.finish(durationMs), apiMs };
    }
    await taken.abandon();
    if (refusal === undefined && isThinkingRefused(failure) && hasThinking(sent)) {
      // Without delay and only once: the same request would be refused again.
      refusal = failure.message;
      sent = withoutThinking(sent);
      attempt--;
      continue;
    }
    const trigger = hasFallback ? switchReason(failure, attempt) : undefined;
    if (trigger !== undefined) return { kind: 'switched', trigger, apiMs };
    if (!failure.isRetryable || attempt > maxRetries) return { kind: 'failed', failure, apiMs };
    const delayMs = retryDelayMs(attempt, failure, clock.random());
    await emit({ type: 'retry', uuid: randomUUID(), attempt, maxRetries, delayMs, error: failure });
    await clock.sleep(delayMs, signal);
    if (signal.aborted) return { kind: 'interrupted', calls: [], apiMs };
  }
}

/** Written before the answer: no client sends the thinking before this line again. */
async function emitStripped(why: string, emit: EmitEvent): Promise<void> {
  await emit({ type: 'thinking-stripped', uuid: randomUUID(), why });
  const text = 'the API refused the reasoning of earlier answers, so the session continues without it';
  await emit({ type: 'notice', level: 'warn', text });
}

const prefixMismatch = 'prefix_binding_mismatch';

/** Emits what the API reports about the thinking of a request, once per block. */
async function reportThinking(
  message: AnswerHead,
  transformations: readonly JsonObject[],
  request: ModelRequest,
  { thinkingNotices: { reported }, emit }: AnswerContext,
): Promise<void> {
  if (transformations.length === 0) return;
  const ids = new Map(sentBlocks(request.messages).map(({ path, block }) => [path, thinkingId(block)]));
  const entries: ThinkingReported['entries'][number][] = [];
  for (const { type, path, reason } of transformations) {
    const entry = { type: asString(type) ?? '', path: asString(path) ?? '', reason: asString(reason) ?? '' };
    const id = ids.get(entry.path);
    if (!knownReports.has(entry.type) || id === undefined || reported.has(id)) continue;
    reported.add(id);
    entries.push(entry);
  }
  if (entries.length === 0) return;
  await emit({ type: 'thinking-reported', message, entries });
  const count = entries.filter(({ reason }) => reason === prefixMismatch).length;
  if (count === 0) return;
  const text = `${count} thinking blocks no longer fit their conversation, according to the API; please report this as a bug in Clew`;
  await emit({
    type: 'notice',
    level: 'warn',
    text: count === 1 ? text.replace('blocks no longer fit their', 'block no longer fits its') : text,
  });
}

const knownReports: ReadonlySet<string> = new Set(['thinking_dropped', 'thinking_mismatch_allowed']);

/** Reads until the answer ends, fails or is aborted. */
async function takeAnswer(
  events: AsyncIterable<ModelEvent>,
  taken: TakenAnswer,
  signal: AbortSignal,
): Promise<ModelFailure | undefined> {
  for await (const event of events) {
    if (signal.aborted) return undefined;
    if (event.type === 'failed') return event.failure;
    await taken.hear(event);
    if (event.type === 'end') return undefined;
  }
  return streamFailure('stream_cut', 'the answer broke off before its end', undefined);
}

interface HeldBlock {
  readonly block: JsonObject;
  readonly inputProblem: string | undefined;
  readonly index: number;
  readonly streamMs: number | undefined;
  readonly isAborted?: true;
}

type BeginAnswer = (head: AnswerHead, transformations: readonly JsonObject[]) => Promise<void>;

/** The part of an answer that one attempt has received. */
class TakenAnswer {
  readonly #usedIds: UsedIds;
  readonly #emit: EmitEvent;
  readonly #clock: Clock;
  readonly #requested: Pick<AnswerHead, 'requestedModel' | 'prefix' | 'effort'>;
  readonly #begin: BeginAnswer;
  readonly #calls: OpenCall[] = [];
  readonly #texts: string[] = [];
  #head: AnswerHead | undefined;
  #usage: JsonObject = {};
  #stopReason: string | null = null;
  #held: HeldBlock | undefined;
  #written = 0;
  /** The block that is not finished: its number, when it began, and its text. */
  #open = { index: 0, startedMs: 0, text: '' };
  isEnded = false;

  constructor(request: ModelRequest, { usedIds, emit, clock }: AnswerContext, begin: BeginAnswer) {
    this.#usedIds = usedIds();
    this.#emit = emit;
    this.#clock = clock;
    const { model, effort } = request;
    this.#requested = {
      requestedModel: model,
      ...(effort === undefined ? {} : { effort }),
      prefix: markOf(request),
    };
    this.#begin = begin;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0 || this.#held?.block.type === 'tool_use';
  }

  async hear(event: ModelEvent): Promise<void> {
    switch (event.type) {
      case 'start': {
        const { id, model, requestId, usage, transformations = [] } = event;
        this.#head = { id: this.#usedIds.forMessage(id), model, requestId, ...this.#requested };
        this.#usage = usage;
        return this.#begin(this.#head, transformations);
      }
      case 'part':
        if (event.raw.type === 'content_block_start') await this.#openBlock(event.index);
        if (event.kind === 'text') this.#open.text += event.text;
        return this.#emit(event);
      case 'block': {
        await this.#writeHeld(null);
        const { index, inputProblem } = event;
        const streamMs = index === this.#open.index ? this.#now() - this.#open.startedMs : undefined;
        this.#open.text = '';
        this.#held = { block: this.#withFreshId(event.block), inputProblem, index, streamMs };
        return;
      }
      case 'end':
        this.#usage = event.usage;
        this.#stopReason = event.stopReason;
        this.isEnded = true;
        return;
      case 'failed':
        return;
      default:
        event satisfies never;
    }
  }

  /** The block before this one is not the last, so it can be written. */
  async #openBlock(index: number): Promise<void> {
    await this.#writeHeld(null);
    this.#open = { index, startedMs: this.#now(), text: '' };
  }

  #now(): number {
    return this.#clock.now().getTime();
  }

  async finish(durationMs: number): Promise<Answer> {
    const { stopReason } = this.#held === undefined ? { stopReason: this.#stopReason } : await this.#writeLast();
    if (this.#head !== undefined)
      await this.#emit({ type: 'answer', message: this.#head, stopReason, usage: this.#usage, durationMs });
    return { stopReason, calls: this.#calls, text: this.#texts.join('\n'), blockCount: this.#written };
  }

  /** The user has seen the partial text, so the model must know that it was sent. */
  async breakOff(): Promise<readonly OpenCall[]> {
    await this.#writeHeld(null);
    const { text, index } = this.#open;
    if (text.trim() !== '') {
      const block = { type: 'text', text };
      this.#held = { block, inputProblem: undefined, index, streamMs: undefined, isAborted: true };
      await this.#writeHeld(null);
    }
    return this.#calls;
  }

  async abandon(): Promise<void> {
    if (this.#written > 0 && this.#head !== undefined)
      await this.#emit({ type: 'answer-abandoned', message: this.#head });
  }

  /** A call that was cut off at the output limit must not run. */
  async #writeLast(): Promise<{ readonly stopReason: string | null }> {
    if (this.#held?.block.type === 'tool_use' && this.#stopReason === 'max_tokens')
      this.#held = {
        ...this.#held,
        inputProblem: 'The answer reached its output limit before this call was complete. Make a smaller call.',
      };
    await this.#writeHeld(this.#stopReason);
    return { stopReason: this.#stopReason };
  }

  async #writeHeld(stopReason: string | null): Promise<void> {
    if (this.#held === undefined || this.#head === undefined) return;
    const { block, inputProblem, index, streamMs, isAborted } = this.#held;
    this.#held = undefined;
    const uuid = randomUUID();
    await this.#emit({
      type: 'block',
      uuid,
      message: this.#head,
      block,
      stopReason,
      usage: this.#usage,
      index,
      ...(streamMs === undefined ? {} : { streamMs }),
      ...(isAborted === undefined ? {} : { isAborted }),
    });
    this.#written++;
    if (block.type === 'text') this.#texts.push(asString(block.text) ?? '');
    if (block.type !== 'tool_use') return;
    const view = { id: asString(block.id) ?? '', name: asString(block.name) ?? '', input: asObject(block.input) ?? {} };
    this.#calls.push({ view, uuid, ...(inputProblem === undefined ? {} : { inputProblem }) });
  }

  #withFreshId(block: JsonObject): JsonObject {
    return block.type === 'tool_use' ? { ...block, id: this.#usedIds.forCall(asString(block.id)) } : block;
  }
}
