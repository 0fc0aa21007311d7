// Counted messages → cells: the sums of one session, model and quarter of an hour, priced and unpriced messages in
// separate cells. Every report is made of cells: there are far fewer of them than messages, and days, weeks and blocks
// all begin at a quarter.

import { billedTokens } from '../../format/entry/index.ts';
import type { PriceList } from '../../models/index.ts';
import type { CountedMessage } from '../../session/usage/index.ts';
import type { TranscriptPlace } from '../../store/index.ts';
import { type CountedUsage, type SummedFile, sessionIdOf } from './current-usage.ts';
import { cellFields, cellWidth, quarterMs } from './state-file.ts';
import type { UsageStore } from './usage-store.ts';

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

/** The cells of a library, as its last update left them. */
export function cellsOf(usage: CountedUsage): readonly UsageCell[] {
  return cellsSince(usage, usage.files(), Number.NEGATIVE_INFINITY, undefined);
}

const pauseQuarters = (5 * 60) / 15;
const recentQuarters = (48 * 60) / 15;

/**
 * The cells of a session, and those that the day and the block of now depend on: all since the last pause of five hours that
 * is two days old. A pause ends every block, so that the blocks after it are the same without what was before.
 */
export function recentCells(
  usage: CountedUsage,
  { nowMs, sessionId }: { readonly nowMs: number; readonly sessionId: string | undefined },
): readonly UsageCell[] {
  const files = usage.files();
  const recent = Math.floor(nowMs / quarterMs) - recentQuarters;
  const before: number[] = [];
  let first = Number.POSITIVE_INFINITY;
  for (const { cells } of files) {
    for (let at = cellFields.quarter; at < cells.length; at += cellWidth) {
      const quarter = cells[at] as number;
      if (quarter < recent) before.push(quarter);
      else if (quarter < first) first = quarter;
    }
  }
  // Without anything recent no block is active, and earlier cells do not matter.
  if (first !== Number.POSITIVE_INFINITY) {
    const sorted = Float64Array.from(before).sort();
    for (let i = sorted.length - 1; i >= 0 && first - (sorted[i] as number) < pauseQuarters; i--)
      first = sorted[i] as number;
  }
  return cellsSince(usage, files, first, sessionId);
}

function cellsSince(
  usage: CountedUsage,
  files: readonly SummedFile[],
  firstQuarter: number,
  sessionId: string | undefined,
): readonly UsageCell[] {
  const sessions = new Sessions();
  const cells: UsageCell[] = [];
  const isAll = firstQuarter === Number.NEGATIVE_INFINITY;
  const isNoneRecent = firstQuarter === Number.POSITIVE_INFINITY;
  const ownEnd = `${sessionId}.jsonl`;
  for (const { found, main, cwd, cells: sums } of files) {
    // The first check needs no new string for each of thousands of files.
    const isOwn = isAll || (main.endsWith(ownEnd) && sessionId !== undefined && sessionIdOf({ main }) === sessionId);
    if (isNoneRecent && !isOwn) continue;
    let session = isAll ? sessions.of(main, found, cwd) : undefined;
    for (let at = 0; at < sums.length; at += cellWidth) {
      if (!isOwn && !((sums[at + cellFields.quarter] as number) >= firstQuarter)) continue;
      session ??= sessions.of(main, found, cwd);
      const model = sums[at + cellFields.model] as number;
      const cost = sums[at + cellFields.costMicroUsd] as number;
      cells.push({
        session,
        model: usage.modelName(model >> 2),
        isFast: (model & 2) !== 0,
        time: (sums[at + cellFields.quarter] as number) * quarterMs,
        messages: sums[at + cellFields.messages] as number,
        inputTokens: sums[at + cellFields.inputTokens] as number,
        outputTokens: sums[at + cellFields.outputTokens] as number,
        cacheReadTokens: sums[at + cellFields.cacheReadTokens] as number,
        cacheWrite5mTokens: sums[at + cellFields.cacheWrite5mTokens] as number,
        cacheWrite1hTokens: sums[at + cellFields.cacheWrite1hTokens] as number,
        costMicroUsd: Number.isNaN(cost) ? undefined : cost,
        outputIsLowerBound: (model & 1) !== 0,
      });
    }
  }
  return cells;
}

/** Sessions by their main transcripts, each with the folder that its main transcript names. */
class Sessions {
  readonly #known = new Map<string, Mutable<UsageSession>>();

  of(main: string, { path: file, slug }: TranscriptPlace, cwd: string | undefined): UsageSession {
    let session = this.#known.get(main);
    if (session === undefined) {
      session = { id: this.#known.size, sessionId: sessionIdOf({ main }), path: main, slug };
      this.#known.set(main, session);
    }
    if (file === main && cwd !== undefined) session.cwd = cwd;
    return session;
  }
}

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

/** A session, as a usage report names it. */
export interface UsageSession {
  readonly id: number;
  readonly sessionId: string;
  readonly path: string;
  readonly slug: string;
  /** The folder it was started in, where its lines say. */
  readonly cwd?: string;
  /** Whose session it is, in a team's store. */
  readonly person?: string;
}

export interface PricedMessage extends CountedMessage {
  readonly session: UsageSession;
  /** `undefined` where there is no price for its model. */
  readonly costMicroUsd: number | undefined;
}

/** Every message of a library, counted once, as its last update left them. */
export function pricedMessages(store: UsageStore, prices: PriceList): readonly PricedMessage[] {
  const sessions = sessionsByFile(store);
  return store.messages().map((message) => ({
    ...message,
    session: sessions.get(message.line.file) as UsageSession, // every counted line is in one of the files
    costMicroUsd: prices.costOf(message.line.model, message.usage, message.line.time),
  }));
}

/** By the path of the transcript. */
export function sessionsByFile(store: UsageStore): ReadonlyMap<string, UsageSession> {
  const sessions = new Sessions();
  const byFile = new Map<string, UsageSession>();
  for (const { found, main, cwd } of store.files()) byFile.set(found.path, sessions.of(main, found, cwd));
  return byFile;
}
