// Sessions that are only in the archive, as files to read: restored into a private folder of Clew's own when a page asks for
// them. Nothing is written to the root. The server removes the folder when it ends.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { makeSecret } from '../../../base/process/index.ts';
import { archivedCopies, archiveFolder, restoreSession } from '../../../library/archive/index.ts';
import { isAlive } from '../../../store/index.ts';

/** How much of the disk restored sessions may take; the one that was asked for last always stays. */
const defaultMaxBytes = 1024 * 1024 * 1024;

interface Restored {
  readonly copy: string;
  readonly folder: string;
  readonly main: Promise<string>;
  sizeBytes: number;
}

/** Writes what is left of a session into `folder`; returns its transcript, `undefined` if nothing is left of it. */
export type RecoverFile = (main: string, folder: string) => Promise<string | undefined>;

export interface ArchivedFilesOptions {
  readonly maxBytes?: number;
  readonly recover?: RecoverFile;
}

export class ArchivedFiles {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #recover: RecoverFile | undefined;
  /** In the order of use, the most recent last. */
  readonly #restored = new Map<string, Restored>();
  #count = 0;

  /** `folder` is created when it is needed. `recover` makes a session of what is left, if the archive does not have it. */
  constructor(folder: string, { maxBytes = defaultMaxBytes, recover }: ArchivedFilesOptions = {}) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#recover = recover;
  }

  /** The path itself if it is on disk, or that of its restored copy. */
  async locate(main: string): Promise<string> {
    if (existsSync(main)) return main;
    const copy = archivedCopies(archiveFolder(), [main]).at(-1)?.content;
    if (copy === undefined) return this.#recovered(main);
    const known = this.#restored.get(main);
    if (known?.copy === copy) {
      this.#restored.delete(main);
      this.#restored.set(main, known);
      return known.main;
    }
    if (known !== undefined) this.release(main);
    const folder = path.join(this.#folder, String(++this.#count));
    const entry: Restored = { copy, folder, main: this.#restore(main, folder), sizeBytes: 0 };
    this.#restored.set(main, entry);
    entry.main.catch(() => this.release(main));
    return entry.main;
  }

  /** Made once: what is left of a deleted session does not change while the page shows it. */
  async #recovered(main: string): Promise<string> {
    const known = this.#restored.get(main);
    if (known !== undefined) return known.main;
    const recover = this.#recover;
    if (recover === undefined) return main;
    const folder = path.join(this.#folder, String(++this.#count));
    const found = await recover(main, folder);
    if (found === undefined) return main;
    this.#restored.set(main, { copy: 'recovered', folder, main: Promise.resolve(found), sizeBytes: 0 });
    return found;
  }

  /** Removes the restored copy of a session. */
  release(main: string): void {
    const entry = this.#restored.get(main);
    this.#restored.delete(main);
    if (entry !== undefined && existsSync(entry.folder)) rmSync(entry.folder, { recursive: true, force: true });
  }

  async #restore(main: string, folder: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await mkdir(path.join(folder, 'projects'), { recursive: true, mode: 0o700 });
    const { path: restored, files } = await restoreSession(main, { to: folder });
    const entry = this.#restored.get(main);
    if (entry !== undefined) entry.sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    this.#evict();
    return restored;
  }

  #evict(): void {
    let total = [...this.#restored.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const [main, { sizeBytes }] of [...this.#restored].slice(0, -1)) {
      if (total <= this.#maxBytes) return;
      total -= sizeBytes;
      this.release(main);
    }
  }
}

/** In Clew's own folder, named by the process, so that a later start recognises what a killed one left. */
export function newArchivedFolder(state: string): string {
  return path.join(restoredFolder(state), `${process.pid}-${makeSecret().slice(0, 12)}`);
}

/** Removes the folders of servers that were killed. */
export function removeAbandoned(state: string): void {
  const folder = restoredFolder(state);
  for (const name of namesIn(folder)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function restoredFolder(state: string): string {
  return path.join(state, 'restored');
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
