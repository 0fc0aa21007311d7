// Reports of tokens, cost and tools of a store, from its sums. What needs single messages is with the machine that has the
// transcripts: what the output of tools cost, the most expensive turns, receipts.
import {
  collectStats,
  createCalendar,
  type UsageCell,
  type UsageFilter,
  type UsageSession,
} from '../../../library/usage/index.ts';
import type { StoredSession, StoreSource } from '../../../team/source/index.ts';
import { readPeople } from '../../../team/source/index.ts';
import type { CacheAnswer, PeopleAnswer, PeopleQuery, PersonSumsView, ToolsAnswer } from '../../wire/index.ts';
import {
  rangeOf,
  startOf,
  type TopFound,
  toolsAnswer,
  type UsageAsked,
  type UsageFound,
  usageFound,
} from '../answers/index.ts';
import type { StoreConnection } from './store-connection.ts';
import { placeText } from './stored-place.ts';

const topSessions = 20;

export class StoredUsage {
  readonly #store: StoreConnection;
  readonly #calendar = createCalendar();

  constructor(store: StoreConnection) {
    this.#store = store;
  }

  usage(query: UsageAsked): Promise<UsageFound> {
    return this.#store.ask(async (source) => {
      const stored = await source.stored();
      const { cells, pricesVersion } = await source.usage({
        kind: query.by ?? 'daily',
        filter: this.#filter(query, stored),
      });
      return usageFound(cells, query, {
        calendar: this.#calendar,
        pricesVersion,
        pathOf: (session) => placeOfCell(session, stored),
      });
    });
  }

  tools(query: UsageAsked): Promise<ToolsAnswer> {
    return this.#store.ask(async (source) => {
      const stored = await source.stored();
      const filter = this.#filter(query, stored);
      const { work } = await source.work({
        isWanted: ({ cwd, project }) =>
          query.project === undefined || (cwd ?? project).toWellFormed() === query.project,
        filter,
      });
      const sinceMs = startOf(query);
      const options = { sessions: [], cells: [], calendar: this.#calendar, nowMs: Date.now() };
      return toolsAnswer(collectStats(work, { ...options, ...(sinceMs === undefined ? {} : { sinceMs }) }));
    });
  }

  cache(query: UsageAsked): Promise<CacheAnswer> {
    return this.#store.ask(async (source) => {
      const cells = await this.#cells(source, query, 'model');
      const sumOf = (pick: (cell: UsageCell) => number): number => cells.reduce((sum, cell) => sum + pick(cell), 0);
      return {
        inputTokens: sumOf((cell) => cell.inputTokens),
        cacheReadTokens: sumOf((cell) => cell.cacheReadTokens),
        cacheWriteTokens: sumOf((cell) => cell.cacheWrite5mTokens + cell.cacheWrite1hTokens),
        savedMicroUsd: null,
        uncachedMicroUsd: null,
        unpricedMessages: sumOf((cell) => (cell.costMicroUsd === undefined ? cell.messages : 0)),
      };
    });
  }

  top(query: UsageAsked): Promise<TopFound> {
    return this.#store.ask(async (source) => {
      const stored = await source.stored();
      const sums = new Map<
        string,
        { path: string; costMicroUsd: number; messages: number; unpricedMessages: number }
      >();
      for (const { session, costMicroUsd, messages } of await this.#cells(source, query, 'session')) {
        const path = placeOfCell(session, stored);
        const sum = sums.get(path) ?? { path, costMicroUsd: 0, messages: 0, unpricedMessages: 0 };
        sums.set(path, sum);
        sum.messages += messages;
        if (costMicroUsd === undefined) sum.unpricedMessages += messages;
        else sum.costMicroUsd += costMicroUsd;
      }
      const sessions = [...sums.values()].sort((a, b) => b.costMicroUsd - a.costMicroUsd).slice(0, topSessions);
      return { sessions, turns: [] };
    });
  }

  people({ since }: PeopleQuery): Promise<PeopleAnswer> {
    const from = rangeOf({ ...(since === undefined ? {} : { since }) }, this.#calendar).since;
    return this.#store.ask(async (source) => {
      const { sql, scope } = source;
      const found = await readPeople(sql, scope, await source.stored(), { since: from, calendar: this.#calendar });
      return {
        people: found.people.map((person) => ({ ...person, ...costView(person) })),
        groups: found.groups.map((group) => ({ ...group, ...costView(group) })),
      };
    });
  }

  async #cells(source: StoreSource, query: UsageAsked, kind: 'model' | 'session'): Promise<readonly UsageCell[]> {
    const filter = this.#filter(query, await source.stored());
    return (await source.usage({ kind, filter })).cells;
  }

  /** Without a project or session, sums of all sessions answer it. */
  #filter({ project, path, ...range }: UsageAsked, stored: readonly StoredSession[]): UsageFilter {
    const filter = rangeOf(range, this.#calendar);
    if (project === undefined && path === undefined) return filter;
    return {
      ...filter,
      isWanted: (session) =>
        (project === undefined || (session.cwd ?? session.slug).toWellFormed() === project) &&
        (path === undefined || placeOfCell(session, stored) === path),
    };
  }
}

function costView({
  costMicroUsd,
}: {
  readonly costMicroUsd: number | undefined;
}): Pick<PersonSumsView, 'costMicroUsd'> {
  return { costMicroUsd: costMicroUsd ?? null };
}

/** The session of a cell has the index of its session in the list as its id. */
function placeOfCell({ id }: UsageSession, stored: readonly StoredSession[]): string {
  const session = stored[id];
  return session === undefined ? '' : placeText(session);
}
