// All transcripts of a library → what the output of each tool cost, by day. A file is read once, when its numbers are needed, and
// again after it has changed; other requests are answered between two files.
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { readInode } from '../../base/files/index.ts';
import type { PriceList } from '../../models/index.ts';
import { loadReadable } from '../../session/transcript/index.ts';
import type { Calendar, PricedMessage, UsageSession } from '../usage/index.ts';
import { noSpending, type SpendingSum, type ToolSpending, toolSpending } from './tool-output.ts';

interface KnownFile {
  readonly state: string;
  readonly spending: readonly ToolSpending[];
}

export interface ToolCostQuery {
  /** Counted messages of the whole library; those of other sessions and days are left out of the sums. */
  readonly messages: readonly PricedMessage[];
  readonly isWanted: (session: UsageSession) => boolean;
  /** First and last day, both included. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The sums of a tool, without a day. */
export type ToolCost = Omit<ToolSpending, 'day'>;

export class ToolCosts {
  readonly #prices: PriceList;
  readonly #calendar: Calendar;
  readonly #known = new Map<string, KnownFile>();

  constructor({ prices, calendar }: { readonly prices: PriceList; readonly calendar: Calendar }) {
    this.#prices = prices;
    this.#calendar = calendar;
  }

  /** The most expensive first. */
  async collect({ messages, isWanted, since, until }: ToolCostQuery): Promise<readonly ToolCost[]> {
    const sums = new Map<string, SpendingSum>();
    for (const [path, { session, ids }] of countedByFile(messages)) {
      if (!isWanted(session)) continue;
      for (const each of await this.#spendingOf(path, ids)) {
        const { tool, day } = each;
        const isIn = (since === undefined || day >= since) && (until === undefined || (day !== '' && day <= until));
        if (isIn && (day !== '' || since === undefined)) add(sums, tool, each);
      }
    }
    return [...sums.values()]
      .map(({ day: _, ...sum }) => roundSum(sum))
      .sort((a, b) => costOf(b) - costOf(a) || b.addedTokens - a.addedTokens || (a.tool < b.tool ? -1 : 1));
  }

  async #spendingOf(path: string, ids: ReadonlySet<string>): Promise<readonly ToolSpending[]> {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    // The number of messages changes if another file has them first.
    const state = `${readInode(path, stats)} ${stats.size} ${stats.mtimeMs} ${ids.size}`;
    const known = this.#known.get(path);
    if (known?.state === state) return known.spending;
    await setImmediate();
    const spending = toolSpending(loadReadable(path, { strict: false }), {
      prices: this.#prices,
      isCounted: (id) => ids.has(id),
      dayOf: (time) => this.#calendar.dayOf(time),
    });
    this.#known.set(path, { state, spending });
    return spending;
  }
}

interface FileMessages {
  readonly session: UsageSession;
  readonly ids: Set<string>;
}

function countedByFile(messages: readonly PricedMessage[]): ReadonlyMap<string, FileMessages> {
  const files = new Map<string, FileMessages>();
  for (const { line, session } of messages) {
    let file = files.get(line.file);
    if (file === undefined) {
      file = { session, ids: new Set() };
      files.set(line.file, file);
    }
    if (line.messageId !== undefined) file.ids.add(line.messageId);
  }
  return files;
}

function add(sums: Map<string, SpendingSum>, tool: string, part: ToolSpending): void {
  const sum = sums.get(tool) ?? noSpending(tool, '');
  sums.set(tool, sum);
  sum.results += part.results;
  sum.addedTokens += part.addedTokens;
  sum.rereadTokens += part.rereadTokens;
  sum.addedMicroUsd += part.addedMicroUsd;
  sum.rereadMicroUsd += part.rereadMicroUsd;
  sum.unpricedTokens += part.unpricedTokens;
}

function roundSum(sum: ToolCost): ToolCost {
  return {
    tool: sum.tool,
    results: sum.results,
    addedTokens: Math.round(sum.addedTokens),
    rereadTokens: Math.round(sum.rereadTokens),
    addedMicroUsd: Math.round(sum.addedMicroUsd),
    rereadMicroUsd: Math.round(sum.rereadMicroUsd),
    unpricedTokens: Math.round(sum.unpricedTokens),
  };
}

function costOf({ addedMicroUsd, rereadMicroUsd }: ToolCost): number {
  return addedMicroUsd + rereadMicroUsd;
}
