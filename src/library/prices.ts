// A model's name and its usage → money, in whole micro-dollars. A name that no price is known for is unpriced, which is
// not the same as free. Prices come with Clew and can be laid over by a file of the same shape.
import path from 'node:path';
import { systemErrorCode, UserError } from '../base/errors.ts';
import { asObject, asString, type JsonObject, type JsonValue, parseJson } from '../base/json.ts';
import { readRegularText } from '../base/regular-file.ts';
import type { Usage } from '../format/usage.ts';
import { modelFactsOf } from '../models/facts.ts';
import { asksForLongContext, plainModelName, withoutModelDate } from '../models/model-name.ts';
import { diskError } from '../store/disk.ts';
import { stateFolder } from '../store/roots.ts';
import { type ModelRow, models, type PriceRow, pricesVersion, webSearchPerThousand } from './prices-data.ts';

export interface Prices {
  /** The date of the facts, and of what was laid over them. */
  readonly version: string;
  /** Differs wherever a price differs. */
  readonly fingerprint: string;
  readonly webSearchPerThousand: number;
  readonly models: Readonly<Record<string, ModelRow>>;
}

export const bundledPrices: Prices = {
  version: pricesVersion,
  fingerprint: pricesVersion,
  webSearchPerThousand,
  models,
};

/** The bundled prices with `CLEW_PRICES`, else `prices.json` in Clew's state folder, laid over them. */
export function loadPrices(env: NodeJS.ProcessEnv = process.env): Prices {
  const named = env.CLEW_PRICES;
  const file = named ? path.resolve(named) : path.join(stateFolder(env), 'prices.json');
  const text = readText(file, Boolean(named));
  return text === undefined ? bundledPrices : layOver(bundledPrices, text, file);
}

function readText(file: string, isNamed: boolean): string | undefined {
  try {
    return readRegularText(file);
  } catch (error) {
    const isMissing = ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
    if (!isNamed && isMissing) return undefined;
    if (isMissing) throw new UserError(`there is no ${file}`, 'set CLEW_PRICES to a file of prices, or unset it');
    throw diskError(error, 'read', file);
  }
}

function layOver(base: Prices, text: string, file: string): Prices {
  const given = asObject(parseJson(text));
  const rows = asObject(given?.models);
  if (given === undefined || rows === undefined) {
    throw new UserError(`${file} holds no prices: there is no "models" in it`, 'write it as docs/prices.md shows');
  }
  const merged: Record<string, ModelRow> = { ...base.models };
  for (const [name, value] of Object.entries(rows)) {
    const row = modelRow(name, asObject(value), merged[name]);
    if (row === undefined) {
      throw new UserError(`${file}: "${name}" has no price for input and output`, 'give both, per million tokens');
    }
    merged[name] = row;
  }
  return {
    version: `${base.version} + ${asString(given.version) ?? path.basename(file)}`,
    fingerprint: `${base.fingerprint} ${text}`,
    webSearchPerThousand: price(given.webSearchPerThousand) ?? base.webSearchPerThousand,
    models: merged,
  };
}

function modelRow(name: string, given: JsonObject | undefined, before: ModelRow | undefined): ModelRow | undefined {
  const own = priceRow(given, before);
  if (own === undefined) return undefined;
  const fast = priceRow(asObject(given?.fast), before?.fast) ?? before?.fast;
  const contextTokens = price(given?.contextTokens) ?? before?.contextTokens ?? unknownContext(name);
  return { ...own, ...(contextTokens === undefined ? {} : { contextTokens }), ...(fast === undefined ? {} : { fast }) };
}

/** A model that only the file knows is taken for one of the smaller kind. */
function unknownContext(name: string): number | undefined {
  return modelFactsOf(name) === undefined ? 200_000 : undefined;
}

/** What is not given follows from the price of input by the published rule. */
function priceRow(given: JsonObject | undefined, before: PriceRow | undefined): PriceRow | undefined {
  const input = price(given?.input) ?? before?.input;
  const output = price(given?.output) ?? before?.output;
  if (input === undefined || output === undefined) return undefined;
  // Cache prices of the old input would not fit a new one.
  const kept = given?.input === undefined ? before : undefined;
  return {
    input,
    output,
    cacheRead: price(given?.cacheRead) ?? kept?.cacheRead ?? input * 0.1,
    cacheWrite5m: price(given?.cacheWrite5m) ?? kept?.cacheWrite5m ?? input * 1.25,
    cacheWrite1h: price(given?.cacheWrite1h) ?? kept?.cacheWrite1h ?? input * 2,
  };
}

function price(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Looks prices up by any of the names that one model goes by. */
export class PriceList {
  readonly prices: Prices;
  readonly #known = new Map<string, ModelRow | undefined>();
  readonly #byName = new Map<string, ModelRow>();

  constructor(prices: Prices) {
    this.prices = prices;
    const rows = Object.entries(prices.models);
    // Of several dates the last in the table, unless the table has the name itself.
    for (const [name, row] of rows) this.#byName.set(withoutModelDate(name), row);
    for (const [name, row] of rows) this.#byName.set(name, row);
  }

  rowOf(model: string): ModelRow | undefined {
    if (!this.#known.has(model)) this.#known.set(model, this.#find(model));
    return this.#known.get(model);
  }

  #find(model: string): ModelRow | undefined {
    const name = plainModelName(model);
    return this.#byName.get(model) ?? this.#byName.get(name) ?? this.#byName.get(withoutModelDate(name));
  }

  /** Whole micro-dollars, rounded once for the message; `undefined` where there is no price. */
  costOf(model: string | undefined, usage: Usage): number | undefined {
    const row = model === undefined ? undefined : this.rowOf(model);
    const rates = usage.fast ? row?.fast : row;
    if (rates === undefined) return undefined;
    // A dollar per million tokens is a micro-dollar per token; in millionths of that the sums are whole numbers.
    const millionths =
      usage.inputTokens * whole(rates.input) +
      usage.outputTokens * whole(rates.output) +
      usage.cacheReadTokens * whole(rates.cacheRead) +
      usage.cacheWrite5mTokens * whole(rates.cacheWrite5m) +
      usage.cacheWrite1hTokens * whole(rates.cacheWrite1h) +
      usage.webSearches * 1000 * whole(this.prices.webSearchPerThousand);
    return Math.round(millionths / fraction);
  }

  contextTokensOf(model: string): number | undefined {
    if (asksForLongContext(model)) return 1_000_000;
    return this.rowOf(model)?.contextTokens ?? modelFactsOf(model)?.contextTokens;
  }
}

const fraction = 1_000_000;

function whole(rate: number): number {
  return Math.round(rate * fraction);
}
