// The JSON of a price file → a table of prices, or one sentence about what is wrong. There are two forms: a table (models
// with dated prices, as in models.json), and flat prices by name that are applied to another table.
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../base/json/index.ts';
import { modelFactsOf, withoutModelDate } from './facts.ts';
import type { PriceRow, PriceRules, Rates } from './model-row.ts';
import { type PricedModel, PriceList, type Prices } from './price-list.ts';

export interface PriceTable {
  readonly version: string;
  readonly rules: Partial<PriceRules>;
  readonly models: readonly PricedModel[];
}

/** What is wrong with a price file: a sentence without the file's name. */
export class PriceProblem extends Error {
  override name: string = 'PriceProblem';
}

/** Whether the file has the form of a table; it may still be invalid. */
export function isTableText(text: string): boolean {
  return isArray(asObject(parseJson(text))?.models);
}

/** Throws a `PriceProblem`. */
export function readPriceTable(text: string): PriceTable {
  const given = objectOf(text);
  const { version, rules, models } = given;
  if (typeof version !== 'string' || !isDay(version))
    throw new PriceProblem('"version" is not a day such as 2026-11-15');
  if (!isArray(models)) throw new PriceProblem('"models" is not a list');
  if (models.length === 0) throw new PriceProblem('"models" is empty');
  if (models.length > mostModels) throw new PriceProblem(`"models" has more than ${mostModels} entries`);
  const rows = models.map(readModel);
  const seen = new Set<string>();
  for (const { id } of rows) {
    if (seen.has(id)) throw new PriceProblem(`"${id}" is listed twice`);
    seen.add(id);
  }
  return { version, rules: readRules(rules), models: rows };
}

const mostModels = 10_000;
const mostNameChars = 256;
/** Dollars per million tokens; a larger number is in the wrong unit. */
const highestPrice = 100_000;

function objectOf(text: string): JsonObject {
  const value = parseJson(text);
  if (value === undefined) throw new PriceProblem('it is not JSON');
  if (!isObject(value)) throw new PriceProblem('it is not a JSON object');
  return value;
}

function readRules(value: JsonValue | undefined): Partial<PriceRules> {
  const given = asObject(value) ?? {};
  const multiplierOf = (name: 'inferenceGeoUs' | 'batch'): { multiplier: number } | undefined => {
    if (given[name] === undefined) return undefined;
    return { multiplier: numberOf(asObject(given[name])?.multiplier, `rules.${name}.multiplier`) };
  };
  const inferenceGeoUs = multiplierOf('inferenceGeoUs');
  const batch = multiplierOf('batch');
  const searches = given.webSearchPerThousand;
  return {
    ...(inferenceGeoUs && { inferenceGeoUs }),
    ...(batch && { batch }),
    ...(searches !== undefined && { webSearchPerThousand: numberOf(searches, 'rules.webSearchPerThousand') }),
  };
}

function readModel(value: JsonValue, index: number): PricedModel {
  const given = asObject(value);
  const id = asString(given?.id);
  if (given === undefined || id === undefined || id === '' || id.length > mostNameChars) {
    throw new PriceProblem(`model ${index + 1} has no "id"`);
  }
  const rows = given.prices;
  if (!isArray(rows) || rows.length === 0) throw new PriceProblem(`"${id}" has no "prices"`);
  const prices = rows.map((row, i) => readRow(row, `"${id}", price ${i + 1}`));
  checkDays(id, prices);
  const { aliases, contextTokens } = given;
  return {
    id,
    aliases: isArray(aliases) ? aliases.filter((name) => typeof name === 'string') : [],
    ...(contextTokens === undefined ? {} : { contextTokens: numberOf(contextTokens, `"${id}": "contextTokens"`, 1e9) }),
    prices,
  };
}

function readRow(value: JsonValue, place: string): PriceRow {
  const given = asObject(value);
  if (given === undefined) throw new PriceProblem(`${place}: it is not an object`);
  const { from, to } = given;
  for (const [name, day] of [['from', from] as const, ['to', to] as const]) {
    if (day !== undefined && (typeof day !== 'string' || !isDay(day)))
      throw new PriceProblem(`${place}: "${name}" is not a day such as 2026-11-15`);
  }
  const long = given.longPrompt === undefined ? undefined : asObject(given.longPrompt);
  const fast = given.fast === undefined ? undefined : asObject(given.fast);
  if (given.longPrompt !== undefined && long === undefined)
    throw new PriceProblem(`${place}: "longPrompt" is not an object`);
  if (given.fast !== undefined && fast === undefined) throw new PriceProblem(`${place}: "fast" is not an object`);
  return {
    ...(typeof from === 'string' && { from }),
    ...(typeof to === 'string' && { to }),
    ...readRates(given, place),
    ...(long && {
      longPrompt: {
        overPromptTokens: numberOf(long.overPromptTokens, `${place}: "overPromptTokens"`, 1e9),
        ...readRates(long, `${place}: "longPrompt"`),
      },
    }),
    ...(fast && { fast: readRates(fast, `${place}: "fast"`) }),
  };
}

const cacheNames = ['cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const;

function readRates(given: JsonObject, place: string): Rates {
  const caches = cacheNames.filter((name) => given[name] !== undefined);
  return {
    input: numberOf(given.input, `${place}: "input"`),
    output: numberOf(given.output, `${place}: "output"`),
    ...Object.fromEntries(caches.map((name) => [name, numberOf(given[name], `${place}: "${name}"`)])),
  };
}

function numberOf(value: JsonValue | undefined, place: string, most = highestPrice): number {
  if (value === undefined) throw new PriceProblem(`${place} is missing`);
  if (typeof value !== 'number' || !(value >= 0)) throw new PriceProblem(`${place} is not a number from 0 up`);
  if (value > most) throw new PriceProblem(`${place} is larger than ${most}`);
  return value;
}

/** In order, without overlaps, so that every day has at most one price. */
function checkDays(id: string, rows: readonly PriceRow[]): void {
  for (const [i, row] of rows.entries()) {
    const { from = '', to = '9999-12-31' } = row;
    if (from > to) throw new PriceProblem(`"${id}", price ${i + 1}: "to" is before "from"`);
    const next = rows[i + 1];
    if (next === undefined) continue;
    const begins = next.from ?? '';
    // A row without a last day ends before the next one.
    if (begins <= from || (row.to !== undefined && begins <= row.to))
      throw new PriceProblem(`"${id}", price ${i + 2}: it begins before price ${i + 1} ends`);
  }
}

function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** Applies a table to another one: its models replace those of the same name. */
export function layTable(base: Prices, table: PriceTable, text: string, file: string): Prices {
  const list = new PriceList({ ...base, models: table.models });
  return {
    ...base,
    version: table.version,
    day: table.version,
    fingerprint: `${base.fingerprint} ${text}`,
    rules: { ...base.rules, ...table.rules },
    models: [...table.models, ...base.models.filter(({ id }) => list.modelOf(id) === undefined)],
    files: [...base.files, file],
  };
}

/** Applies flat prices, each for all time, to a table. Throws a `PriceProblem`. */
export function layFlat(base: Prices, text: string, file: string, fileName: string): Prices {
  const given = objectOf(text);
  const rows = asObject(given.models);
  if (rows === undefined) throw new PriceProblem('there is no "models" in it');
  const list = new PriceList(base);
  const assumedReads: string[] = [];
  const own = Object.entries(rows).map(([name, value]) => {
    const before = list.modelOf(name);
    const model = flatModel(name, asObject(value) ?? {}, before);
    const hasReads = asObject(value)?.cacheRead !== undefined;
    if (!hasReads && asObject(value)?.input !== undefined) assumedReads.push(name);
    return model;
  });
  const replaced = new Set(own.map(({ id }) => id));
  const { rules } = base;
  return {
    version: `${base.version} + ${asString(given.version) ?? fileName}`,
    day: base.day,
    fingerprint: `${base.fingerprint} ${text}`,
    rules: { ...rules, webSearchPerThousand: price(given.webSearchPerThousand) ?? rules.webSearchPerThousand },
    models: [...own, ...base.models.filter(({ id }) => !replaced.has(id))],
    files: [...base.files, file],
    notices: base.notices,
    assumedReads: [...base.assumedReads, ...assumedReads],
  };
}

function flatModel(name: string, given: JsonObject, before: PricedModel | undefined): PricedModel {
  const isWhole = given.input !== undefined && given.output !== undefined;
  const { from: _from, to: _to, ...latest }: Partial<PriceRow> = before?.prices.at(-1) ?? {};
  const rows: readonly Partial<PriceRow>[] = isWhole ? [latest] : (before?.prices ?? [{}]);
  const prices = rows.map((row) => flatRow(given, row));
  if (prices.some((row) => row === undefined)) throw new PriceProblem(`"${name}" has no price for input and output`);
  // An unknown model is assumed to be a small one.
  const usual = modelFactsOf(name) === undefined ? 200_000 : undefined;
  const contextTokens = price(given.contextTokens) ?? before?.contextTokens ?? usual;
  const isKnown = before !== undefined && [before.id, withoutModelDate(before.id), ...before.aliases].includes(name);
  return {
    id: isKnown ? before.id : name,
    aliases: isKnown ? before.aliases : [],
    ...(contextTokens === undefined ? {} : { contextTokens }),
    prices: prices as readonly PriceRow[], // none is undefined
  };
}

function flatRow(given: JsonObject, before: Partial<PriceRow>): PriceRow | undefined {
  const own = flatRates(given, before);
  if (own === undefined) return undefined;
  const { from, to, longPrompt } = before;
  const fast = flatRates(asObject(given.fast), before.fast) ?? before.fast;
  // Bands of the table do not apply to prices of another source.
  const isOwn = given.input !== undefined || given.output !== undefined;
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...own,
    ...(longPrompt !== undefined && !isOwn && { longPrompt }),
    ...(fast !== undefined && { fast }),
  };
}

/** Missing cache prices follow from the input price: writes by the published rule, reads by the usual ratio. */
function flatRates(given: JsonObject | undefined, before: Partial<Rates> | undefined): Rates | undefined {
  const input = price(given?.input) ?? before?.input;
  const output = price(given?.output) ?? before?.output;
  if (input === undefined || output === undefined) return undefined;
  // Old cache prices do not apply to a new input price.
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
