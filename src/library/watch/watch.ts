// Roots → a call for every batch of transcripts that appeared, grew, changed or vanished. One system watch per folder
// (a watch per file costs fifty times as many), and a slow sweep over all files as a safety net, which also covers
// folders that the system has no watches left for.
import { type Dirent, type FSWatcher, readdirSync, statSync, watch as watchFolder } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { type Inode, readInode } from '../../base/files/index.ts';
import {
  findTranscripts,
  findTranscriptsInSteps,
  type ProjectsFolder,
  projectNames,
  projectsFolders,
  type TranscriptFile,
  transcriptPlace,
} from '../../store/index.ts';

export interface WatchOptions {
  /** Called once if the system has no more watches. */
  readonly onNotice?: (message: string) => void;
  readonly debounceMs?: number;
  readonly sweepMs?: number;
  /** What watches a folder; `fs.watch` unless a test lets the system run out of watches. */
  readonly watch?: (folder: string, onEvent: FolderListener) => FSWatcher;
}

export type FolderListener = (event: string, name: string | null) => void;

/** Reports every change until the signal; `onChange` gets the paths of transcripts, including deleted ones. */
export function watchLibrary(
  roots: readonly string[],
  onChange: (paths: readonly string[]) => void,
  signal: AbortSignal,
  options: WatchOptions = {},
): void {
  if (signal.aborted) return;
  const watcher = new LibraryWatcher(roots, onChange, options);
  signal.addEventListener('abort', () => watcher.stop(), { once: true });
  watcher.start();
}

const defaultDebounceMs = 30;
const defaultSweepMs = 3_000;
/** The largest share of time that sweeps may take: with a hundred thousand files they run less often. */
const sweepShare = 1 / 50;
/** Sub-agents write while their session does. Older folders are watched once their session continues. */
const recentMs = 24 * 3_600_000;

class LibraryWatcher {
  readonly #roots: readonly string[];
  readonly #onChange: (paths: readonly string[]) => void;
  readonly #options: WatchOptions;
  #folders: readonly ProjectsFolder[] = [];
  readonly #watches = new Map<string, { readonly watcher: FSWatcher; readonly ino: Inode }>();
  readonly #states = new Map<string, string>();
  readonly #touched = new Set<string>();
  #flushTimer: NodeJS.Timeout | undefined;
  #sweepTimer: NodeJS.Timeout | undefined;
  #mayWatch = true;
  #isLimited = false;
  #isStopped = false;

  constructor(roots: readonly string[], onChange: (paths: readonly string[]) => void, options: WatchOptions) {
    this.#roots = roots;
    this.#onChange = onChange;
    this.#options = options;
  }

  start(): void {
    this.#watchFolders();
    for (const file of this.#watchSides(findTranscripts(this.#roots).files)) this.#states.set(file.path, stateOf(file));
    this.#planSweep(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#flushTimer);
    clearTimeout(this.#sweepTimer);
    for (const { watcher } of this.#watches.values()) watcher.close();
    this.#watches.clear();
  }

  /** Runs before all files are listed, so that no change is missed in between. */
  #watchFolders(): void {
    this.#folders = projectsFolders(this.#roots);
    this.#mayWatch = true;
    for (const [folder, { ino }] of this.#watches) if (inodeOf(folder) !== ino) this.#unwatch(folder);
    for (const { projects } of this.#folders) {
      this.#watch(projects);
      for (const slug of projectNames(projects).names) this.#watch(path.join(projects, slug));
    }
  }

  #watchSides(files: readonly TranscriptFile[]): readonly TranscriptFile[] {
    const recent = Date.now() - recentMs;
    for (const { mainPath, mtimeMs } of files)
      if (mainPath !== undefined && mtimeMs > recent) this.#enterSide(mainPath);
    return files;
  }

  /** In steps, with pauses in which the system's events are handled. */
  async #sweep(): Promise<void> {
    const startedAt = performance.now();
    this.#watchFolders();
    const gone = new Set(this.#states.keys());
    const { files } = await findTranscriptsInSteps(this.#roots);
    if (this.#isStopped) return;
    for (const file of this.#watchSides(files)) {
      gone.delete(file.path);
      if (this.#states.get(file.path) !== stateOf(file)) this.#touch(file.path);
    }
    for (const file of gone) this.#touch(file);
    this.#planSweep(performance.now() - startedAt);
  }

  #planSweep(tookMs: number): void {
    const { sweepMs = defaultSweepMs } = this.#options;
    const wait = Math.max(this.#isLimited ? Math.min(sweepMs, 1_000) : sweepMs, tookMs / sweepShare);
    this.#sweepTimer = setTimeout(() => void this.#sweep(), wait);
  }

  #watch(folder: string): void {
    const ino = inodeOf(folder);
    if (ino === undefined || !this.#mayWatch || this.#watches.get(folder)?.ino === ino) return;
    this.#unwatch(folder);
    try {
      const { watch = watchFolder } = this.#options;
      const watcher = watch(folder, (_event, name) => this.#hear(folder, name));
      watcher.on('error', () => this.#unwatch(folder));
      this.#watches.set(folder, { watcher, ino });
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined) throw error;
      if (outOfWatches.has(code)) this.#limit(code);
    }
  }

  #unwatch(folder: string): void {
    this.#watches.get(folder)?.watcher.close();
    this.#watches.delete(folder);
  }

  #limit(code: string): void {
    this.#mayWatch = false;
    if (this.#isLimited) return;
    this.#isLimited = true;
    const message = `the system has no more folder watches (${code}); changes are looked for every second instead`;
    this.#options.onNotice?.(message);
  }

  #hear(folder: string, name: string | null): void {
    if (this.#isStopped) return;
    // Where the system does not say what changed, everything in the folder may have.
    const full = name === null ? folder : path.join(folder, name);
    if (name === null) this.#enter(folder);
    else if (transcriptPlace(full, this.#folders) !== undefined) this.#touch(full);
    else if (inodeOf(full) === undefined) this.#leave(full);
    else if (this.#isPart(full) && this.#watches.get(full)?.ino !== inodeOf(full)) {
      // Another folder may have taken the name.
      this.#leave(full);
      this.#enter(full);
    }
  }

  /** Watches a folder and the folders below it that may hold transcripts, and looks at what is in them already. */
  #enter(folder: string): void {
    this.#watch(folder);
    for (const entry of entriesOf(folder)) {
      const full = path.join(folder, entry.name);
      if (transcriptPlace(full, this.#folders) !== undefined) this.#touch(full);
      else if (entry.isDirectory() && this.#isPart(full)) this.#enter(full);
    }
  }

  #enterSide(main: string): void {
    const folder = main.slice(0, -'.jsonl'.length);
    if (!this.#watches.has(folder)) this.#enter(folder);
  }

  #leave(folder: string): void {
    if (!this.#watches.has(folder)) return;
    const start = folder + path.sep;
    for (const each of [...this.#watches.keys()]) if (each === folder || each.startsWith(start)) this.#unwatch(each);
    for (const file of this.#states.keys()) if (file.startsWith(start)) this.#touch(file);
  }

  /** Project folders, session folders, and `subagents` with all below it. */
  #isPart(folder: string): boolean {
    return this.#folders.some(({ projects }) => {
      if (!folder.startsWith(projects + path.sep)) return false;
      const [slug = '', session, subagents] = folder.slice(projects.length + 1).split(path.sep);
      if (session === undefined) return projectNames(projects).names.includes(slug);
      return subagents === undefined || subagents === 'subagents';
    });
  }

  #touch(file: string): void {
    this.#touched.add(file);
    this.#flushTimer ??= setTimeout(() => this.#flush(), this.#options.debounceMs ?? defaultDebounceMs);
  }

  #flush(): void {
    this.#flushTimer = undefined;
    const changed: string[] = [];
    for (const file of this.#touched) {
      const state = currentState(file);
      if (state === this.#states.get(file)) continue;
      if (state === undefined) this.#states.delete(file);
      else this.#states.set(file, state);
      changed.push(file);
      if (transcriptPlace(file, this.#folders)?.mainPath === file) this.#enterSide(file);
    }
    this.#touched.clear();
    if (changed.length > 0) this.#onChange(changed);
  }
}

const outOfWatches: ReadonlySet<string> = new Set(['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']);

function stateOf({ dev, ino, size, mtimeMs }: Pick<TranscriptFile, 'dev' | 'ino' | 'size' | 'mtimeMs'>): string {
  return `${dev} ${ino} ${size} ${mtimeMs}`;
}

function currentState(file: string): string | undefined {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return undefined;
    const { dev, size, mtimeMs } = stats;
    return stateOf({ dev, ino: readInode(file, stats), size, mtimeMs });
  } catch {
    return undefined; // gone, or as good as gone
  }
}

/** `undefined` for anything that is not a folder. */
function inodeOf(folder: string): Inode | undefined {
  try {
    const stats = statSync(folder);
    return stats.isDirectory() ? readInode(folder, stats) : undefined;
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone again, or no permission to read it
  }
}
