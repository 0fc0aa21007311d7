// Sessions of a project in the team's store → copies in a private folder, so that the memory server works on them as on the
// sessions of this machine. Each question brings them up to date: what is no longer shared is removed.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { restoreFrom } from '../../library/archive/index.ts';
import { ProjectScope } from '../../memory/scope/index.ts';
import { levelNumber } from '../../team/contract/index.ts';
import {
  announceReading,
  openStore,
  readableSession,
  readPacked,
  readStoreState,
  renewStore,
  type StoreChoice,
  type StoredSession,
  type StoreSource,
  storeError,
} from '../../team/source/index.ts';
import { packedSource, privateFolder, removeFolder } from '../source/index.ts';

interface Copy {
  readonly contentKey: string;
  readonly folder: string;
}

export class StoreCopies {
  /** A root with the copies. */
  readonly root: string = privateFolder();
  readonly #choice: StoreChoice;
  readonly #isAllProjects: boolean;
  readonly #copies = new Map<string, Copy>();
  #opened: Promise<StoreSource> | undefined;
  /** Questions may come at the same time. */
  #last: Promise<unknown> = Promise.resolve();
  #state = '';
  #count = 0;

  constructor(choice: StoreChoice, isAllProjects: boolean) {
    this.#choice = choice;
    this.#isAllProjects = isAllProjects;
  }

  /** `folders`: of the project that asks. */
  refresh(folders: readonly string[]): Promise<void> {
    const refreshed = this.#last.then(() => this.#refresh(folders));
    this.#last = refreshed.catch(() => {});
    return refreshed;
  }

  async close(): Promise<void> {
    await this.#last;
    await (await this.#opened?.catch(() => undefined))?.close();
    removeFolder(this.root);
  }

  async #refresh(folders: readonly string[]): Promise<void> {
    try {
      const opened = await this.#open();
      const state = JSON.stringify([await readStoreState(opened.sql, opened.scope), folders]);
      if (state === this.#state) return;
      const source = await renewStore(opened, this.#choice);
      const wanted = this.#wanted(await source.stored(), folders);
      const keys = new Set(wanted.map(keyOf));
      for (const key of this.#copies.keys()) if (!keys.has(key)) this.#remove(key);
      for (const stored of wanted) await this.#update(source, stored);
      this.#state = state;
    } catch (error) {
      throw storeError(error, this.#choice.address);
    }
  }

  #open(): Promise<StoreSource> {
    if (this.#opened !== undefined) return this.#opened;
    const opened = openStore(this.#choice.address, this.#choice.people);
    this.#opened = opened;
    opened.catch(() => {
      this.#opened = undefined;
    });
    return opened;
  }

  #wanted(stored: readonly StoredSession[], folders: readonly string[]): readonly StoredSession[] {
    const withText = stored.filter(({ isListed, level }) => isListed && level >= levelNumber('text'));
    if (this.#isAllProjects) return withText;
    const placed = withText.map((each) => {
      const { cwd, project: slug, worktree } = each.session;
      return { cwd, slug, worktree, each };
    });
    return new ProjectScope(folders).filter(placed).map(({ each }) => each);
  }

  /** Of others only the files without secrets, and only once their reading is announced. */
  async #update(source: StoreSource, stored: StoredSession): Promise<void> {
    const key = keyOf(stored);
    const { contentKey, isOwn } = await readableSession(source.sql, source.scope, stored);
    if (this.#copies.get(key)?.contentKey === contentKey) return;
    this.#remove(key);
    if (!isOwn) await announceReading(source.sql, 'mcp', stored);
    const packed = await readPacked(source.sql, stored, isOwn);
    // A project folder for each: people may have sessions with one name.
    const slug = String(++this.#count);
    const folder = path.join(this.root, 'projects', slug);
    this.#copies.set(key, { contentKey, folder });
    await restoreFrom({ ...packedSource(packed, path.join(this.root, 'projects')), slug });
  }

  #remove(key: string): void {
    const copy = this.#copies.get(key);
    this.#copies.delete(key);
    if (copy !== undefined) rmSync(copy.folder, { recursive: true, force: true });
  }
}

function keyOf({ person, storeId }: StoredSession): string {
  return `${person} ${storeId}`;
}
