// Counted messages of one file → sums by model, speed and quarter of an hour, as numbers that are kept as they are on the
// disk. Ten numbers each: names in `cellFields`.
import { billedTokens, noUsage, type Usage } from '../../format/entry/index.ts';
import type { PriceList } from '../../models/index.ts';
import type { CountedMessage } from '../../session/usage/index.ts';
import { type PackedRows, rowBytes, rowFlags, rowOffsets } from '../rows/index.ts';
import { cellFields, cellWidth, quarterMs } from './state-file.ts';

/** Before every time that a date can have. */
const noQuarter = -(2 ** 34);
/** Numbers of models are less than this. */
const maxModels = 65536;

/** The sums of one file, and the size of its context. */
export class CellSums {
  #cells = new Float64Array(cellWidth * 16);
  #count = 0;
  readonly #places = new Map<number, number>();
  /** The key and the place that were used last: neighbouring messages are nearly always in the same cell. */
  #lastKey = -1;
  #lastAt = 0;
  /** The last message of the main conversation. */
  lastLine = 0;
  lastModel = 0;
  contextTokens: number = Number.NaN;

  add(message: SummedMessage): void {
    const { model, time, usage, costMicroUsd, isLowerBound } = message;
    const quarter = Math.floor(time / quarterMs);
    const isUnpriced = costMicroUsd === undefined;
    const place = Number.isNaN(quarter) ? noQuarter : quarter;
    const key = (place * maxModels + model) * 4 + (usage.fast ? 2 : 0) + (isUnpriced ? 1 : 0);
    const at = key === this.#lastKey ? this.#lastAt : this.#placeOf(key);
    const cells = this.#cells;
    if (cells[at + cellFields.messages] === 0) {
      cells[at + cellFields.model] = model * 4 + (usage.fast ? 2 : 0);
      cells[at + cellFields.quarter] = quarter;
      if (isUnpriced) cells[at + cellFields.costMicroUsd] = Number.NaN;
    }
    const tokens = usage.compactions.length === 0 ? usage : billedTokens(usage);
    (cells[at + cellFields.messages] as number) += 1;
    (cells[at + cellFields.inputTokens] as number) += tokens.inputTokens;
    (cells[at + cellFields.outputTokens] as number) += tokens.outputTokens;
    (cells[at + cellFields.cacheReadTokens] as number) += tokens.cacheReadTokens;
    (cells[at + cellFields.cacheWrite5mTokens] as number) += tokens.cacheWrite5mTokens;
    (cells[at + cellFields.cacheWrite1hTokens] as number) += tokens.cacheWrite1hTokens;
    (cells[at + cellFields.costMicroUsd] as number) += costMicroUsd ?? 0;
    if (isLowerBound && (cells[at + cellFields.model] as number) % 2 === 0)
      (cells[at + cellFields.model] as number) += 1;
    this.#lastKey = key;
    this.#lastAt = at;
    if (message.isSidechain || message.line <= this.lastLine) return;
    this.lastLine = message.line;
    this.lastModel = model;
    this.contextTokens =
      usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  }

  get cells(): Float64Array {
    return this.#cells.slice(0, this.#count * cellWidth);
  }

  #placeOf(key: number): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const at = this.#count++ * cellWidth;
    if (at + cellWidth > this.#cells.length) {
      const larger = new Float64Array(this.#cells.length * 2);
      larger.set(this.#cells);
      this.#cells = larger;
    }
    this.#places.set(key, at);
    return at;
  }
}

export interface SummedMessage {
  readonly line: number;
  /** Its number; 0 for none. */
  readonly model: number;
  readonly isSidechain: boolean;
  readonly time: number;
  readonly usage: Usage;
  readonly costMicroUsd: number | undefined;
  readonly isLowerBound: boolean;
}

/** Adds messages of one file, as the counting rule has counted them. */
export function addCounted(
  sums: CellSums,
  messages: readonly CountedMessage[],
  prices: PriceList,
  modelNumber: (name: string | undefined) => number,
): void {
  for (const { line, usage, isLowerBound } of messages) {
    const costMicroUsd = prices.costOf(line.model, usage, line.time);
    const { isSidechain, time } = line;
    sums.add({ line: line.line, model: modelNumber(line.model), isSidechain, time, usage, costMicroUsd, isLowerBound });
  }
}

/**
 * Whether each row is a message that counts as it is, if no other file has it: an answer with an id that no other row of
 * the file has, by a model, at a time, not copied.
 */
export function areMessages(rows: PackedRows): boolean {
  const timeAt = rowOffsets.time / 8;
  for (let row = 0; row < rows.count; row++) {
    const isCounted = (rows.flagsOf(row) & (rowFlags.copy | rowFlags.synthetic)) === 0;
    const time = rows.doubles[(row * rowBytes) / 8 + timeAt] as number;
    if (!isCounted || Number.isNaN(time) || rows.hasExtra(row) || !hasKey(rows, row)) return false;
  }
  return true;
}

function hasKey(rows: PackedRows, row: number): boolean {
  return rows.lowKeyOf(row) !== 0 || rows.highKeyOf(row) !== 0;
}

/** Adds rows that are messages, without making objects of them. */
export function addRows(
  sums: CellSums,
  rows: PackedRows,
  prices: PriceList,
  models: readonly (string | undefined)[],
): void {
  const { doubles } = rows;
  const usage: Mutable<Usage> = { ...noUsage };
  for (let row = 0; row < rows.count; row++) {
    const at = (row * rowBytes) / 8;
    const flags = rows.flagsOf(row);
    usage.inputTokens = doubles[at + rowOffsets.inputTokens / 8] as number;
    usage.outputTokens = doubles[at + rowOffsets.outputTokens / 8] as number;
    usage.cacheReadTokens = doubles[at + rowOffsets.cacheReadTokens / 8] as number;
    usage.cacheWrite5mTokens = doubles[at + rowOffsets.cacheWrite5mTokens / 8] as number;
    usage.cacheWrite1hTokens = doubles[at + rowOffsets.cacheWrite1hTokens / 8] as number;
    usage.webSearches = doubles[at + rowOffsets.webSearches / 8] as number;
    usage.fast = (flags & rowFlags.fast) !== 0;
    usage.usOnly = (flags & rowFlags.usOnly) !== 0;
    usage.batch = (flags & rowFlags.batch) !== 0;
    const model = flags >>> 8;
    const time = doubles[at + rowOffsets.time / 8] as number;
    sums.add({
      line: rows.words[(row * rowBytes + rowOffsets.line) / 4] as number,
      model,
      isSidechain: (flags & rowFlags.sidechain) !== 0,
      time,
      usage,
      costMicroUsd: prices.costOf(model === 0 ? undefined : models[model], usage, time),
      isLowerBound: (flags & rowFlags.stop) === 0,
    });
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
