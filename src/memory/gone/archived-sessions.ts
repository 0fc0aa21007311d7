// Sessions whose transcript was deleted and of which the archive has a copy: each is restored into Clew's own folder for as long
// as it takes to index it, and again when an answer shows it. The index holds no text, so nothing of it stays there.
import { createHash } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { archiveFolder, restoreSession } from '../../library/archive/index.ts';
import { contentKey, type Manifest, readContents } from '../../library/archive/pack/index.ts';
import { type Database, listSessions, type ReadSummaries, updateRows } from '../../library/index/index.ts';
import { updateText } from '../../library/search/index.ts';
import { listFolder, projectsFolders } from '../../store/index.ts';

export interface ArchivedOptions {
  readonly roots: readonly string[];
  /** Clew's own state folder. */
  readonly state: string;
  readonly onNotice?: ((message: string) => void) | undefined;
}

/** An archived session, by the path that its copy has while it is restored. */
interface Copy {
  /** The path that its transcript had. */
  readonly key: string;
  readonly folder: string;
  readonly bytes: number;
}

/** Restored for one question; the next one continues. */
const mostBytes = 256 * 1024 * 1024;
const oldMs = 24 * 60 * 60 * 1000;

export class ArchivedSessions {
  readonly #options: ArchivedOptions;
  readonly #archive: string;
  readonly #folder: string;
  readonly #restored = new Set<string>();
  /** What cannot be restored is tried once. */
  readonly #broken = new Set<string>();
  #packs = '';
  #manifests: readonly (readonly [key: string, manifest: Manifest])[] = [];
  #copies: ReadonlyMap<string, Copy> = new Map();

  constructor(options: ArchivedOptions) {
    this.#options = options;
    this.#archive = archiveFolder({ CLEW_HOME: options.state });
    this.#folder = path.join(options.state, 'archived');
  }

  /** Indexes what is new in the archive, and forgets what is no longer there. */
  async update(database: Database): Promise<void> {
    this.#readArchive();
    const known = database
      .prepare('SELECT path FROM sessions WHERE substr(path, 1, ?) = ?')
      .all(this.#folder.length + 1, this.#folder + path.sep)
      .map((row) => String(row.path));
    const wanted = this.#findGone();
    for (const file of known) if (!wanted.has(file)) this.#forget(database, file);
    const isKnown = new Set(known);
    let bytes = 0;
    for (const [file, copy] of wanted) {
      if (isKnown.has(file) || this.#broken.has(file) || bytes > mostBytes) continue;
      bytes += copy.bytes;
      if (await this.#restore(file, copy)) this.#index(database, copy);
      this.#remove(copy);
    }
    this.#copies = wanted;
  }

  has(file: string): boolean {
    return this.#copies.has(file);
  }

  /** Puts copies in their places until `release`; returns whether there are any. */
  async restore(files: Iterable<string>): Promise<boolean> {
    let isRestored = false;
    for (const file of files) {
      const copy = this.#copies.get(file);
      if (copy !== undefined && !existsSync(file)) isRestored = (await this.#restore(file, copy)) || isRestored;
    }
    return isRestored;
  }

  release(): void {
    for (const folder of this.#restored) rmSync(folder, { recursive: true, force: true });
    this.#restored.clear();
  }

  /** What a process that was killed has left; another one may still use what is new. */
  #removeOld(): void {
    for (const { name } of listFolder(this.#folder, [])) {
      const folder = path.join(this.#folder, name);
      const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (Date.now() - changedMs > oldMs) rmSync(folder, { recursive: true, force: true });
    }
  }

  #readArchive(): void {
    const packs = listFolder(this.#archive, [])
      .filter(({ name }) => name.endsWith('.pack'))
      .map(({ name }) => statSync(path.join(this.#archive, name), { throwIfNoEntry: false }));
    const state = packs.map((pack) => `${pack?.size} ${pack?.mtimeMs}`).join();
    if (state === this.#packs) return;
    this.#removeOld();
    const { sessions } = readContents(this.#archive);
    this.#manifests = [...sessions.values()].flatMap(({ key, versions }) => {
      const latest = versions.at(-1);
      return latest === undefined ? [] : [[key, latest] as const];
    });
    this.#packs = state;
  }

  #findGone(): ReadonlyMap<string, Copy> {
    const folders = new Set(projectsFolders(this.#options.roots).map(({ projects }) => projects));
    const gone = new Map<string, Copy>();
    for (const [key, manifest] of this.#manifests) {
      const { projects, slug, sessionId, files } = manifest;
      const name = `${sessionId}.jsonl`;
      if (!folders.has(projects) || files[0]?.path !== name || existsSync(key)) continue;
      const hash = createHash('sha256')
        .update(`${key}\0${contentKey(manifest)}`)
        .digest('hex');
      const folder = path.join(this.#folder, hash.slice(0, 24));
      const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      gone.set(path.join(folder, 'projects', slug, name), { key, folder, bytes });
    }
    return gone;
  }

  async #restore(file: string, { key, folder }: Copy): Promise<boolean> {
    try {
      this.#restored.add(folder);
      await restoreSession(key, { folder: this.#archive, to: folder });
      return existsSync(file);
    } catch (error) {
      this.#broken.add(file);
      this.#options.onNotice?.(error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  #index(database: Database, { folder }: Copy): void {
    const roots = [folder];
    const summaries: ReadSummaries = new Map();
    updateRows(database, { roots, summaries });
    updateText(database, { roots });
    listSessions(database, { roots, summaries });
  }

  #forget(database: Database, file: string): void {
    const files = database
      .prepare('SELECT f.path FROM files f JOIN sessions s ON s.id = f.session WHERE s.path = ?')
      .all(file)
      .map((row) => String(row.path));
    const folder = path.resolve(file, '../../..');
    rmSync(folder, { recursive: true, force: true });
    updateRows(database, { roots: [folder], files });
  }

  #remove({ folder }: Copy): void {
    rmSync(folder, { recursive: true, force: true });
    this.#restored.delete(folder);
  }
}
