// Counts the usage and cost of a run from its events: of the lines of a message, the largest usage counts once.
// Requests that leave no line are added one by one.

import type { StreamModel } from '../../api/client/index.ts';
import { UserError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import {
  addUsage,
  billedTokens,
  noUsage,
  readUsage,
  sumOfTokens,
  type Usage,
  windowTokensOf,
} from '../../format/entry/index.ts';
import { type PricedModel, PriceList, type Prices } from '../../models/index.ts';
import { isLarger } from '../../session/usage/index.ts';
import type { AgentEvent, RunPrice } from '../contract/index.ts';
import { permanentFailure } from './retry.ts';

interface Answer {
  readonly model: string;
  readonly usage: Usage;
  readonly time: number;
}

export class CostMeter {
  readonly #prices: PriceList;
  readonly #otherwise: PriceList | undefined;
  readonly #messages = new Map<string, Answer>();
  readonly #side: Answer[] = [];
  /** By agent id; `undefined` is the main conversation. */
  readonly #contexts = new Map<string | undefined, number>();

  /** `otherwise`: the user's price for models without a known one. */
  constructor(prices: Prices, otherwise?: RunPrice) {
    this.#prices = new PriceList(prices);
    if (otherwise !== undefined) this.#otherwise = new PriceList({ ...prices, models: [anyModel(otherwise)] });
  }

  isPriced(model: string): boolean {
    return this.#otherwise !== undefined || this.#prices.costOf(model, oneToken, Date.now()) !== undefined;
  }

  hear(event: AgentEvent): void {
    const agentId = event.agent?.agentId;
    if (event.type === 'block') this.#count(event.message.id, event.message.model, event);
    if (event.type === 'answer') this.#contexts.set(agentId, windowTokensOf(readUsage(event.usage) ?? noUsage));
    if (event.type === 'compacted' && 'summary' in event.result) this.#contexts.set(agentId, 0);
  }

  /** Counts from zero: the user started a new conversation. */
  startOver(): void {
    this.#messages.clear();
    this.#side.length = 0;
  }

  addSide(model: string, usage: JsonObject): void {
    this.#side.push({ model, usage: readUsage(usage) ?? noUsage, time: Date.now() });
  }

  /** The tokens of the context window that the last answer used, as the API counted them. */
  contextTokens(agentId?: string): number {
    return this.#contexts.get(agentId) ?? 0;
  }

  /** For a resumed session: what its last answer used. */
  setContext(tokens: number): void {
    this.#contexts.set(undefined, tokens);
  }

  /** `undefined` for an unknown model. */
  knownWindowOf(model: string): number | undefined {
    return this.#prices.contextTokensOf(model);
  }

  /** Never `undefined`: an unknown model gets the smallest window. */
  windowOf(model: string): number {
    return this.knownWindowOf(model) ?? smallestWindow;
  }

  get usage(): Usage {
    return [...this.usageByModel.values()].reduce(addUsage, noUsage);
  }

  get usageByModel(): ReadonlyMap<string, Usage> {
    const byModel = new Map<string, Usage>();
    for (const { model, usage } of this.#all()) byModel.set(model, addUsage(byModel.get(model) ?? noUsage, usage));
    return byModel;
  }

  /** The cost of everything that has a price. */
  get costMicros(): number {
    return this.#costOf(this.#all());
  }

  /** Infinite if some cost is unknown, so that every limit is reached. */
  get costAgainstLimit(): number {
    return this.unpricedTokens > 0 ? Number.POSITIVE_INFINITY : this.costMicros;
  }

  /** Tokens that are not in the cost, because their model has no known price. */
  get unpricedTokens(): number {
    let sum = 0;
    for (const { model, usage, time } of this.#all())
      if (this.#priceOf(model, usage, time) === undefined) sum += sumOfTokens(billedTokens(usage));
    return sum;
  }

  /** `undefined` if the model has no known price. */
  costOfModel(model: string): number | undefined {
    const answers = this.#all().filter((each) => each.model === model);
    const isPriced = answers.some(({ usage, time }) => this.#priceOf(model, usage, time) !== undefined);
    return isPriced ? this.#costOf(answers) : undefined;
  }

  #priceOf(model: string, usage: Usage, time: number): number | undefined {
    return this.#prices.costOf(model, usage, time) ?? this.#otherwise?.costOf(anyName, usage, time);
  }

  #all(): readonly Answer[] {
    return [...this.#messages.values(), ...this.#side];
  }

  #costOf(answers: readonly Answer[]): number {
    let sum = 0;
    for (const { model, usage, time } of answers) sum += this.#priceOf(model, usage, time) ?? 0;
    return sum;
  }

  #count(id: string, model: string, { usage: json, at }: { readonly usage: JsonObject; readonly at: Date }): void {
    const usage = readUsage(json) ?? noUsage;
    const before = this.#messages.get(id);
    if (before === undefined || isLarger({ usage }, before))
      this.#messages.set(id, { model, usage, time: at.getTime() });
  }
}

const smallestWindow = 200_000;
const anyName = 'any model';
const oneToken: Usage = { ...noUsage, inputTokens: 1, outputTokens: 1 };

/** Assumes the highest cost: cache reads are not cheaper, and cache writes cost what Anthropic charges. */
function anyModel({ input, output }: RunPrice): PricedModel {
  const rates = { input, output, cacheRead: input, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2 };
  return { id: anyName, aliases: [], prices: [{ ...rates, fast: rates }] };
}

export function withinBudget(streamModel: StreamModel, meter: CostMeter, maxUsd: number | undefined): StreamModel {
  if (maxUsd === undefined) return streamModel;
  return async function* (request, signal) {
    const problem = budgetProblem(request.model, meter, maxUsd);
    if (problem === undefined) yield* streamModel(request, signal);
    else yield { type: 'failed', failure: permanentFailure('budget', problem) };
  };
}

/** Called before a session is opened or a model is chosen. */
export function requirePrice(model: string, meter: CostMeter, maxUsd: number | undefined): void {
  if (maxUsd === undefined || meter.isPriced(model)) return;
  throw new UserError(`no price is known for ${model}, so --max-budget-usd cannot be enforced`, howToPrice);
}

const howToPrice = 'add --price INPUT,OUTPUT (dollars per million tokens), or leave out --max-budget-usd';

function budgetProblem(model: string, meter: CostMeter, maxUsd: number): string | undefined {
  if (!meter.isPriced(model))
    return `no price is known for ${model}, so --max-budget-usd cannot be enforced; ${howToPrice}`;
  return meter.costAgainstLimit >= maxUsd * 1_000_000 ? 'the budget is spent (--max-budget-usd)' : undefined;
}
