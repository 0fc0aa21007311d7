// Reports of tokens, cost and tools, the most expensive sessions and turns, and receipts. Every number comes from the same
// counted messages as `clew usage`.
import { parseDay } from '../../../base/time/index.ts';
import { sumOfTokens } from '../../../format/entry/index.ts';
import type { IndexHandle } from '../../../library/index/index.ts';
import { cacheSavings, ToolCosts } from '../../../library/spending/index.ts';
import {
  byModel,
  type Calendar,
  cellsOf,
  collectStats,
  createCalendar,
  findReceipts,
  type LibraryStats,
  loadPrices,
  makeReport,
  type PricedMessage,
  passes,
  pricedMessages,
  sumMessages,
  type UsageCell,
  type UsageFilter,
  type UsageRow,
  type UsageSession,
  UsageStore,
  type UsageSum,
  workInIndex,
} from '../../../library/usage/index.ts';
import { PriceList } from '../../../models/index.ts';
import type {
  BlockView,
  CacheAnswer,
  ReceiptsAnswer,
  SpendingAnswer,
  ToolsAnswer,
  UsageAnswer,
  UsageQuery,
  UsageSumView,
} from '../../wire/index.ts';
import { finite } from './listed-row.ts';
import { addTo, type ExpensiveTurn, expensiveTurns, newSum, type PricedPart, type PricedSum } from './top-turns.ts';

/** The session as its path; the server replaces paths by keys. */
export type UsageAsked = Omit<UsageQuery, 'session'> & { readonly path?: string };
export type UsageFound = Omit<UsageAnswer, 'rows'> & {
  readonly rows: readonly (Omit<UsageAnswer['rows'][number], 'session'> & { readonly path: string | null })[];
};
export interface TopFound {
  readonly sessions: readonly (PricedPart & { readonly path: string })[];
  readonly turns: readonly ExpensiveTurn[];
}
export type ReceiptsFound = Omit<ReceiptsAnswer, 'receipts'> & {
  readonly receipts: readonly (Omit<ReceiptsAnswer['receipts'][number], 'key'> & { readonly main: string })[];
};

const topSessions = 20;
const topTurns = 20;
const maxReceipts = 50;
const maxTools = 100;

export class UsageAnswers {
  readonly #roots: readonly string[];
  readonly #index: IndexHandle;
  readonly #store: UsageStore;
  readonly #prices = new PriceList(loadPrices());
  readonly #calendar: Calendar = createCalendar();
  readonly #toolCosts = new ToolCosts({ prices: this.#prices, calendar: this.#calendar });

  constructor({ roots, state, index }: { roots: readonly string[]; state: string; index: IndexHandle }) {
    this.#roots = roots;
    this.#index = index;
    this.#store = new UsageStore({ folder: state, roots });
  }

  usage(query: UsageAsked): UsageFound {
    return usageFound(this.#cells(query), query, {
      calendar: this.#calendar,
      pricesVersion: this.#prices.prices.version,
      pathOf: ({ path }) => path,
    });
  }

  tools(query: UsageAsked): ToolsAnswer {
    const isWanted = wanted(query);
    const sinceMs = startOf(query);
    const scope = {
      roots: this.#roots,
      isWanted: ({ cwd, project }: { readonly cwd: string | undefined; readonly project: string }) =>
        isWanted({ cwd, slug: project, path: undefined }),
    };
    const stats = this.#index.ask((database) =>
      collectStats(workInIndex(database, scope), {
        sessions: [],
        cells: [],
        calendar: this.#calendar,
        nowMs: Date.now(),
        ...(sinceMs === undefined ? {} : { sinceMs }),
      }),
    );
    return toolsAnswer(stats);
  }

  /** Reads the transcripts on the first request, and later those that changed. */
  async spending(query: UsageAsked): Promise<SpendingAnswer> {
    const { since, until, isWanted = () => true } = this.#filter(query);
    this.#store.update({ prices: this.#prices });
    const messages = pricedMessages(this.#store, this.#prices);
    const tools = await this.#toolCosts.collect({ messages, isWanted, since, until });
    return { tools: tools.slice(0, maxTools) };
  }

  cache(query: UsageAsked): CacheAnswer {
    return cacheSavings(this.#messages(query), this.#prices);
  }

  top(query: UsageAsked): TopFound {
    const messages = this.#messages(query);
    const sessions = new Map<string, PricedSum & { path: string }>();
    for (const { session, costMicroUsd } of messages) {
      const sum = sessions.get(session.path) ?? { path: session.path, ...newSum() };
      sessions.set(session.path, sum);
      addTo(sum, costMicroUsd);
    }
    const bySize = [...sessions.values()].sort((a, b) => b.costMicroUsd - a.costMicroUsd);
    const turns = this.#index.ask((database) => expensiveTurns(database, messages, topTurns));
    return { sessions: bySize.slice(0, topSessions), turns };
  }

  /** The most expensive messages, each read again from its transcript. */
  receipts(query: UsageAsked): ReceiptsFound {
    const messages = this.#messages(query);
    const dearest = messages.toSorted((a, b) => (b.costMicroUsd ?? 0) - (a.costMicroUsd ?? 0)).slice(0, maxReceipts);
    const { receipts } = findReceipts(this.#store, dearest, { prices: this.#prices, isWanted: () => false });
    const sorted = receipts.toSorted((a, b) => (b.message.costMicroUsd ?? 0) - (a.message.costMicroUsd ?? 0));
    return {
      total: messages.length,
      totals: sumView(sumMessages(messages)),
      pricesVersion: this.#prices.prices.version,
      receipts: sorted.map(({ message, dropped }) => ({
        main: message.session.path,
        path: message.line.file,
        line: message.line.line,
        messageId: message.line.messageId ?? null,
        model: message.line.model ?? null,
        time: finite(message.line.time),
        ...sumView(sumMessages([message])),
        dropped: dropped.map(({ line, reason }) => ({ path: line.file, line: line.line, reason })),
      })),
    };
  }

  #cells(query: UsageAsked): readonly UsageCell[] {
    const filter = this.#filter(query);
    this.#store.update({ prices: this.#prices });
    return cellsOf(this.#store).filter((cell) => passes(filter, cell, cell.session));
  }

  #messages(query: UsageAsked): readonly PricedMessage[] {
    const filter = this.#filter(query);
    this.#store.update({ prices: this.#prices });
    return pricedMessages(this.#store, this.#prices).filter(({ line, session }) => passes(filter, line, session));
  }

  #filter(query: UsageAsked): UsageFilter {
    return { ...rangeOf(query, this.#calendar), isWanted: wanted(query) };
  }
}

export function rangeOf(
  { since, until }: Pick<UsageAsked, 'since' | 'until'>,
  calendar: Calendar,
): Pick<UsageFilter, 'since' | 'until' | 'calendar'> {
  return {
    since: since === undefined ? undefined : parseDay(since, 'since'),
    until: until === undefined ? undefined : parseDay(until, 'until'),
    calendar,
  };
}

/** When the first day begins, in the zone of this computer. */
export function startOf({ since }: Pick<UsageAsked, 'since'>): number | undefined {
  return since === undefined ? undefined : Date.parse(`${parseDay(since, 'since')}T00:00:00`);
}

export function toolsAnswer({ tools, prompts, hours, weekdays, files }: LibraryStats): ToolsAnswer {
  return { tools: tools.slice(0, maxTools), prompts, hours, weekdays, files: files.slice(0, maxTools) };
}

export interface UsageView {
  readonly calendar: Calendar;
  readonly pricesVersion: string;
  pathOf(session: UsageSession): string;
}

export function usageFound(
  cells: readonly UsageCell[],
  { by = 'daily', active = false }: Pick<UsageAsked, 'by' | 'active'>,
  { calendar, pricesVersion, pathOf }: UsageView,
): UsageFound {
  const report = makeReport(cells, { kind: by, calendar, nowMs: Date.now() });
  const rows = active ? report.rows.filter((row) => row.block?.isActive === true) : report.rows;
  return {
    by,
    rows: rows.map((row) => ({
      key: row.key === '' ? null : row.key,
      path: by === 'session' && row.cells[0] !== undefined ? pathOf(row.cells[0].session) : null,
      ...sumView(row),
      models: byModel(row.cells).map((each) => ({
        model: each.key === '' ? null : each.key,
        costMicroUsd: each.costMicroUsd ?? null,
        tokens: sumOfTokens(each),
      })),
      block: row.block === undefined ? null : blockView(row.block),
    })),
    totals: sumView(report.totals),
    unpricedModels: report.unpricedModels,
    pricesVersion,
  };
}

type Asked = Pick<UsageSession, 'slug'> & { readonly cwd?: string | undefined; readonly path: string | undefined };

function wanted({ project, path }: UsageAsked): (session: Asked) => boolean {
  return (session) =>
    // An address cannot hold half of a surrogate pair.
    (project === undefined || (session.cwd ?? session.slug).toWellFormed() === project) &&
    (path === undefined || session.path === path);
}

function blockView({ endsAt, isActive, pace }: NonNullable<UsageRow['block']>): BlockView {
  if (pace === undefined) return { endsAt, isActive, pace: null };
  const { costMicroUsdPerHour = null, projectedCostMicroUsd = null, ...rest } = pace;
  return { endsAt, isActive, pace: { ...rest, costMicroUsdPerHour, projectedCostMicroUsd } };
}

function sumView(sum: UsageSum): UsageSumView {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = sum;
  const input = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWrite5mTokens,
    cacheWrite1hTokens,
    costMicroUsd: sum.costMicroUsd ?? null,
    messages: sum.messages,
    unpricedMessages: sum.unpricedMessages,
    unpricedTokens: sum.unpricedTokens,
    outputIsLowerBound: sum.outputIsLowerBound,
    cacheHitRate: input === 0 ? null : cacheReadTokens / input,
  };
}
