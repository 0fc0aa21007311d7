// The table of prices → the JSON of `clew prices --json` (docs/json.md).
import type { UnpricedModel } from '../../library/usage/report.ts';
import { modelRowOf } from '../../models/facts.ts';
import type { PriceRow, Rates } from '../../models/model-row.ts';
import type { PricedModel, Prices } from '../../models/price-list.ts';
import { ageInDays, ageWarning } from '../input/prices.ts';

export interface ShownPrices {
  readonly prices: Prices;
  /** Models in the sessions that have no price. */
  readonly unknown: readonly UnpricedModel[];
  readonly nowMs: number;
}

export function pricesJson({ prices, unknown, nowMs }: ShownPrices): object {
  const { rules } = prices;
  return {
    version: prices.version,
    day: prices.day,
    ageDays: ageInDays(prices, nowMs),
    isOld: ageWarning(prices, nowMs) !== undefined,
    files: prices.files,
    notices: prices.notices,
    rules: {
      usOnlyMultiplier: rules.inferenceGeoUs.multiplier,
      batchMultiplier: rules.batch.multiplier,
      webSearchPerThousand: rules.webSearchPerThousand,
    },
    models: prices.models.map(modelJson),
    unknown: unknown.map(({ model, ...sums }) => ({ model: model === '' ? null : model, ...sums })),
    assumedReads: prices.assumedReads,
  };
}

/** A model that only a price file names has nothing but prices. */
function modelJson({ id, aliases, contextTokens, prices }: PricedModel): object {
  const row = modelRowOf(id);
  return {
    id,
    aliases,
    clientAliases: row?.clientAliases ?? [],
    status: row?.status ?? null,
    released: row?.released ?? null,
    retires: row?.retires ?? null,
    retiresNotBefore: row?.retiresNotBefore ?? null,
    contextTokens: contextTokens ?? row?.contextTokens ?? null,
    maxOutputTokens: row?.maxOutputTokens ?? null,
    thinking: row?.thinking.types ?? null,
    thinkingDefault: row?.thinking.default ?? null,
    defaultEffort: row?.defaultEffort ?? null,
    prefixCheck: row?.prefixCheck ?? null,
    usOnly: row?.geo ?? null,
    prices: prices.map(rowJson),
  };
}

function rowJson({ from, to, longPrompt, fast, note, ...rates }: PriceRow): object {
  return {
    from: from ?? null,
    to: to ?? null,
    ...ratesJson(rates),
    longPrompt:
      longPrompt === undefined ? null : { overPromptTokens: longPrompt.overPromptTokens, ...ratesJson(longPrompt) },
    fast: fast === undefined ? null : ratesJson(fast),
    note: note ?? null,
  };
}

function ratesJson({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: Rates): object {
  return {
    input,
    output,
    cacheRead: cacheRead ?? null,
    cacheWrite5m: cacheWrite5m ?? null,
    cacheWrite1h: cacheWrite1h ?? null,
  };
}
