// A model's name, the usage of a message and its time → its cost in whole micro-dollars, by date, prompt size and flags.
// A message without a known price is unpriced, not free.
import type { TokenCounts, Usage } from '../format/entry/index.ts';
import { asksForLongContext, modelFactsOf, plainModelName, withoutModelDate } from './facts.ts';
import type { PriceRow, PriceRules, Rates } from './model-row.ts';
import { modelTable } from './model-rows.ts';

/** The prices of a model. */
export interface PricedModel {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly contextTokens?: number;
  readonly prices: readonly PriceRow[]; // oldest first
}

export interface Prices {
  readonly version: string; // the day of the table and of the files applied to it
  readonly day: string; // the day of the last comparison of the newest table with its sources
  readonly fingerprint: string; // changes with every change of a price
  readonly rules: PriceRules;
  readonly models: readonly PricedModel[];
  readonly files: readonly string[]; // the files applied to the bundled table
  readonly notices: readonly string[]; // one sentence for each file that could not be used
  /** Models without a price for cache reads in a file; a tenth of the input price is assumed. */
  readonly assumedReads: readonly string[];
}

export const bundledPrices: Prices = {
  version: modelTable.version,
  day: modelTable.version,
  fingerprint: modelTable.version,
  rules: modelTable.rules,
  models: modelTable.models,
  files: [],
  notices: [],
  assumedReads: [],
};

/** Finds prices by any name of a model. */
export class PriceList {
  readonly prices: Prices;
  readonly #known = new Map<string, Priced | undefined>();
  #names: ReadonlyMap<string, PricedModel> | undefined;

  constructor(prices: Prices) {
    this.prices = prices;
  }

  /** Made on first use: a report of what was counted before needs no price. */
  get #byName(): ReadonlyMap<string, PricedModel> {
    this.#names ??= namesOf(this.prices.models);
    return this.#names;
  }

  modelOf(model: string): PricedModel | undefined {
    return this.#find(model)?.model;
  }

  /** The prices at a time (ms); `NaN` means today. */
  rowOf(model: string, time: number): PriceRow | undefined {
    const priced = this.#find(model);
    return priced === undefined ? undefined : rowAt(priced.rows, time)?.row;
  }

  /**
   * Whole micro-dollars, rounded once per message; `undefined` without a price. If the time of the message is unknown
   * (`NaN`) the latest price counts, and before a model's first day the first one.
   */
  costOf(model: string | undefined, usage: Usage, time: number): number | undefined {
    const priced = model === undefined ? undefined : this.#find(model);
    const row = priced === undefined ? undefined : rowAt(priced.rows, time);
    if (row === undefined) return undefined;
    let tokens = costOfTokens(ratesFor(row, usage, usage.fast), usage);
    for (const compaction of usage.compactions)
      tokens += costOfTokens(ratesFor(row, compaction, usage.fast), compaction);
    if (Number.isNaN(tokens)) return undefined;
    const { inferenceGeoUs, batch, webSearchPerThousand } = this.prices.rules;
    if (usage.usOnly) tokens *= inferenceGeoUs.multiplier;
    if (usage.batch) tokens *= batch.multiplier;
    return Math.round((tokens + usage.webSearches * 1000 * whole(webSearchPerThousand)) / fraction);
  }

  /** Micro-dollars per token of each kind, as this message is charged; `NaN` for a kind without a price. */
  ratesOf(model: string | undefined, usage: Usage, time: number): Readonly<Record<keyof Rates, number>> | undefined {
    const priced = model === undefined ? undefined : this.#find(model);
    const row = priced === undefined ? undefined : rowAt(priced.rows, time);
    const rates = row === undefined ? undefined : ratesFor(row, usage, usage.fast);
    if (rates === undefined) return undefined;
    const { inferenceGeoUs, batch } = this.prices.rules;
    const factor = (usage.usOnly ? inferenceGeoUs.multiplier : 1) * (usage.batch ? batch.multiplier : 1);
    const each = (rate: number): number => (rate * factor) / fraction;
    return {
      input: each(rates.input),
      output: each(rates.output),
      cacheRead: each(rates.cacheRead),
      cacheWrite5m: each(rates.cacheWrite5m),
      cacheWrite1h: each(rates.cacheWrite1h),
    };
  }

  contextTokensOf(model: string): number | undefined {
    if (asksForLongContext(model)) return 1_000_000;
    return this.modelOf(model)?.contextTokens ?? modelFactsOf(model)?.contextTokens;
  }

  #find(model: string): Priced | undefined {
    if (!this.#known.has(model)) {
      const name = plainModelName(model);
      const names = [model, name, withoutModelDate(name)];
      const found = names.map((each) => this.#byName.get(each)).find((each) => each !== undefined);
      this.#known.set(model, found && { model: found, rows: found.prices.map(prepareRow) });
    }
    return this.#known.get(model);
  }
}

function namesOf(models: readonly PricedModel[]): ReadonlyMap<string, PricedModel> {
  const names = new Map<string, PricedModel>();
  // Newest first: the newest date of a model gets the name without a date, unless a row has that name.
  for (const model of models.toReversed()) {
    for (const name of [model.id, ...model.aliases]) names.set(withoutModelDate(plainModelName(name)), model);
  }
  for (const model of models.toReversed()) names.set(model.id, model);
  return names;
}

interface Priced {
  readonly model: PricedModel;
  readonly rows: readonly PreparedRow[];
}

interface PreparedRow {
  readonly row: PriceRow;
  readonly fromMs: number;
  readonly endMs: number;
  readonly usual: PreparedRates;
  readonly long: PreparedRates | undefined;
  readonly overPromptTokens: number;
  readonly fast: PreparedRates | undefined;
}

/** Millionths of a micro-dollar per token, so that sums are whole numbers; `NaN` for an unknown price. */
type PreparedRates = Readonly<Record<keyof Rates, number>>;

// A dollar per million tokens is a micro-dollar per token.
const fraction = 1_000_000;
const dayMs = 24 * 60 * 60 * 1000;

function prepareRow(row: PriceRow): PreparedRow {
  return {
    row,
    fromMs: row.from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(row.from),
    endMs: row.to === undefined ? Number.POSITIVE_INFINITY : Date.parse(row.to) + dayMs,
    usual: prepareRates(row),
    long: row.longPrompt && prepareRates(row.longPrompt),
    overPromptTokens: row.longPrompt?.overPromptTokens ?? Number.POSITIVE_INFINITY,
    fast: row.fast && prepareRates(row.fast),
  };
}

function prepareRates({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: Rates): PreparedRates {
  return {
    input: whole(input),
    output: whole(output),
    cacheRead: whole(cacheRead),
    cacheWrite5m: whole(cacheWrite5m),
    cacheWrite1h: whole(cacheWrite1h),
  };
}

function whole(rate: number | undefined): number {
  return rate === undefined ? Number.NaN : Math.round(rate * fraction);
}

/** After the last day of the last row, and between two rows, there is no price. */
function rowAt(rows: readonly PreparedRow[], time: number): PreparedRow | undefined {
  if (Number.isNaN(time)) return rows.at(-1);
  const row = rows.findLast(({ fromMs }) => fromMs <= time) ?? rows[0];
  return row !== undefined && time < row.endMs ? row : undefined;
}

function ratesFor(row: PreparedRow, counts: TokenCounts, isFast: boolean): PreparedRates | undefined {
  if (isFast) return row.fast;
  return promptTokensOf(counts) > row.overPromptTokens ? row.long : row.usual;
}

function promptTokensOf(counts: TokenCounts): number {
  return counts.inputTokens + counts.cacheReadTokens + counts.cacheWrite5mTokens + counts.cacheWrite1hTokens;
}

/** `NaN` if a required price is unknown. */
function costOfTokens(rates: PreparedRates | undefined, counts: TokenCounts): number {
  if (rates === undefined) return Number.NaN;
  return (
    times(counts.inputTokens, rates.input) +
    times(counts.outputTokens, rates.output) +
    times(counts.cacheReadTokens, rates.cacheRead) +
    times(counts.cacheWrite5mTokens, rates.cacheWrite5m) +
    times(counts.cacheWrite1hTokens, rates.cacheWrite1h)
  );
}

/** 0 tokens cost 0, even at an unknown price. */
function times(tokens: number, rate: number): number {
  return tokens === 0 ? 0 : tokens * rate;
}
