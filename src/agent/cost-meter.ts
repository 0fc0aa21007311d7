// Events → what the run has used and cost, by the one counting rule: of a message's lines the largest counts, once.
// Side requests, which leave no line, are added as they come.
import type { JsonObject } from '../base/json.ts';
import { addUsage, noUsage, readUsage, type Usage, windowTokensOf } from '../format/usage.ts';
import { PriceList, type Prices } from '../library/prices.ts';
import { isLarger } from '../session/usage.ts';
import type { AgentEvent } from './event.ts';

export class CostMeter {
  readonly #prices: PriceList;
  readonly #messages = new Map<string, { readonly model: string; readonly usage: Usage }>();
  readonly #side: { readonly model: string; readonly usage: Usage }[] = [];
  /** Of each conversation: the main one has no id. */
  readonly #contexts = new Map<string | undefined, number>();

  constructor(prices: Prices) {
    this.#prices = new PriceList(prices);
  }

  hear(event: AgentEvent): void {
    const agentId = event.agent?.agentId;
    if (event.type === 'block') this.#count(event.message.id, event.message.model, event.usage);
    if (event.type === 'answer') this.#contexts.set(agentId, windowTokensOf(readUsage(event.usage) ?? noUsage));
    if (event.type === 'compacted' && 'summary' in event.result) this.#contexts.set(agentId, 0);
  }

  addSide(model: string, usage: JsonObject): void {
    this.#side.push({ model, usage: readUsage(usage) ?? noUsage });
  }

  /** What the last answer took of the window, as the API counted it. */
  contextTokens(agentId?: string): number {
    return this.#contexts.get(agentId) ?? 0;
  }

  /** A history that was taken up, or another session: what its last answer had taken. */
  setContext(tokens: number): void {
    this.#contexts.set(undefined, tokens);
  }

  windowOf(model: string): number {
    return this.#prices.contextTokensOf(model) ?? smallestWindow;
  }

  get usage(): Usage {
    return [...this.usageByModel.values()].reduce(addUsage, noUsage);
  }

  get usageByModel(): ReadonlyMap<string, Usage> {
    const byModel = new Map<string, Usage>();
    for (const { model, usage } of [...this.#messages.values(), ...this.#side])
      byModel.set(model, addUsage(byModel.get(model) ?? noUsage, usage));
    return byModel;
  }

  /** A model without a price counts as nothing. */
  get costMicros(): number {
    let sum = 0;
    for (const { model, usage } of [...this.#messages.values(), ...this.#side])
      sum += this.#prices.costOf(model, usage) ?? 0;
    return sum;
  }

  costOfModel(model: string): number {
    let sum = 0;
    for (const each of [...this.#messages.values(), ...this.#side])
      if (each.model === model) sum += this.#prices.costOf(model, each.usage) ?? 0;
    return sum;
  }

  #count(id: string, model: string, json: JsonObject): void {
    const usage = readUsage(json) ?? noUsage;
    const before = this.#messages.get(id);
    if (before === undefined || isLarger({ usage }, before)) this.#messages.set(id, { model, usage });
  }
}

const smallestWindow = 200_000;
