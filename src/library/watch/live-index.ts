// Roots and a signal → an index, rows and full text, that stays current until the signal: each change is read as it
// happens, from the changed files only. No failure of a file or the database ends it: it reports the failure and tries
// again.
import { IndexHandle, type IndexProgress, type IndexReport, updateRows } from '../index/index.ts';
import { updateText } from '../search/index.ts';
import { type WatchOptions, watchLibrary } from './watch.ts';

/** Options of `keepCurrent`. */
export interface LiveIndexOptions {
  /** Clew's own state folder. */
  readonly folder: string;
  readonly roots: readonly string[];
  readonly signal: AbortSignal;
  /** `files` are those that changed; `undefined` where all were looked at. */
  readonly onUpdate: (report: IndexReport, files: readonly string[] | undefined) => void;
  readonly onNotice: (message: string) => void;
  readonly onProgress?: (progress: IndexProgress) => void;
  /** @internal */
  readonly watch?: WatchOptions;
}

/** Keeps the index up to date until the signal. It rejects only if the index cannot be opened. */
export async function keepCurrent(options: LiveIndexOptions): Promise<void> {
  const index = new LiveIndex(options);
  const { roots, signal, onNotice } = options;
  try {
    // Watched before it is read: what changes in between is reported, and read once more.
    watchLibrary(roots, (paths) => index.update(paths), signal, { onNotice, ...options.watch });
    index.update();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    index.close();
  }
}

const retryMs = 2_000;

class LiveIndex {
  readonly #options: LiveIndexOptions;
  readonly #index: IndexHandle;
  readonly #waiting = new Set<string>();
  #isWhole = true;
  #retry: NodeJS.Timeout | undefined;
  readonly #said = new Set<string>();

  constructor(options: LiveIndexOptions) {
    this.#options = options;
    this.#index = new IndexHandle(options);
    this.#index.ask(() => undefined); // it throws now if it cannot be opened
  }

  update(paths: readonly string[] = []): void {
    for (const each of paths) this.#waiting.add(each);
    clearTimeout(this.#retry);
    if (this.#options.signal.aborted) return;
    try {
      if (this.#index.isReplaced) this.#isWhole = true;
      this.#read();
    } catch (error) {
      this.#isWhole = true;
      this.#say(String(asMessage(this.#index.recover(error))));
      this.#retry = setTimeout(() => this.update(), retryMs);
    }
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#index.close();
  }

  #read(): void {
    const { roots, onProgress, onUpdate } = this.#options;
    const files = this.#isWhole ? undefined : [...this.#waiting];
    const { database } = this.#index;
    const report = updateRows(database, {
      roots,
      ...(files === undefined ? {} : { files }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    // The rows are written: what fails from here on is the text, which the next attempt continues.
    const text = updateText(database, { roots, ...(onProgress === undefined ? {} : { onProgress }) });
    this.#waiting.clear();
    this.#isWhole = false;
    const problems = [...report.problems, ...text.problems];
    if (problems.length === 0) this.#said.clear();
    for (const { path, code } of problems) this.#say(`cannot read ${path} (${code})`);
    onUpdate({ ...report, bytesRead: report.bytesRead + text.bytesRead, problems }, files);
  }

  /** The same problem is reported once, until it is over. */
  #say(message: string): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.#options.onNotice(message);
  }
}

function asMessage(error: unknown): unknown {
  return error instanceof Error ? error.message : error;
}
