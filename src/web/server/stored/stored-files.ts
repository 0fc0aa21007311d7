// The place of a session in a store → its main transcript on this disk, in a private folder that the server removes when it ends.
// Text of others is announced before it is fetched, and removed when they no longer share it.
import { existsSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../../base/errors/index.ts';
import { restoreFrom } from '../../../library/archive/index.ts';
import {
  announceReading,
  type PackedFile,
  type ReadableSession,
  readableSession,
  readPacked,
  type StoreSource,
} from '../../../team/source/index.ts';
import { Refusal } from '../protocol/index.ts';
import type { StoreConnection } from './store-connection.ts';
import { placeOfText, type StoredPlace } from './stored-place.ts';

/** How much of the disk they may take; the one that was asked for last always stays. */
const maxBytes = 1024 * 1024 * 1024;
/** How soon a page notices that a session is no longer shared, or was pushed again. */
const checkMs = 5_000;
/** As long as the store shows the text after an announcement: whoever reads on announces it again. */
const announcedMs = 10 * 60_000;

interface Fetched {
  readonly contentKey: string;
  readonly folder: string;
  readonly main: string;
  readonly sizeBytes: number;
}

interface Opened {
  checkedAt: number;
  announcedAt: number;
  fetched: Fetched | undefined;
}

export class StoredFiles {
  readonly #store: StoreConnection;
  readonly #folder: string;
  /** In the order of use, the most recent last. */
  readonly #opened = new Map<string, Opened>();
  /** One at a time for each session: a page asks several questions at once. */
  readonly #running = new Map<string, Promise<string>>();
  #count = 0;

  /** `folder` is created when it is needed. */
  constructor(store: StoreConnection, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  locate(place: string): Promise<string> {
    const running = this.#running.get(place);
    if (running !== undefined) return running;
    const located = this.#locate(place).finally(() => this.#running.delete(place));
    this.#running.set(place, located);
    return located;
  }

  async #locate(place: string): Promise<string> {
    const key = placeOfText(place);
    if (key === undefined) throw new Refusal(404, 'unknown session', 'go back to the list');
    const opened = this.#opened.get(place) ?? { checkedAt: -Infinity, announcedAt: -Infinity, fetched: undefined };
    this.#opened.delete(place);
    this.#opened.set(place, opened);
    const now = performance.now();
    if (opened.fetched !== undefined && opened.checkedAt > now - checkMs) return opened.fetched.main;
    try {
      const main = await this.#store.ask((source) => this.#update(source, key, opened));
      opened.checkedAt = now;
      this.#evict();
      return main;
    } catch (error) {
      // What is no longer shared must not stay; while the store cannot be asked, it is not shown.
      if (error instanceof UserError) this.#release(opened);
      throw error;
    }
  }

  async #update(source: StoreSource, key: StoredPlace, opened: Opened): Promise<string> {
    const { sql, scope } = source;
    const state = await readableSession(sql, scope, key);
    if (!state.isOwn && opened.announcedAt < performance.now() - announcedMs) {
      await announceReading(sql, 'open', key);
      opened.announcedAt = performance.now();
    }
    if (opened.fetched?.contentKey !== state.contentKey) {
      this.#release(opened);
      opened.fetched = await this.#fetch(source, key, state);
    }
    return opened.fetched.main;
  }

  /** The original files of one's own session; of others, also for those who may see more, the files without secrets. */
  async #fetch(source: StoreSource, key: StoredPlace, { contentKey, isOwn }: ReadableSession): Promise<Fetched> {
    const stored = (await source.stored()).find(
      ({ person, storeId }) => person === key.person && storeId === key.storeId,
    );
    if (stored === undefined) throw new Refusal(404, 'the store no longer has this session', 'go back to the list');
    const { files, content } = await readPacked(source.sql, stored, isOwn);
    const byPath = new Map(files.map((file) => [file.path, file]));
    const folder = path.join(this.#folder, String(++this.#count));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const { path: main } = await restoreFrom({
        sessionId: stored.session.sessionId,
        projects: folder,
        slug: 'session',
        files,
        kind: 'one in the store',
        content: ({ path: name }) => content(byPath.get(name) as PackedFile), // one of files
      });
      return { contentKey, folder, main, sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) };
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  #release(opened: Opened): void {
    const { fetched } = opened;
    opened.fetched = undefined;
    if (fetched !== undefined && existsSync(fetched.folder)) rmSync(fetched.folder, { recursive: true, force: true });
  }

  #evict(): void {
    const all = [...this.#opened.values()];
    let total = all.reduce((sum, { fetched }) => sum + (fetched?.sizeBytes ?? 0), 0);
    for (const opened of all.slice(0, -1)) {
      if (total <= maxBytes) return;
      total -= opened.fetched?.sizeBytes ?? 0;
      this.#release(opened);
    }
  }
}
