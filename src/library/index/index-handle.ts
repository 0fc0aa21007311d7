// The index of a state folder for everything that uses it: opened when it is first needed, opened again after someone has
// removed or replaced its file, and rebuilt if it turns out to be broken. Everything in it can be read again.
import { statSync } from 'node:fs';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { type Inode, readInode } from '../../base/files/index.ts';
import type { Database } from './database.ts';
import {
  type IndexOptions,
  IndexUnavailable,
  indexError,
  indexPath,
  isBroken,
  openIndex,
  openIndexInMemory,
  removeIndex,
} from './schema.ts';

/** `folder: 'memory'` keeps the index nowhere. */
export interface IndexHandleOptions extends IndexOptions {
  /** Use an empty index in memory if the one on the disk cannot be used; gets the reason. */
  readonly onUnavailable?: (reason: IndexUnavailable) => void;
}

export class IndexHandle {
  readonly file: string;
  readonly #options: IndexHandleOptions;
  #opened: { readonly database: Database; readonly inode: Inode | undefined } | undefined;

  constructor(options: IndexHandleOptions) {
    this.#options = options;
    this.file = indexPath(options.folder);
  }

  /** Opens the index, or another one if the file is no longer the one that is open. */
  get database(): Database {
    if (this.#opened !== undefined && !this.isReplaced) return this.#opened.database;
    this.close();
    const database = this.#open();
    this.#opened = { database, inode: inodeOf(this.file) };
    return database;
  }

  /** Whether someone has removed or replaced the file that is open. */
  get isReplaced(): boolean {
    return this.#opened !== undefined && this.#opened.inode !== inodeOf(this.file);
  }

  /** Answers a question; an error of the database becomes one that says what to do. */
  ask<T>(question: (database: Database) => T): T {
    try {
      return question(this.database);
    } catch (error) {
      throw indexError(error, this.file);
    }
  }

  /**
   * Does work that may write. If the index is broken, it is rebuilt and the work is done once more; errors that are not
   * the database's are passed on.
   */
  async work<T>(work: (database: Database) => Promise<T> | T): Promise<T> {
    try {
      return await work(this.database);
    } catch (error) {
      if (!isOfDatabase(error)) throw error;
      if (!isBroken(error)) throw indexError(error, this.file);
      this.#options.onNotice?.('the index was damaged; rebuilding the index');
      this.recover(error);
      return await work(this.database);
    }
  }

  /** After a failure: closes the index, deletes a broken one, and returns the error to show. */
  recover(error: unknown): unknown {
    this.close();
    if (isBroken(error)) removeIndex(this.file);
    return indexError(error, this.file);
  }

  /** Never fails: what was asked is answered, and what the index has not kept can be read again. */
  close(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    try {
      opened?.database.close();
    } catch {
      // Such as a full disk: the next call opens the index again.
    }
  }

  #open(): Database {
    const { folder, onUnavailable } = this.#options;
    if (folder === 'memory') return openIndexInMemory();
    try {
      return openIndex(this.#options);
    } catch (error) {
      if (onUnavailable === undefined || !(error instanceof IndexUnavailable)) throw error;
      onUnavailable(error);
      return openIndexInMemory();
    }
  }
}

/** Whether `recover` can help: the index is broken, or the user can do something about the failure. */
export function isRecoverable(error: unknown, shown: unknown): boolean {
  return isBroken(error) || shown instanceof UserError;
}

function isOfDatabase(error: unknown): boolean {
  return /SQLITE/.test(systemErrorCode(error) ?? '');
}

function inodeOf(file: string): Inode | undefined {
  try {
    return readInode(file, statSync(file));
  } catch {
    return undefined; // missing, or in a folder that cannot be read: opening it says so
  }
}
