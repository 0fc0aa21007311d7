// The sessions below the roots of this machine, as the local index has them.
import { healthOf } from '../../doctor/diagnosis/index.ts';
import { listDeleted } from '../../library/deleted/index.ts';
import type { ListedSession } from '../../library/index/index.ts';
import { findRelations, readJobs, repositoryFinder } from '../../library/lineage/index.ts';
import { findExpiring } from '../../library/session-files/index.ts';
import type {
  CostPlace,
  LibrarySource,
  SourceList,
  SourceSession,
  SourceUsage,
  SourceWork,
  UsageQuestion,
  WorkQuestion,
} from '../../library/source/index.ts';
import {
  cellsOf,
  makeCells,
  passes,
  pricedMessages,
  type UsageCell,
  type UsageFilter,
  type UsageStore,
  workInIndex,
} from '../../library/usage/index.ts';
import type { PriceList } from '../../models/index.ts';
import type { CommandInput } from '../command/index.ts';
import {
  ageWarning,
  currentPrices,
  currentSessions,
  currentUsage,
  lineageReader,
  madeByReader,
  rootsOf,
  sessionsIn,
  withIndex,
} from '../input/index.ts';

export class LocalSource implements LibrarySource {
  readonly namesPeople = false;
  readonly #input: CommandInput;

  constructor(input: CommandInput) {
    this.#input = input;
  }

  get place(): string {
    return `below ${rootsOf(this.#input).join(' and ')}`;
  }

  async list(): Promise<SourceList> {
    const { sessions, foreign } = await currentSessions(this.#input);
    const repositoryOf = repositoryFinder(sessions);
    return { sessions: this.#marked(sessions, repositoryOf), foreign, repositoryOf };
  }

  /** The demo's folders were never on this disk, and nothing deletes its sessions. */
  #marked(sessions: readonly ListedSession[], repositoryOf: SourceList['repositoryOf']): readonly SourceSession[] {
    const { io, flags } = this.#input;
    const isDemo = flags.demo === true;
    const lineageOf = lineageReader(io);
    const relations = findRelations(sessions, { jobs: readJobs(rootsOf(this.#input)), madeBy: madeByReader(io) });
    const expiring = new Set(isDemo ? [] : findExpiring(sessions, Date.now()).map(({ session }) => session));
    return sessions.map((session) => {
      const place = isDemo ? { cwd: undefined, project: '' } : session;
      const health = healthOf({ ...place, verdict: session.verdict, isExpiring: expiring.has(session) });
      const repository = session.cwd === undefined ? null : repositoryOf(session.cwd);
      return { ...session, lineage: lineageOf(session), health, repository, relations: relations.of(session.path) };
    });
  }

  costs(): Promise<(session: CostPlace) => number | undefined> {
    const costs = new Map<string, number>();
    for (const { session, costMicroUsd } of cellsOf(currentUsage(this.#input, currentPrices(this.#input.io))))
      if (costMicroUsd !== undefined) costs.set(session.path, (costs.get(session.path) ?? 0) + costMicroUsd);
    return Promise.resolve(({ path: file }) => costs.get(file));
  }

  usage({ filter }: UsageQuestion): Promise<SourceUsage> {
    const prices = currentPrices(this.#input.io);
    const cells = cellsFor(filter, currentUsage(this.#input, prices), prices);
    const { version: pricesVersion } = prices.prices;
    return Promise.resolve({ cells, pricesVersion, warning: ageWarning(prices.prices, Date.now()) });
  }

  async titles(): Promise<ReadonlyMap<string, string>> {
    const { sessions } = await currentSessions(this.#input);
    return new Map(sessions.flatMap(({ sessionId, title }) => (title === undefined ? [] : [[sessionId, title]])));
  }

  work({ isWanted, filter }: WorkQuestion): Promise<SourceWork> {
    const input = this.#input;
    return withIndex(
      input,
      async (database, _, summaries) => {
        const sessions = (await sessionsIn(database, input, summaries)).sessions.filter(isWanted);
        // By the same rule as `clew usage`: the two must not disagree.
        const { cells } = await this.usage({ kind: 'model', filter });
        return {
          sessions,
          work: workInIndex(database, { roots: rootsOf(input), isWanted }),
          cells,
          deleted: countDeleted(input, isWanted, filter.sinceMs),
          expiring: findExpiring(sessions, Date.now()).length,
          hasFiles: true,
        };
      },
      { withSummaries: true },
    );
  }
}

/** A moment may lie inside a quarter of an hour, where cells are too coarse. */
export function cellsFor(filter: UsageFilter, store: UsageStore, prices: PriceList): readonly UsageCell[] {
  if (filter.sinceMs === undefined && filter.untilMs === undefined)
    return cellsOf(store).filter((cell) => passes(filter, cell, cell.session));
  return makeCells(pricedMessages(store, prices).filter(({ line, session }) => passes(filter, line, session)));
}

/** Sessions whose transcript is gone, used since the given moment, and the prompts that are left of them. */
function countDeleted(
  input: CommandInput,
  isWanted: WorkQuestion['isWanted'],
  sinceMs: number | undefined,
): { readonly sessions: number; readonly prompts: number } {
  const { sessions } = listDeleted({ roots: rootsOf(input), env: input.io.env });
  const wanted = sessions.filter((each) => isWanted(each) && (sinceMs === undefined || each.endedAt >= sinceMs));
  return { sessions: wanted.length, prompts: wanted.reduce((sum, { left }) => sum + left.prompts, 0) };
}
