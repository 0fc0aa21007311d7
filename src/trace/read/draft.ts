// A turn while its lines are read: lines with the same message id become one message, results find their calls by id.
// What an earlier run returned of the turn (`OpenTurn`) is recognized by id and skipped.
import { asObject, asString, type JsonObject } from '../../base/json/index.ts';
import { type Block, contentOf, isToolUse } from '../../format/entry/index.ts';
import type { TraceCompaction } from '../span/index.ts';
import { type Cause, responseTimes, type TraceLine, usageOf } from './trace-line.ts';
import {
  blockKey,
  callId,
  type LinePlace,
  resultOf,
  serverCalls,
  type TraceAnswer,
  type TraceMessage,
  type TracePrompt,
  type TraceResult,
} from './turn.ts';

/** What a run must know to continue a turn that an earlier run returned. Plain JSON: only ids and places. */
export interface OpenTurn {
  readonly key: string;
  readonly number: number;
  /** A repetition of an earlier turn: it is not returned. */
  readonly isReplay: boolean;
  /** Its messages in order; `null` if unknown. */
  readonly messages: readonly (readonly [id: string | null, timeMs: number | null])[];
  /** The calls whose spans were made. */
  readonly calls: readonly string[];
  readonly waiting: readonly WaitingCall[];
  /** It ended after a line without a message id: another such line continues the same message. */
  readonly endsWithoutId: boolean;
  /** For the span of the turn, which is sent again when the turn continues; absent in older states, like `answers`. */
  readonly root?: OpenRoot;
  /** Results after its last message: the input of the next one. */
  readonly answers?: readonly AnswerPlace[];
}

/** The facts of the turn's span: what stays the same when the turn continues, and its last end. */
export interface OpenRoot {
  /** Its first line, which is read again: the prompt, else the first answer. */
  readonly first: LinePlace | null;
  readonly hasPrompt: boolean;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly model: string | null;
  readonly isInterrupted: boolean;
}

/** The line of a tool result, which a later run reads again. */
export interface AnswerPlace extends LinePlace {
  readonly id: string;
}

/** The line of a call without a result, which is read again when the result comes. */
export interface WaitingCall extends LinePlace {
  readonly id: string;
  readonly messageIndex: number;
}

export interface DraftStart {
  readonly offset: number;
  readonly line: number;
  readonly cause: Cause;
}

/** A block of an earlier run, read again. */
export interface ReadBlock {
  readonly block: Block;
  readonly timeMs: number | undefined;
}

interface MessageDraft {
  readonly id: string | undefined;
  readonly index: number;
  readonly isSent: boolean;
  readonly isRepeatedId: boolean;
  readonly timeMs: number | undefined;
  readonly cause: Cause;
  readonly lines: TraceLine[];
  readonly blocks: Block[];
  readonly blockTimes: Map<Block, number>;
  readonly known: Set<string>;
  readonly answers: readonly AnswerPlace[];
  readonly compactions: readonly TraceCompaction[];
}

export class TurnDraft {
  readonly start: DraftStart;
  readonly prompt: TracePrompt | undefined;
  readonly open: OpenTurn | undefined;
  readonly results: Map<string, TraceResult> = new Map();
  readonly sideLines: TraceLine[] = [];
  /** Background agents that have finished, and when. */
  readonly finished: Map<string, number | undefined> = new Map();
  readonly waiting: Map<string, WaitingCall> = new Map();
  /** Lines of messages that an earlier run returned: their text and usage came too late. */
  readonly lateLines: number[] = [];
  /** Its first answer or result in this run. */
  firstLine: TraceLine | undefined;
  isReplay: boolean;
  isInterrupted = false;
  endMs: number | undefined;
  #answers: AnswerPlace[];
  readonly #isStrict: boolean;
  readonly #messages: MessageDraft[] = [];
  readonly #byId = new Map<string, MessageDraft[]>();
  /** The indexes of messages that an earlier run returned. */
  readonly #sentPlaces: ReadonlyMap<string, number>;
  #fresh = 0;
  #continues: boolean;
  readonly #sentCalls: ReadonlySet<string>;
  #previous: { readonly message: MessageDraft; readonly isWithoutId: boolean } | undefined;

  constructor(start: DraftStart, prompt: TracePrompt | undefined, open: OpenTurn | undefined, isStrict: boolean) {
    this.start = start;
    this.prompt = prompt;
    this.open = open;
    this.isReplay = open?.isReplay ?? false;
    this.#isStrict = isStrict;
    this.#continues = open?.endsWithoutId ?? false;
    this.#answers = [...(open?.answers ?? [])];
    this.#sentCalls = new Set(open?.calls);
    this.#sentPlaces = new Map(open?.messages.flatMap(([id], i) => (id === null ? [] : [[id, i] as const])));
    for (const call of open?.waiting ?? []) this.waiting.set(call.id, call);
  }

  get firstMessageId(): string | undefined {
    return this.#messages[0]?.id;
  }

  get hasMessages(): boolean {
    return this.#messages.length > 0;
  }

  hasMessage(id: string | undefined): boolean {
    if (id === undefined) return false;
    return this.#byId.has(id) || this.#sentPlaces.has(id);
  }

  /** `compactions`: those since the last message; a new message takes them. */
  addAssistant(line: TraceLine, cause: Cause, compactions: TraceCompaction[]): void {
    this.firstLine ??= line;
    this.#moveEnd(line.timeMs);
    const message = this.#messageFor(line, cause, compactions);
    this.#previous = { message, isWithoutId: messageIdOf(line) === undefined };
    this.#continues = false;
    const content = contentOf(line.entry);
    const blocks = this.#newBlocks(message, line, content);
    if (blocks.length === 0 && content.length > 0) return;
    message.lines.push(line);
    message.blocks.push(...blocks);
    for (const block of blocks) {
      if (line.timeMs !== undefined) message.blockTimes.set(block, line.timeMs);
      if (!message.isSent && !this.#isStrict) message.known.add(blockKey(block));
      if (!isToolUse(block) || this.#sentCalls.has(block.id) || this.results.has(block.id)) continue;
      this.waiting.set(block.id, {
        id: block.id,
        messageIndex: message.index,
        offset: line.offset,
        line: line.number,
        length: line.length,
      });
    }
  }

  /** Another line follows: assistant lines without an id before and after it are two messages. */
  interrupt(): void {
    this.#previous = undefined;
    this.#continues = false;
  }

  addResults(line: TraceLine): void {
    this.firstLine ??= line;
    this.#moveEnd(line.timeMs);
    for (const block of contentOf(line.entry)) {
      const result = block as JsonObject;
      const id = block.type === 'tool_result' ? asString(result.tool_use_id) : undefined;
      // A second result of a call is a copy.
      if (id === undefined || this.results.has(id) || this.#sentCalls.has(id)) continue;
      this.results.set(id, resultOf(line, result));
      const { offset, number, length } = line;
      this.#answers.push({ id, offset, line: number, length });
    }
  }

  unanswered(): readonly WaitingCall[] {
    return [...this.waiting.values()].filter((call) => !this.results.has(call.id));
  }

  /** `held`: calls that wait for a later run. The callbacks read a call or a result of an earlier run again. */
  messages(
    held: ReadonlySet<string> = new Set(),
    readCall: (call: WaitingCall) => ReadBlock | undefined = () => undefined,
    readAnswer: (place: AnswerPlace) => TraceAnswer | undefined = () => undefined,
  ): readonly TraceMessage[] {
    const late = this.#answered(held).flatMap((call) => {
      const found = readCall(call);
      if (found === undefined) return [];
      const times = new Map(found.timeMs === undefined ? [] : [[found.block, found.timeMs]]);
      return [this.#sentMessage(call.messageIndex, [found.block], times)];
    });
    return [...late, ...this.#messages.map((message) => this.#finishMessage(message, readAnswer))];
  }

  close(key: string, number: number, held: ReadonlySet<string>): OpenTurn {
    const old = this.open?.messages ?? [];
    const fresh = this.#messages.filter((message) => !message.isSent);
    const calls = [...this.#sentCalls, ...[...this.waiting.keys()].filter((id) => !held.has(id))];
    return {
      key,
      number,
      isReplay: this.isReplay,
      messages: [...old, ...fresh.map(({ id, timeMs }) => [id ?? null, timeMs ?? null] as const)],
      calls: [...new Set([...calls, ...fresh.flatMap((message) => serverCalls(message.blocks))])],
      waiting: [...this.waiting.values()].filter((call) => held.has(call.id)),
      endsWithoutId: this.#previous?.isWithoutId ?? this.#continues,
      answers: this.#answers,
    };
  }

  /** Calls of earlier runs that can be returned now. */
  #answered(held: ReadonlySet<string>): readonly WaitingCall[] {
    return (this.open?.waiting ?? []).filter((call) => !held.has(call.id));
  }

  #messageFor(line: TraceLine, cause: Cause, compactions: TraceCompaction[]): MessageDraft {
    const add = (isRepeatedId: boolean): MessageDraft => this.#addMessage(line, cause, compactions, isRepeatedId);
    const id = messageIdOf(line);
    const last = this.#messages.at(-1);
    if (id === undefined) {
      const joined = this.#isStrict ? last : this.#previous?.isWithoutId ? this.#previous.message : undefined;
      return joined ?? this.#sentLast(last) ?? add(false);
    }
    const known = this.#byId.get(id) ?? [];
    const same = this.#isStrict ? known.filter((message) => message === last) : known;
    const own = same.find((message) => isSameRequest(message, line));
    if (own !== undefined) return own;
    const sentIndex = this.#sentPlaces.get(id);
    if (sentIndex !== undefined && same.length === 0) {
      return this.#keep({ ...emptyMessage(id, sentIndex, true, false), timeMs: this.#sentTime(sentIndex) });
    }
    return add(same.length > 0 || (this.#isStrict && this.hasMessage(id)));
  }

  /** The last message of the previous run, if this line continues it. */
  #sentLast(last: MessageDraft | undefined): MessageDraft | undefined {
    const before = this.open?.messages ?? [];
    const continues = this.#isStrict ? last === undefined && before.length > 0 : this.#continues;
    this.#continues = false;
    if (!continues) return undefined;
    const index = before.length - 1;
    const id = before[index]?.[0] ?? undefined;
    return this.#keep({ ...emptyMessage(id, index, true, false), timeMs: this.#sentTime(index) });
  }

  #addMessage(line: TraceLine, cause: Cause, compactions: TraceCompaction[], isRepeatedId: boolean): MessageDraft {
    const index = (this.open?.messages.length ?? 0) + this.#fresh++;
    const answers = this.#answers;
    this.#answers = [];
    const input = { cause, answers, compactions: compactions.splice(0) };
    const empty = emptyMessage(messageIdOf(line), index, false, isRepeatedId);
    return this.#keep({ ...empty, timeMs: line.timeMs, ...input });
  }

  #keep(message: MessageDraft): MessageDraft {
    this.#messages.push(message);
    const { id } = message;
    const same = id === undefined ? undefined : this.#byId.get(id);
    if (same !== undefined) same.push(message);
    else if (id !== undefined) this.#byId.set(id, [message]);
    return message;
  }

  #newBlocks(message: MessageDraft, line: TraceLine, blocks: readonly Block[]): readonly Block[] {
    if (message.isSent) {
      const calls = blocks.filter((block) => callId(block) !== undefined && !this.#sentCalls.has(callId(block) ?? ''));
      if (calls.length < blocks.length) this.lateLines.push(line.number);
      return calls.filter((block) => !this.waiting.has(callId(block) ?? ''));
    }
    if (this.#isStrict || message.id === undefined) return blocks;
    // Some clients write the last message again after an interrupt (1.0.57), under new uuids.
    return blocks.filter((block) => !message.known.has(blockKey(block)));
  }

  #finishMessage(message: MessageDraft, readAnswer: (place: AnswerPlace) => TraceAnswer | undefined): TraceMessage {
    if (message.isSent) return this.#sentMessage(message.index, message.blocks, message.blockTimes);
    const heads = message.lines.map((line) => asObject((line.entry as { readonly message?: unknown }).message));
    return {
      id: message.id,
      index: message.index,
      isSent: false,
      isRepeatedId: message.isRepeatedId,
      requestId: message.lines.find((line) => line.head.requestId !== undefined)?.head.requestId,
      model: firstString(heads.map((head) => head?.model)),
      stopReason: firstString(heads.map((head) => head?.stop_reason).reverse()),
      timeMs: message.timeMs,
      ...responseTimes(message.lines, message.cause),
      blocks: message.blocks,
      blockTimes: message.blockTimes,
      ...usageOf(message.lines),
      answers: message.answers.flatMap((place) => this.#answerAt(place) ?? readAnswer(place) ?? []),
      compactions: message.compactions,
      isApiError: message.lines.some((line) => line.head.isApiErrorMessage),
    };
  }

  #sentMessage(index: number, blocks: readonly Block[], blockTimes: ReadonlyMap<Block, number>): TraceMessage {
    const id = this.open?.messages[index]?.[0] ?? undefined;
    const facts = { requestId: undefined, model: undefined, stopReason: undefined, usage: undefined };
    const rest = { ...facts, pricedUsage: [], answers: [], compactions: [] };
    const timeMs = this.#sentTime(index);
    const times = { timeMs, startMs: timeMs, endMs: timeMs, blockTimes };
    return { id, index, isSent: true, isRepeatedId: false, ...rest, ...times, blocks, isApiError: false };
  }

  #sentTime(index: number): number | undefined {
    return this.open?.messages[index]?.[1] ?? undefined;
  }

  #answerAt({ id }: AnswerPlace): TraceAnswer | undefined {
    const result = this.results.get(id);
    return result === undefined ? undefined : { toolUseId: id, content: result.content, isError: result.isError };
  }

  #moveEnd(timeMs: number | undefined): void {
    if (timeMs !== undefined && (this.endMs === undefined || timeMs > this.endMs)) this.endMs = timeMs;
  }
}

function emptyMessage(id: string | undefined, index: number, isSent: boolean, isRepeatedId: boolean): MessageDraft {
  const empty = { lines: [], blocks: [], blockTimes: new Map<Block, number>(), known: new Set<string>() };
  const input = { cause: {}, answers: [], compactions: [] };
  return { id, index, isSent, isRepeatedId, timeMs: undefined, ...empty, ...input };
}

export function messageIdOf(line: TraceLine): string | undefined {
  return asString(asObject((line.entry as { readonly message?: unknown }).message)?.id);
}

function isSameRequest(message: MessageDraft, line: TraceLine): boolean {
  const before = message.lines.find((each) => each.head.requestId !== undefined)?.head.requestId;
  return before === undefined || line.head.requestId === undefined || before === line.head.requestId;
}

function firstString(values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string');
}
