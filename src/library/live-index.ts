// Roots and a signal → an index, rows and full text, that stays current until the signal: every change is taken up as
// it happens, by looking at the changed files only. Nothing that a file or the database does ends it; it says so and tries again.
import { statSync } from 'node:fs';
import type { Database } from './database.ts';
import { type IndexProgress, type IndexReport, updateRows } from './indexer.ts';
import { indexError, indexPath, isBroken, openIndex, removeIndex } from './schema.ts';
import { updateText } from './text-indexer.ts';
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
  readonly #file: string;
  #database: Database;
  #identity: number | undefined;
  readonly #waiting = new Set<string>();
  #isWhole = true;
  #retry: NodeJS.Timeout | undefined;
  readonly #said = new Set<string>();

  constructor(options: LiveIndexOptions) {
    this.#options = options;
    this.#file = indexPath(options.folder);
    this.#database = openIndex(options);
    this.#identity = identityOf(this.#file);
  }

  update(paths: readonly string[] = []): void {
    for (const each of paths) this.#waiting.add(each);
    clearTimeout(this.#retry);
    if (this.#options.signal.aborted) return;
    try {
      if (identityOf(this.#file) !== this.#identity) this.#reopen();
      this.#read();
    } catch (error) {
      if (isBroken(error)) removeIndex(this.#file);
      this.#say(String(asMessage(indexError(error, this.#file))));
      this.#retry = setTimeout(() => this.update(), retryMs);
    }
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#database.close();
  }

  #read(): void {
    const { roots, onProgress, onUpdate } = this.#options;
    const files = this.#isWhole ? undefined : [...this.#waiting];
    const report = updateRows(this.#database, {
      roots,
      ...(files === undefined ? {} : { files }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    // The rows are in: what fails from here on is the text, which the next attempt takes up where it was left.
    const text = updateText(this.#database, { roots, ...(onProgress === undefined ? {} : { onProgress }) });
    this.#waiting.clear();
    this.#isWhole = false;
    const problems = [...report.problems, ...text.problems];
    if (problems.length === 0) this.#said.clear();
    for (const { path, code } of problems) this.#say(`cannot read ${path} (${code})`);
    onUpdate({ ...report, bytesRead: report.bytesRead + text.bytesRead, problems }, files);
  }

  /** Someone has removed the index or made it anew: what is open is a file without a name. */
  #reopen(): void {
    this.#database.close();
    this.#database = openIndex(this.#options);
    this.#identity = identityOf(this.#file);
    this.#isWhole = true;
  }

  /** The same trouble is told once, until it is over. */
  #say(message: string): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.#options.onNotice(message);
  }
}

function identityOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function asMessage(error: unknown): unknown {
  return error instanceof Error ? error.message : error;
}
