// A transcript → what the output of each tool cost: the tokens that its results added to the conversation, and what it cost
// to send them, the first time and again with every later request. The rule is in docs/web.md.
import { findMember } from '../../format/bytes/index.ts';
import type { Usage } from '../../format/entry/index.ts';
import type { PriceList } from '../../models/index.ts';
import {
  callsOf,
  isBoundary,
  type Node,
  rangesOf,
  resultsOf,
  type Transcript,
} from '../../session/transcript/index.ts';

/** What the results of a tool cost in the requests of one day. */
export interface ToolSpending {
  readonly tool: string;
  /** Local, `2026-03-01`; empty for requests without a time. */
  readonly day: string;
  readonly results: number;
  /** What they added to the conversation. */
  readonly addedTokens: number;
  /** What later requests sent again. */
  readonly rereadTokens: number;
  /** Of requests with a known price. */
  readonly addedMicroUsd: number;
  readonly rereadMicroUsd: number;
  /** Of both kinds, in requests without a price. */
  readonly unpricedTokens: number;
}

export type SpendingSum = { -readonly [Key in keyof ToolSpending]: ToolSpending[Key] };

export interface SpendingOptions {
  readonly prices: PriceList;
  /** Whether the usage of a message counts in this file; a copy counts where it came from. */
  readonly isCounted: (messageId: string) => boolean;
  readonly dayOf: (timeMs: number) => string;
}

export function toolSpending(transcript: Transcript, options: SpendingOptions): readonly ToolSpending[] {
  const sums = new Map<string, SpendingSum>();
  // The lines of sub-agents in the main file are a conversation of their own.
  const [main, inner] = [new Conversation(options, sums), new Conversation(options, sums)];
  const names = new Map<string, string>();
  for (const node of transcript.nodes) {
    const conversation = node.isSidechain && !isAgentFile(transcript) ? inner : main;
    if (isBoundary(node) || node.isCompactSummary) conversation.forget();
    for (const { id, name } of callsOf(node)) names.set(id, name);
    const results = resultsOf(node);
    if (results.length > 0) {
      const bytes = messageBytes(transcript, node) / results.length;
      for (const { toolUseId } of results) conversation.addResult(names.get(toolUseId), bytes);
    } else if (node.type === 'user') conversation.addOther(node.length);
    else if (node.type === 'assistant') conversation.addAnswer(node);
  }
  return [...sums.values()];
}

/** In the file of a sub-agent every line is marked. */
function isAgentFile({ nodes }: Transcript): boolean {
  return nodes[0]?.isSidechain === true;
}

/** Without `toolUseResult`, which is not sent and may be far larger. */
function messageBytes(transcript: Transcript, { offset, length }: Node): number {
  const bytes = rangesOf(transcript).read(offset, length);
  const member = findMember(bytes, 0, 'message');
  return member === undefined ? length : member.valueEnd - member.valueStart;
}

/** A part of the prompt that is the result of a tool. */
interface Segment {
  readonly tool: string;
  readonly start: number;
  readonly end: number;
}

/** A result, or another line, that no request has sent yet. */
interface Waiting {
  readonly tool: string | undefined;
  readonly bytes: number;
}

/** More tokens than this per byte are something else, such as a reminder that the client added. */
const mostTokensPerByte = 0.5;

class Conversation {
  readonly #options: SpendingOptions;
  readonly #sums: Map<string, SpendingSum>;
  /** In the order of the prompt. */
  #segments: Segment[] = [];
  readonly #totals = new Map<string, number>();
  #waiting: Waiting[] = [];
  /** The last request: its size with its answer, as far as its lines were read. */
  #messageId: string | undefined;
  #size = 0;
  #output = 0;

  constructor(options: SpendingOptions, sums: Map<string, SpendingSum>) {
    this.#options = options;
    this.#sums = sums;
  }

  forget(): void {
    this.#segments = [];
    this.#totals.clear();
    this.#waiting = [];
    this.#size = 0;
    this.#output = 0;
  }

  addResult(tool: string | undefined, bytes: number): void {
    this.#waiting.push({ tool, bytes });
  }

  addOther(bytes: number): void {
    this.#waiting.push({ tool: undefined, bytes });
  }

  addAnswer({ message, time }: Node): void {
    const usage = message?.usage;
    if (usage === undefined || message?.model === '<synthetic>') return;
    if (message?.id !== undefined && message.id === this.#messageId) {
      this.#output = Math.max(this.#output, usage.outputTokens);
      return;
    }
    const input = inputOf(usage);
    if (input === 0) return;
    const added = this.#place(input);
    this.#drop(input);
    this.#messageId = message?.id;
    this.#size = input;
    this.#output = usage.outputTokens;
    if (message?.id !== undefined && this.#options.isCounted(message.id)) {
      this.#charge(usage, { model: message.model, time, added });
    }
  }

  /** The API's counts say how much came between two requests; results share it by their size. */
  #place(input: number): ReadonlySet<Segment> {
    const before = this.#size + this.#output;
    const growth = this.#size === 0 ? 0 : Math.max(0, input - before);
    const bytes = this.#waiting.reduce((sum, each) => sum + each.bytes, 0);
    const added = new Set<Segment>();
    let start = before;
    for (const { tool, bytes: own } of this.#waiting) {
      const tokens = Math.min((growth * own) / Math.max(1, bytes), own * mostTokensPerByte);
      if (tool !== undefined && tokens > 0) {
        const segment = { tool, start, end: start + tokens };
        this.#segments.push(segment);
        this.#totals.set(tool, (this.#totals.get(tool) ?? 0) + tokens);
        added.add(segment);
      }
      start += tokens;
    }
    this.#waiting = [];
    return added;
  }

  /** A shorter prompt no longer has its end: the user went back. */
  #drop(input: number): void {
    for (let last = this.#segments.at(-1); last !== undefined && last.start >= input; last = this.#segments.at(-1)) {
      this.#segments.pop();
      this.#totals.set(last.tool, (this.#totals.get(last.tool) ?? 0) - (last.end - last.start));
    }
  }

  #charge(usage: Usage, { model, time, added }: Charge): void {
    const { prices, dayOf } = this.#options;
    const rates = prices.ratesOf(model, usage, time);
    const { cacheReadTokens: read, cacheWrite5mTokens: short, cacheWrite1hTokens: long } = usage;
    const written = short + long;
    const rest = new Map(this.#totals);
    const day = dayOf(time);
    // Only the end of a prompt is not read from the cache.
    for (let i = this.#segments.length - 1; i >= 0; i--) {
      const segment = this.#segments[i] as Segment; // in range
      if (segment.end <= read && !added.has(segment)) break;
      const fromCache = Math.max(0, Math.min(segment.end, read) - segment.start);
      const fromWrite = Math.max(0, Math.min(segment.end, read + written) - Math.max(segment.start, read));
      const tokens = segment.end - segment.start;
      const writeRate =
        written === 0 ? 0 : (times(short, rates?.cacheWrite5m) + times(long, rates?.cacheWrite1h)) / written;
      const cost =
        rates === undefined
          ? undefined
          : times(fromCache, rates.cacheRead) +
            fromWrite * writeRate +
            times(tokens - fromCache - fromWrite, rates.input);
      this.#add(segment.tool, day, { tokens, cost, isNew: added.has(segment) });
      rest.set(segment.tool, (rest.get(segment.tool) ?? 0) - tokens);
    }
    for (const [tool, tokens] of rest) {
      if (tokens > 0.5) this.#add(tool, day, { tokens, cost: rates && times(tokens, rates.cacheRead), isNew: false });
    }
  }

  #add(tool: string, day: string, { tokens, cost, isNew }: Share): void {
    const key = `${day}\n${tool}`;
    const sum = this.#sums.get(key) ?? noSpending(tool, day);
    this.#sums.set(key, sum);
    if (isNew) sum.results++;
    if (isNew) sum.addedTokens += tokens;
    else sum.rereadTokens += tokens;
    if (cost === undefined || Number.isNaN(cost)) sum.unpricedTokens += tokens;
    else if (isNew) sum.addedMicroUsd += cost;
    else sum.rereadMicroUsd += cost;
  }
}

interface Charge {
  readonly model: string | undefined;
  readonly time: number;
  readonly added: ReadonlySet<Segment>;
}

interface Share {
  readonly tokens: number;
  readonly cost: number | undefined;
  readonly isNew: boolean;
}

export function noSpending(tool: string, day: string): SpendingSum {
  return {
    tool,
    day,
    results: 0,
    addedTokens: 0,
    rereadTokens: 0,
    addedMicroUsd: 0,
    rereadMicroUsd: 0,
    unpricedTokens: 0,
  };
}

function inputOf({ inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
}

/** 0 tokens cost 0, even at an unknown price. */
function times(tokens: number, rate: number | undefined): number {
  return tokens === 0 ? 0 : tokens * (rate ?? Number.NaN);
}
