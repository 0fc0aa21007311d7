// The account of one conversation: pieces are added as their lines come, and each answer's count says how much all of them
// are together. What was added since the count before gets the difference, by its estimated tokens; what is left over on
// either side has a place of its own, so that the sum is always the API's count and no number is negative.
import type { ContextDrop, SliceKind } from '../wire/index.ts';
import { type Count, type Item, mcpServerOf, type Output, type PromptPart, type Settled } from './item.ts';
import type { Piece } from './pieces.ts';

/** New text may be so many times its estimate; what lies outside was added or left out by the client. */
const leastRatio = 0.6;
const mostRatio = 1.7;
/** The API frames a message with about so many tokens. */
const frameTokens = 12;
/** Less is the error of rounding. */
const leastTokens = 1e-6;
/** No context is as large as that. */
export const mostTokens = 100_000_000;
/** A count below this part of the known text belongs to something else. */
const leastFit = 0.5;
/** A system prompt is never less than this part of the first request. */
const leastSystem = 0.02;
/** A count that stays the same although so much was added is not one. */
const leastAdded = 20;

export class Account {
  /** Oldest first, without what a compaction removed. */
  items: Item[] = [];
  /** Tokens of a unit. */
  scale = 1;
  /** Units by kind, of `items`. */
  readonly kinds: Map<SliceKind, number> = new Map();
  #total = 0;
  #pending: Pending[] = [];
  readonly #promptParts: readonly PromptPart[];
  /** Empty until the first count. */
  #prompt: readonly Item[] = [];
  #lastCount: number | undefined;
  #drops = new Set<ContextDrop>();
  /** Everything before it has no tokens left to clear. */
  #cleared = 0;
  readonly #thinking: Item[] = [];
  /** The first of `#thinking` that may have tokens. */
  #thinkingAt = 0;
  /** With tokens. */
  #unrecorded: Item[] = [];

  constructor(promptParts: readonly PromptPart[] = []) {
    this.#promptParts = promptParts;
  }

  /** Tokens of all items, counted or estimated. */
  get tokens(): number {
    // Adding and taking away leaves errors of rounding.
    return Math.max(0, this.#total * this.scale);
  }

  add({ kind, name, tokens, loads = noLoads }: Piece, line: number, turn: number, output?: Output): void {
    // Field by field: a spread takes longer than all the rest.
    const item: Item = {
      kind,
      name,
      line,
      turn,
      isRecorded: true,
      isPrompt: false,
      units: 0,
      isExact: false,
      isAlive: true,
    };
    this.items.push(item);
    if (item.kind === 'thinking') this.#thinking.push(item);
    this.#pending.push({ item, estimate: tokens, output, loads });
  }

  /** A compaction: what it does not keep leaves the context. The system prompt stays. */
  compact(isKept: (item: Item) => boolean): void {
    this.#estimatePending(this.scale);
    const kept: Item[] = [];
    for (const item of this.items) {
      if (item.isPrompt || isKept(item)) kept.push(item);
      else {
        item.isAlive = false;
        this.#change(item, 0);
      }
    }
    this.items = kept;
    this.#cleared = 0;
    this.#unrecorded = [];
    this.#drops.add('compaction');
    this.#lastCount = undefined;
  }

  /** What the lines so far would send, without a count. */
  estimate(factor: number): void {
    this.#estimatePending(factor);
  }

  settle(count: Count): Settled {
    if (count.factor < this.scale && this.#prompt.length > 0) this.#drops.add('model');
    this.scale = count.factor;
    if (count.dropsThinking) this.#dropThinking(count);
    if (count.dropsThinking)
      this.#pending = this.#pending.map((each) => (isForgotten(each.item, count) ? forget(each) : each));
    const answers = this.#outputs(count);
    const others = this.#pending.filter(({ item }) => !answers.exact.has(item));
    const added = sum(others.map(({ estimate }) => estimate)) * this.scale;
    const estimatedTokens = this.tokens + answers.tokens + added;
    const problem = this.#misfit(count, answers.tokens + added, estimatedTokens);
    const isUsed = problem === undefined && (count.isOnlyFirst !== true || this.#prompt.length === 0);
    if (isUsed) this.#anchor(count, answers, others, added);
    else this.#estimatePending(this.scale, count);
    this.#pending = [];
    this.#lastCount = count.tokens;
    const drops = [...this.#drops];
    this.#drops = new Set();
    return { estimatedTokens: Math.round(estimatedTokens), drops, problem };
  }

  #misfit({ tokens }: Count, added: number, estimated: number): string | undefined {
    const known = estimated - sum(this.#prompt.map(({ units }) => units)) * this.scale;
    if (tokens > mostTokens) return `the API's count of ${tokens} tokens does not fit: no model has room for it`;
    if (tokens < known * leastFit)
      return `the API's count of ${tokens} tokens does not fit: the text alone has about ${Math.round(known)}`;
    if (tokens === this.#lastCount && added >= leastAdded)
      return `the API's count of ${tokens} tokens does not fit: it is the same as before, although about ${Math.round(added)} were added`;
    return undefined;
  }

  #anchor(count: Count, answers: Answers, others: readonly Pending[], added: number): void {
    for (const [item, tokens] of answers.exact) {
      this.#change(item, tokens / this.scale);
      item.isExact = answers.single.has(item);
    }
    const rest = count.tokens - this.tokens;
    if (this.#prompt.length === 0) this.#anchorFirst(count, others, added, rest);
    else this.#anchorNext(count, others, ratioFor(rest, added, others.length));
  }

  #anchorNext(count: Count, others: readonly Pending[], ratio: number): void {
    this.#fill(others, ratio);
    const left = count.tokens - this.tokens;
    if (left > leastTokens)
      this.#addMissing(
        count,
        left,
        others.flatMap(({ loads }) => loads),
      );
    else if (left < -leastTokens) this.#take(-left, count.turn);
  }

  #anchorFirst(count: Count, others: readonly Pending[], added: number, rest: number): void {
    const prompt = Math.max(rest - added, count.tokens * leastSystem);
    this.#fill(others, added === 0 ? 1 : Math.max(0, rest - prompt) / added);
    const left = Math.max(0, count.tokens - this.tokens);
    this.#addPrompt(count, left);
    if (this.tokens > count.tokens + leastTokens) this.#take(this.tokens - count.tokens, count.turn);
  }

  /** Divides what is not in the messages as the transcript says; without that it is one item. */
  #addPrompt(count: Count, tokens: number): void {
    const known = sum(this.#promptParts.map((part) => part.tokens)) * this.scale;
    const ratio = known === 0 ? 0 : tokens / known;
    const share = ratio > mostRatio ? 1 : ratio;
    const parts = this.#promptParts.map((part) =>
      this.#addItem({ ...part, turn: count.turn, isRecorded: true, isPrompt: true }, part.tokens * share * this.scale),
    );
    const left = tokens - known * share;
    const { line, turn } = count;
    const rest = { kind: 'system', name: null, line, turn, isRecorded: false, isPrompt: true } as const;
    this.#prompt =
      left > leastTokens || parts.length === 0 ? [...parts, this.#addItem(rest, Math.max(0, left))] : parts;
  }

  /** Counted, but on no line: definitions of tools that a search loaded, or text that the client did not write down. */
  #addMissing({ line, turn }: Count, tokens: number, loads: readonly string[]): void {
    const [loaded] = loads;
    const server = loaded === undefined ? undefined : mcpServerOf(loaded);
    const kind = loaded === undefined ? 'unrecorded' : server === undefined ? 'tools' : 'mcp';
    const name = loaded === undefined ? null : (server ?? 'loaded by a search');
    const item = this.#addItem({ kind, name, line, turn, isRecorded: false, isPrompt: loaded !== undefined }, tokens);
    if (kind === 'unrecorded') this.#unrecorded.push(item);
  }

  #fill(pending: readonly Pending[], ratio: number): void {
    for (const { item, estimate } of pending) this.#change(item, estimate * ratio);
  }

  #addItem(facts: Pick<Item, 'kind' | 'name' | 'line' | 'turn' | 'isRecorded' | 'isPrompt'>, tokens: number): Item {
    const { kind, name, line, turn, isRecorded, isPrompt } = facts;
    const item = { kind, name, line, turn, isRecorded, isPrompt, units: 0, isExact: false, isAlive: true };
    this.items.push(item);
    this.#change(item, tokens / this.scale);
    return item;
  }

  /** The context became smaller than its parts: which of them shrank, the likeliest first. */
  #take(tokens: number, turn: number): void {
    let left = tokens / this.scale;
    const takeFrom = (item: Item): void => {
      const taken = Math.min(left, item.units);
      this.#change(item, item.units - taken);
      if (taken > 0) item.isExact = false;
      left -= taken;
    };
    const before = left;
    for (; left > 0 && this.#thinkingAt < this.#thinking.length; this.#thinkingAt++) {
      takeFrom(this.#thinking[this.#thinkingAt] as Item); // in range
      if (left <= 0) break;
    }
    if (left < before) this.#drops.add('thinking');
    // Reminders are sent once, with the newest message.
    for (let last = this.#unrecorded.at(-1); left > 0 && last !== undefined; last = this.#unrecorded.at(-1)) {
      takeFrom(last);
      if (last.units === 0) this.#unrecorded.pop();
    }
    const beforeOutput = left;
    while (left > 0 && this.#cleared < this.items.length) {
      const item = this.items[this.#cleared] as Item; // in range
      if (isClearable(item) && item.turn <= turn) takeFrom(item);
      if (left > 0) this.#cleared++;
    }
    if (left < beforeOutput && beforeOutput * this.scale > frameTokens) this.#drops.add('cleared');
    for (const item of this.#prompt) takeFrom(item);
    for (let i = this.items.length - 1; i >= 0 && left > 0; i--) takeFrom(this.items[i] as Item); // i is in range
  }

  /** Thinking of earlier turns, counted and still to be counted. */
  #dropThinking(count: Count): void {
    for (; this.#thinkingAt < this.#thinking.length; this.#thinkingAt++) {
      const item = this.#thinking[this.#thinkingAt] as Item; // in range
      if (item.turn >= count.turn) break;
      this.#drops.add('thinking');
      this.#change(item, 0);
    }
  }

  /** Answers whose own count is known: their pieces share it. */
  #outputs(count?: Count): Answers {
    const groups = new Map<string, Pending[]>();
    for (const each of this.#pending) {
      if (each.output?.tokens === undefined) continue;
      const group = groups.get(each.output.id);
      if (group === undefined) groups.set(each.output.id, [each]);
      else group.push(each);
    }
    const exact = new Map<Item, number>();
    const single = new Set<Item>();
    for (const group of groups.values()) {
      const own = group[0]?.output?.tokens ?? 0;
      const all = sum(group.map(({ estimate }) => estimate));
      for (const { item, estimate } of group) {
        const tokens = all === 0 ? own / group.length : (own * estimate) / all;
        exact.set(item, isForgotten(item, count) ? 0 : tokens);
      }
      if (group.length === 1 && group[0] !== undefined) single.add(group[0].item);
    }
    return { exact, single, tokens: sum([...exact.values()]) };
  }

  #estimatePending(factor: number, count?: Count): void {
    this.scale = this.#prompt.length === 0 ? factor : this.scale;
    const answers = this.#outputs(count);
    for (const { item, estimate } of this.#pending)
      this.#change(item, answers.exact.has(item) ? (answers.exact.get(item) ?? 0) / this.scale : estimate);
    this.#pending = [];
  }

  #change(item: Item, units: number): void {
    const more = units - item.units;
    item.units = units;
    this.#total += more;
    this.kinds.set(item.kind, (this.kinds.get(item.kind) ?? 0) + more);
  }
}

interface Answers {
  readonly exact: ReadonlyMap<Item, number>;
  readonly single: ReadonlySet<Item>;
  readonly tokens: number;
}

interface Pending {
  readonly item: Item;
  readonly estimate: number;
  readonly output: Output | undefined;
  readonly loads: readonly string[];
}

const noLoads: readonly string[] = [];

/** Thinking of an earlier turn, for a model that does not get it. */
function isForgotten({ kind, turn }: Item, count: Count | undefined): boolean {
  return count?.dropsThinking === true && kind === 'thinking' && turn < count.turn;
}

/** Where the answer has a count of its own, the estimate still says which part of it the thinking was. */
function forget(pending: Pending): Pending {
  return pending.output?.tokens === undefined ? { ...pending, estimate: 0 } : pending;
}

/** How many times its estimate the new text is; outside the limits, the client added or left out something else. */
function ratioFor(rest: number, added: number, pieces: number): number {
  if (added === 0) return 0;
  const ratio = rest / added;
  if (ratio < leastRatio) return leastRatio;
  // A few tokens more are the frames of the messages.
  return ratio <= mostRatio || rest - added <= frameTokens * pieces ? ratio : 1;
}

/** What a client clears to make room. */
function isClearable({ kind }: Item): boolean {
  return kind === 'output' || kind === 'files' || kind === 'images';
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
