// Counted messages → cells: the sums of one session, model and quarter of an hour, with and without a price apart. Every report is made of cells; there
// are far fewer of them than messages, and days, weeks and blocks all begin at a quarter. They are kept in the index
// until it changes, so that asking again counts nothing.
import { billedTokens } from '../../format/entry/usage.ts';
import type { PriceList } from '../../models/price-list.ts';
import type { Database } from '../index/database.ts';
import { countLibrary, type PricedMessage, projectPrefixes, type UsageSession } from './library-usage.ts';

export interface UsageCell {
  readonly session: UsageSession;
  /** `undefined` where the messages name none. */
  readonly model: string | undefined;
  readonly isFast: boolean;
  /** When its quarter of an hour begins; `NaN` where the messages have no time. */
  readonly time: number;
  readonly messages: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  /** `undefined` where there is no price for the model. */
  readonly costMicroUsd: number | undefined;
  readonly outputIsLowerBound: boolean;
}

export interface CellScope {
  readonly roots: readonly string[];
}

/** The cells of a library, from the index as it is. */
export function usageCells(database: Database, { roots }: CellScope, prices: PriceList): readonly UsageCell[] {
  const key = JSON.stringify([projectPrefixes(roots), prices.prices.fingerprint]);
  const kept = database.prepare('SELECT cells FROM usage_cache WHERE key = ?').get(key)?.cells;
  if (typeof kept === 'string') return unpackCells(kept);
  const version = dataVersion(database);
  const cells = makeCells(countLibrary(database, { roots }, prices));
  database.transaction(() => {
    // What another process wrote in between is not in these cells.
    if (dataVersion(database) !== version) return;
    database.prepare('INSERT OR REPLACE INTO usage_cache VALUES (?, ?)').run(key, packCells(cells));
  });
  return cells;
}

export const quarterMs: number = 15 * 60 * 1000;

export function makeCells(messages: readonly PricedMessage[]): readonly UsageCell[] {
  const cells = new Map<string, Mutable<UsageCell>>();
  for (const { line, usage, session, costMicroUsd, isLowerBound } of messages) {
    const time = Math.floor(line.time / quarterMs) * quarterMs;
    const isUnpriced = costMicroUsd === undefined;
    const key = `${session.id} ${time} ${usage.fast} ${isUnpriced} ${line.model}`;
    let cell = cells.get(key);
    if (cell === undefined) {
      cell = emptyCell(session, line.model, usage.fast, time, isUnpriced);
      cells.set(key, cell);
    }
    cell.messages++;
    const tokens = billedTokens(usage);
    cell.inputTokens += tokens.inputTokens;
    cell.outputTokens += tokens.outputTokens;
    cell.cacheReadTokens += tokens.cacheReadTokens;
    cell.cacheWrite5mTokens += tokens.cacheWrite5mTokens;
    cell.cacheWrite1hTokens += tokens.cacheWrite1hTokens;
    if (cell.costMicroUsd !== undefined) cell.costMicroUsd += costMicroUsd ?? 0;
    if (isLowerBound) cell.outputIsLowerBound = true;
  }
  return [...cells.values()];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function emptyCell(
  session: UsageSession,
  model: string | undefined,
  isFast: boolean,
  time: number,
  isUnpriced: boolean,
): Mutable<UsageCell> {
  return {
    session,
    model,
    isFast,
    time,
    messages: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    costMicroUsd: isUnpriced ? undefined : 0,
    outputIsLowerBound: false,
  };
}

interface PackedCells {
  readonly sessions: readonly UsageSession[];
  readonly models: readonly (string | null)[];
  /** Of each cell its numbers, in the order of `UsageCell`. */
  readonly values: readonly (number | null)[];
}

function packCells(cells: readonly UsageCell[]): string {
  const sessions = new Map<UsageSession, number>();
  const models = new Map<string | undefined, number>();
  const values: (number | null)[] = [];
  for (const cell of cells) {
    values.push(
      place(sessions, cell.session),
      place(models, cell.model),
      (cell.isFast ? 1 : 0) + (cell.outputIsLowerBound ? 2 : 0),
      Number.isNaN(cell.time) ? null : cell.time / quarterMs,
      cell.messages,
      cell.inputTokens,
      cell.outputTokens,
      cell.cacheReadTokens,
      cell.cacheWrite5mTokens,
      cell.cacheWrite1hTokens,
      cell.costMicroUsd ?? null,
    );
  }
  const names = [...models.keys()].map((model) => model ?? null);
  return JSON.stringify({ sessions: [...sessions.keys()], models: names, values } satisfies PackedCells);
}

const width = 11;

function unpackCells(text: string): readonly UsageCell[] {
  const { sessions, models, values } = JSON.parse(text) as PackedCells; // written by packCells
  const cells: UsageCell[] = [];
  for (let i = 0; i + width <= values.length; i += width) {
    const time = values[i + 3];
    const flags = values[i + 2] as number;
    cells.push({
      session: sessions[values[i] as number] as UsageSession,
      model: models[values[i + 1] as number] ?? undefined,
      isFast: (flags & 1) !== 0,
      time: typeof time === 'number' ? time * quarterMs : Number.NaN,
      messages: values[i + 4] as number,
      inputTokens: values[i + 5] as number,
      outputTokens: values[i + 6] as number,
      cacheReadTokens: values[i + 7] as number,
      cacheWrite5mTokens: values[i + 8] as number,
      cacheWrite1hTokens: values[i + 9] as number,
      costMicroUsd: values[i + 10] ?? undefined,
      outputIsLowerBound: (flags & 2) !== 0,
    });
  }
  return cells;
}

function place<T>(known: Map<T, number>, value: T): number {
  const found = known.get(value) ?? known.size;
  known.set(value, found);
  return found;
}

function dataVersion(database: Database): number {
  return Number(database.prepare('PRAGMA data_version').get()?.data_version);
}
