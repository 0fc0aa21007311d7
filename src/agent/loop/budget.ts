// Stops requests when a limit in dollars is reached. Every request of a run passes through here, also those of
// sub-agents, summaries and tools. A model without a known price is refused, because its cost cannot be counted.
import type { StreamModel } from '../../api/client/model.ts';
import { UserError } from '../../base/errors/errors.ts';
import type { CostMeter } from './cost.ts';
import { permanentFailure } from './retry.ts';

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
