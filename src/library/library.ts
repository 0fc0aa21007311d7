// Roots and a state folder → one object to ask about all sessions: the interface of the library for other programs. It
// opens the database, which no import does, and turns database errors into errors that say what to do.
import path from 'node:path';
import { PriceList } from '../models/index.ts';
import { resolveRoots, stateFolder } from '../store/index.ts';
import {
  IndexHandle,
  type IndexProgress,
  type IndexReport,
  listSessions,
  type SessionList,
  updateRows,
} from './index/index.ts';
import { type SearchQuery, type SearchResult, search, updateText } from './search/index.ts';
import {
  cellsOf,
  createCalendar,
  loadPrices,
  makeReport,
  passes,
  type ReportKind,
  type UnpricedModel,
  type UsageRow,
  type UsageSession,
  UsageStore,
  type UsageSum,
} from './usage/index.ts';

/** Options of `openLibrary`. */
export interface LibraryOptions {
  /** Config folders with a `projects` folder each; by default those that the commands use. */
  readonly roots?: readonly string[];
  /** Where the index is kept; by default Clew's own state folder. `memory` keeps it nowhere. */
  readonly state?: string;
  /** Called when the index had to be rebuilt. */
  readonly onNotice?: (message: string) => void;
}

/** What `Library.update` read. */
export interface LibraryUpdate extends IndexReport {
  /** Bytes read for the full text; 0 where it was left out. */
  readonly textBytes: number;
}

/** Options of `Library.update`. */
export interface UpdateLibraryOptions {
  /** Without the full text it is several times faster, and `search` finds only what was indexed before. */
  readonly withoutText?: boolean;
  readonly onProgress?: (progress: IndexProgress) => void;
}

/** Options of `Library.search`. The default `limit` is twenty hits. */
export type LibraryQuery = Omit<SearchQuery, 'roots' | 'mode' | 'limit'> & Partial<Pick<SearchQuery, 'mode' | 'limit'>>;

/** Options of `Library.usage`. */
export interface UsageQuery {
  /** First and last day, such as `2026-03-01`, both included. A message without a time is on no day. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only sessions for which this returns true. */
  readonly isWanted?: ((session: UsageSession) => boolean) | undefined;
  /** `daily` unless it is given. */
  readonly by?: ReportKind;
  /** An IANA name; by default that of the machine. */
  readonly timeZone?: string;
}

/** The result of `Library.usage`. */
export interface LibraryUsage {
  readonly rows: readonly Omit<UsageRow, 'cells'>[];
  readonly totals: UsageSum;
  /** Names of models without a price, as the transcripts have them. */
  readonly unpricedModels: readonly string[];
  /** How much of each of them is in no cost. */
  readonly unpriced: readonly UnpricedModel[];
  /** The date of the prices. */
  readonly pricesVersion: string;
}

/**
 * Opens the library of all sessions below some roots. It creates the index if there is none; nothing is read before
 * `update`.
 */
export function openLibrary(options: LibraryOptions = {}): Library {
  return new Library(options);
}

/**
 * All sessions below some roots: list, search and count them. Answers come from the index as `update` left it.
 * Transcripts are only read. Several processes can open the same library.
 */
export class Library {
  readonly roots: readonly string[];
  readonly #index: IndexHandle;
  readonly #usage: UsageStore;

  constructor({ roots, state = stateFolder(), onNotice }: LibraryOptions) {
    this.roots = roots?.map((root) => path.resolve(root)) ?? resolveRoots();
    this.#index = new IndexHandle({ folder: state, ...(onNotice && { onNotice }) });
    this.#index.ask(() => undefined);
    this.#usage = new UsageStore({ folder: state === 'memory' ? undefined : state, roots: this.roots });
  }

  /** Reads what is new since the last time, of every transcript; nothing where nothing has changed. */
  update({ withoutText = false, onProgress }: UpdateLibraryOptions = {}): LibraryUpdate {
    const options = { roots: this.roots, ...(onProgress && { onProgress }) };
    this.#usage.update({ prices: new PriceList(loadPrices()) });
    return this.#index.ask((database) => {
      const rows = updateRows(database, options);
      if (withoutText) return { ...rows, textBytes: 0 };
      const text = updateText(database, options);
      return { ...rows, textBytes: text.bytesRead, problems: [...rows.problems, ...text.problems] };
    });
  }

  /** Every session with its title, turns, times and size. The first time after a change reads the transcripts. */
  async sessions(): Promise<SessionList> {
    return this.#index.ask((database) => listSessions(database, { roots: this.roots }));
  }

  /** Words, "phrases" and beginnings*, the best first; or an exact text, or an expression, the newest first. */
  search(query: LibraryQuery): SearchResult {
    return this.#index.ask((database) => search(database, { mode: 'words', limit: 20, ...query, roots: this.roots }));
  }

  /** Tokens and cost: each message once, sub-agents included, forks counted where they began. */
  usage({ by = 'daily', since, until, isWanted, timeZone }: UsageQuery = {}): LibraryUsage {
    const prices = new PriceList(loadPrices());
    const filter = { since, until, isWanted, calendar: createCalendar(timeZone) };
    const cells = cellsOf(this.#usage).filter((cell) => passes(filter, cell, cell.session));
    const report = makeReport(cells, { kind: by, calendar: filter.calendar, nowMs: Date.now() });
    return {
      ...report,
      rows: report.rows.map(({ cells: _, ...row }) => row),
      pricesVersion: prices.prices.version,
    };
  }

  close(): void {
    this.#index.close();
  }
}
