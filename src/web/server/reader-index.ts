// The index for reading, while another thread writes it. It is opened at first use, and again after the file was removed
// or rebuilt.
import { statSync } from 'node:fs';
import type { Database } from '../../library/database.ts';
import { indexError, indexPath, openIndex } from '../../library/schema.ts';

export class ReaderIndex {
  readonly #folder: string;
  readonly #file: string;
  #open: { readonly database: Database; readonly ino: number | undefined } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = indexPath(folder);
  }

  ask<T>(question: (database: Database) => T): T {
    try {
      return question(this.#database());
    } catch (error) {
      throw indexError(error, this.#file);
    }
  }

  #database(): Database {
    const ino = statSync(this.#file, { throwIfNoEntry: false })?.ino;
    if (this.#open !== undefined && this.#open.ino === ino) return this.#open.database;
    this.#open?.database.close();
    const database = openIndex({ folder: this.#folder });
    this.#open = { database, ino: statSync(this.#file, { throwIfNoEntry: false })?.ino };
    return database;
  }
}
