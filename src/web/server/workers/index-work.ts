// A worker that keeps the index current and emits the rows of the list. Cheap steps come first: the files on disk, then
// rows and cost, then titles and turns, then the words to search for.
import { setTimeout } from 'node:timers/promises';
import { collectGarbage } from '../../../base/process/index.ts';
import {
  type Database,
  IndexHandle,
  type IndexProgress,
  type IndexUnavailable,
  isRecoverable,
  knownSessions,
  listSessions,
  newestSessions,
  type ReadSummaries,
  updateRows,
} from '../../../library/index/index.ts';
import { updateText } from '../../../library/search/index.ts';
import { cellsOf, loadPrices, UsageStore } from '../../../library/usage/index.ts';
import { PriceList } from '../../../models/index.ts';
import { findTranscripts } from '../../../store/index.ts';
import type { IndexState } from '../../wire/index.ts';
import { type ListedRow, rowOfKnown, rowOfListed, type SessionCost } from '../answers/index.ts';
import { SentRows } from './sent-rows.ts';
import type { ThreadSetup } from './thread.ts';
import type { Emit, WorkerMethods } from './worker-methods.ts';

type IndexSetup = Pick<ThreadSetup, 'roots' | 'state'>;

export function indexMethods(setup: IndexSetup, emit: Emit<'index'>): WorkerMethods['index'] {
  const work = new IndexWork(setup, emit);
  return {
    changed: ({ files }) => work.take(files),
    proceed: () => work.proceed(),
  };
}

const retryMs = 2_000;
/** The share of time that goes into sessions that are written without a pause. */
const share = 1 / 4;
const costPauseMs = 3_000;
/** Smaller batches than those of a command: nobody waits for them, and they need half the memory. */
const rowBatchBytes = 16 * 1024 * 1024;
const textBatchBytes = 4 * 1024 * 1024;
const smallCache = 'PRAGMA cache_size = -16384';
/** Collects garbage between two steps that read more than this. */
const muchBytes = 16 * 1024 * 1024;
/** More than one screen. */
const firstRows = 200;

class IndexWork {
  readonly #setup: IndexSetup;
  readonly #emit: Emit<'index'>;
  readonly #index: IndexHandle;
  readonly #usage: UsageStore;
  readonly #prices = new PriceList(loadPrices());
  readonly #waiting = new Set<string>();
  #isWhole = false;
  #isRunning = false;
  readonly #sent = new SentRows();
  #costs: ReadonlyMap<string, SessionCost> = new Map();
  #costsMayCountAt = 0;
  proceed: () => void = () => {};
  readonly #mayProceed = new Promise<void>((resolve) => {
    this.proceed = resolve;
  });
  #state: IndexState = { phase: 'rows', bytesDone: 0, bytesTotal: 0, sessions: 0, generation: 0 };

  constructor(setup: IndexSetup, emit: Emit<'index'>) {
    this.#setup = setup;
    this.#emit = emit;
    const onNotice = (message: string): void => emit('notice', message);
    const onUnavailable = ({ message }: IndexUnavailable): void =>
      onNotice(`${message}; search is unavailable until then`);
    this.#index = new IndexHandle({ folder: setup.state, onNotice, onUnavailable });
    this.#usage = new UsageStore({ folder: setup.state, roots: setup.roots });
  }

  take(files: readonly string[] | undefined): void {
    if (files === undefined) this.#isWhole = true;
    else for (const file of files) this.#waiting.add(file);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isWhole || this.#waiting.size > 0) {
      const startedAt = performance.now();
      const files = this.#isWhole || this.#index.isReplaced ? undefined : [...this.#waiting];
      this.#isWhole = false;
      this.#waiting.clear();
      try {
        await this.#update(files);
        if (files === undefined) collectGarbage();
        await setTimeout(Math.max(50, (performance.now() - startedAt) / share));
      } catch (error) {
        await this.#recover(error);
      }
    }
    this.#isRunning = false;
  }

  async #update(files: readonly string[] | undefined): Promise<void> {
    const { roots } = this.#setup;
    const { database } = this.#index;
    database.exec(smallCache);
    if (files === undefined) {
      if (this.#sent.size === 0) this.#sendNewest(database);
      this.#sendKnown(database);
      // At the start, reading the rest would compete with the page for the CPU.
      await this.#mayProceed;
    }
    const summaries: ReadSummaries = new Map();
    const report = updateRows(database, {
      roots,
      summaries,
      ...(files === undefined ? {} : { files }),
      onProgress: this.#progressOf('rows'),
      batchBytes: rowBatchBytes,
    });
    this.#countCosts(files === undefined);
    if (files === undefined) this.#sendKnown(database);
    if (report.bytesRead > muchBytes) collectGarbage();
    this.#sendListed(database, summaries);
    if (report.bytesRead > muchBytes) collectGarbage();
    const text = updateText(database, {
      roots,
      onProgress: this.#progressOf('text'),
      batchBytes: textBatchBytes,
    });
    for (const { path, code } of [...report.problems, ...text.problems])
      if (code !== 'ENOENT') this.#emit('notice', `cannot read ${path} (${code})`);
    this.#setState({ phase: 'current', bytesDone: 0, bytesTotal: 0, generation: this.#state.generation + 1 });
  }

  /** The index holds nothing that cannot be read again from the transcripts. */
  async #recover(error: unknown): Promise<void> {
    const shown = this.#index.recover(error);
    if (!isRecoverable(error, shown)) throw error;
    this.#emit('notice', shown instanceof Error ? shown.message : String(shown));
    this.#isWhole = true;
    await setTimeout(retryMs);
  }

  /** The first screen of rows, before all files are listed. */
  #sendNewest(database: Database): void {
    const { sessions, total } = newestSessions(database, this.#setup.roots, firstRows);
    const changed = sessions.map((session) => rowOfKnown(session, undefined));
    if (changed.length > 0) this.#emit('rows', { changed, gone: [], total });
  }

  #sendKnown(database: Database): void {
    const known = knownSessions(database, findTranscripts(this.#setup.roots).files);
    this.#sendRows(known.map((session) => rowOfKnown(session, this.#costs.get(session.path))));
  }

  #sendListed(database: Database, summaries: ReadSummaries): void {
    const onProgress = this.#progressOf('list');
    const { sessions } = listSessions(database, { roots: this.#setup.roots, summaries, onProgress });
    this.#sendRows(sessions.map((session) => rowOfListed(session, this.#costs.get(session.path))));
  }

  /** Sends only the rows that changed. */
  #sendRows(rows: readonly ListedRow[]): void {
    this.#emit('rows', this.#sent.update(rows));
    this.#setState({ sessions: rows.length });
  }

  /** All transcripts are listed for it, so it is done less often than the rest. */
  #countCosts(isWhole: boolean): void {
    const startedAt = Date.now();
    if (!isWhole && startedAt < this.#costsMayCountAt) return;
    const costs = new Map<string, SessionCost>();
    this.#usage.update({ prices: this.#prices });
    for (const { session, costMicroUsd } of cellsOf(this.#usage)) {
      const { costMicroUsd: before = null, costIsPart = false } = costs.get(session.path) ?? {};
      const sum = costMicroUsd === undefined ? before : (before ?? 0) + costMicroUsd;
      costs.set(session.path, { costMicroUsd: sum, costIsPart: costIsPart || costMicroUsd === undefined });
    }
    this.#costs = costs;
    this.#costsMayCountAt = Date.now() + Math.max(costPauseMs, (Date.now() - startedAt) * 10);
  }

  #progressOf(phase: IndexState['phase']): (progress: IndexProgress) => void {
    return ({ bytesDone, bytesTotal }) => {
      // One append is done too soon to be shown.
      if (bytesTotal > 1 << 20) this.#setState({ phase, bytesDone, bytesTotal });
    };
  }

  #setState(state: Partial<IndexState>): void {
    this.#state = { ...this.#state, ...state };
    this.#emit('state', this.#state);
  }
}
