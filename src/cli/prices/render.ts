// The table of prices → the JSON of `clew prices --json` (docs/json.md).

import { counted, formatTokens, neutralise, oneLine } from '../../base/text/index.ts';
import type { PriceUpdate, UnpricedModel } from '../../library/usage/index.ts';
import { modelRowOf, type PricedModel, PriceList, type PriceRow, type Prices, type Rates } from '../../models/index.ts';
import { ageInDays, ageWarning } from '../input/index.ts';
import { type Cell, type Column, renderTable, shortFolder, wrapSpans } from '../render/index.ts';
import type { Style } from '../terminal/index.ts';

interface ShownPrices {
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

// The table of prices → text: today's prices of each model, its other prices below them, and notes about the table's age
// and the models without a price.

interface TextOptions {
  readonly width: number;
  readonly style: Style;
}

export function pricesText(shown: ShownPrices, { width, style }: TextOptions): string {
  const list = new PriceList(shown.prices);
  const columns: readonly (Column & { readonly fromWidth?: number })[] = [
    { header: 'MODEL', flex: true, minWidth: 12 },
    { header: 'INPUT', align: 'right' },
    { header: 'OUTPUT', align: 'right' },
    ...['READ', 'WRITE 5M', 'WRITE 1H'].map((name) => ({
      header: width < 104 ? name : `CACHE ${name}`,
      align: 'right' as const,
    })),
    ...(width < 72 ? [] : [{ header: 'CONTEXT', align: 'right' as const }]),
    ...(width < 92 ? [] : [{ header: 'RETIRES' }]),
  ];
  const rows = shown.prices.models.flatMap((model) => modelRows(model, list, shown.nowMs, style));
  const notes = notesFor(shown, width).flatMap((note) =>
    wrapSpans([{ text: note, paint: style.muted }], width).map((line) => line.text),
  );
  return `${[renderTable(columns, rows, { width, style }), '', ...notes].join('\n')}\n`;
}

function modelRows(model: PricedModel, list: PriceList, nowMs: number, style: Style): readonly (readonly Cell[])[] {
  const now = list.rowOf(model.id, nowMs);
  const facts = modelRowOf(model.id);
  const context = list.contextTokensOf(model.id);
  const retires = facts?.retires ?? (facts?.retiresNotBefore === undefined ? '' : `after ${facts.retiresNotBefore}`);
  const main: readonly Cell[] = [
    model.id,
    ...rateCells(now),
    context === undefined ? '' : formatTokens(context),
    { text: retires, paint: style.muted },
  ];
  const others = model.prices
    .filter((row) => row !== now)
    .flatMap((row) => [below(spanText(row), row, style), ...variants({ ...row, fast: undefined }, style, 'then, ')]);
  return [main, ...(now === undefined ? [] : variants(now, style)), ...others];
}

function variants(
  { longPrompt, fast }: { readonly [K in 'longPrompt' | 'fast']?: PriceRow[K] | undefined },
  style: Style,
  when = '',
): readonly (readonly Cell[])[] {
  return [
    ...(longPrompt === undefined
      ? []
      : [below(`${when}prompts over ${formatTokens(longPrompt.overPromptTokens)}`, longPrompt, style)]),
    ...(fast === undefined ? [] : [below('fast', fast, style)]),
  ];
}

function below(text: string, rates: Rates, style: Style): readonly Cell[] {
  return [{ text: `└ ${text}`, paint: style.muted }, ...rateCells(rates)];
}

function spanText({ from, to }: PriceRow): string {
  if (to !== undefined) return from === undefined ? `until ${to}` : `${from} to ${to}`;
  return from === undefined ? 'at other times' : `from ${from}`;
}

function rateCells(rates: Rates | undefined): readonly Cell[] {
  const values = [rates?.input, rates?.output, rates?.cacheRead, rates?.cacheWrite5m, rates?.cacheWrite1h];
  return values.map((value) => (value === undefined ? '–' : priceText(value)));
}

/** Two decimals, or as many as the price has. */
function priceText(value: number): string {
  const short = value.toFixed(2);
  return Number(short) === value ? short : String(value);
}

function notesFor({ prices, unknown, nowMs }: ShownPrices, width: number): readonly string[] {
  const { rules } = prices;
  const nameWidth = Number.isFinite(width) ? Math.min(60, width - 2) : width;
  const days = ageInDays(prices, nowMs);
  const files = prices.files.map((file) => neutralise(shortFolder(file))).join(' and ');
  const parts = unknown.map(({ model, messages, tokens }) => {
    return `${oneLine(model, nameWidth) || '(no model)'} (${counted(messages, 'message')}, ${counted(tokens, 'token')})`;
  });
  return [
    `US dollars per million tokens; in the US only × ${rules.inferenceGeoUs.multiplier}, in a batch × ${rules.batch.multiplier}; a thousand web searches $${rules.webSearchPerThousand}`,
    `prices of ${oneLine(prices.version, nameWidth)}, ${counted(days, 'day')} old, ${files === '' ? 'included in Clew' : `with ${files}`}`,
    ...(ageWarning(prices, nowMs) === undefined ? [] : ['the prices are old; `clew prices update FILE` replaces them']),
    ...(prices.assumedReads.length === 0
      ? []
      : [
          `cache reads of ${prices.assumedReads.map((name) => oneLine(name, nameWidth)).join(', ')}: a tenth of the input price, because the file gives none`,
        ]),
    parts.length === 0
      ? 'every model in your sessions has a price'
      : `no price is known for ${parts.join(', ')}; docs/prices.md says how to add one`,
  ];
}

export function updateText({ file, version, added, changed, models, backup }: PriceUpdate, isTrial: boolean): string {
  const names = (list: readonly string[]): string => list.map((name) => oneLine(name, 60)).join(', ');
  return [
    `${isTrial ? 'would write' : 'wrote'} ${neutralise(file)}: prices of ${version}, ${counted(models, 'model')}`,
    ...(added.length === 0 ? [] : [`new: ${names(added)}`]),
    ...(changed.length === 0 ? [] : [`changed: ${names(changed)}`]),
    ...(backup === undefined ? [] : [`the previous file is kept as ${neutralise(backup)}`]),
    '',
  ].join('\n');
}
