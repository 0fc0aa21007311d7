// A limit in dollars → a model that is asked only while the limit holds. Every request of a run passes here: those of
// sub-agents, summaries and tools too. What has no known price is not sent, because its cost could not be counted.
import type { ModelFailure, StreamModel } from '../api/client/model.ts';
import { UserError } from '../base/errors.ts';
import type { CostMeter } from './cost-meter.ts';

export function withinBudget(streamModel: StreamModel, meter: CostMeter, maxUsd: number | undefined): StreamModel {
  if (maxUsd === undefined) return streamModel;
  return async function* (request, signal) {
    const problem = budgetProblem(request.model, meter, maxUsd);
    if (problem === undefined) yield* streamModel(request, signal);
    else yield { type: 'failed', failure: refused(problem) };
  };
}

/** Before a session is opened or a model is chosen. */
export function requirePrice(model: string, meter: CostMeter, maxUsd: number | undefined): void {
  if (maxUsd === undefined || meter.isPriced(model)) return;
  throw new UserError(`no price is known for ${model}, so --max-budget-usd cannot be kept`, howToPrice);
}

const howToPrice = 'add --price INPUT,OUTPUT (dollars per million tokens), or leave out --max-budget-usd';

function budgetProblem(model: string, meter: CostMeter, maxUsd: number): string | undefined {
  if (!meter.isPriced(model))
    return `no price is known for ${model}, so --max-budget-usd cannot be kept; ${howToPrice}`;
  return meter.costAgainstLimit >= maxUsd * 1_000_000 ? 'the budget is spent (--max-budget-usd)' : undefined;
}

function refused(message: string): ModelFailure {
  return {
    status: undefined,
    kind: 'budget',
    message,
    requestId: undefined,
    retryAfterMs: undefined,
    isRetryable: false,
  };
}
