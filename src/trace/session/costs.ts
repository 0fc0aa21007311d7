// The cost of a generation, by the prices of `clew usage`. Only for destinations that ask for it: a server with its own
// price for a model computes the cost itself.
import type { Environment } from '../../base/node/index.ts';
import { loadPrices } from '../../library/usage/index.ts';
import { PriceList } from '../../models/index.ts';
import type { TraceSpan } from '../span/index.ts';

export interface Costs {
  /** In dollars, only of these models; `*` is a wildcard. */
  readonly of: (models: readonly string[]) => (span: TraceSpan) => number | undefined;
}

export function loadCosts(env: Environment): Costs {
  const prices = new PriceList(loadPrices(env));
  return {
    of: (models) => {
      const patterns = models.map(wildcard);
      return ({ detail, startMs }) => {
        if (detail.kind !== 'generation' || detail.model === undefined) return undefined;
        const { model, pricedUsage } = detail;
        if (pricedUsage.length === 0 || !patterns.some((pattern) => pattern.test(model))) return undefined;
        let microDollars = 0;
        for (const usage of pricedUsage) {
          const cost = prices.costOf(model, usage, startMs ?? Number.NaN);
          if (cost === undefined) return undefined;
          microDollars += cost;
        }
        return microDollars / 1_000_000;
      };
    },
  };
}

function wildcard(pattern: string): RegExp {
  const pieces = pattern.split('*').map((piece) => piece.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`);
}
