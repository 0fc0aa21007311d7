// The address of a store → its sessions as they are now. The connection is opened with the first question, and answers are kept
// until a session was pushed or removed.
import {
  openStore,
  type PeopleChoice,
  readStoreState,
  renewStore,
  type StoreChoice,
  type StoreSource,
  storeError,
} from '../../../team/source/index.ts';

export class StoreConnection {
  readonly #choice: StoreChoice;
  #opened: Promise<StoreSource> | undefined;
  #latest: Promise<StoreSource> | undefined;
  #state = '';

  constructor(choice: StoreChoice) {
    this.#choice = choice;
  }

  get people(): PeopleChoice {
    return this.#choice.people;
  }

  /** Errors of the store are errors of the user. */
  async ask<T>(work: (source: StoreSource, state: string) => T | Promise<T>): Promise<T> {
    try {
      const source = await this.#current();
      return await work(source, this.#state);
    } catch (error) {
      throw shownError(storeError(error, this.#choice.address));
    }
  }

  async #current(): Promise<StoreSource> {
    const opened = await this.#open();
    const state = await readStoreState(opened.sql, opened.scope);
    if (state !== this.#state || this.#latest === undefined) {
      this.#state = state;
      const latest = renewStore(opened, this.#choice);
      this.#latest = latest;
      latest.catch(() => {
        if (this.#latest === latest) this.#latest = undefined;
      });
    }
    return this.#latest;
  }

  /** Once: a connection that is lost later opens again automatically. */
  #open(): Promise<StoreSource> {
    if (this.#opened !== undefined) return this.#opened;
    // A search has lists of people and rows.
    const options = { connections: 2, readsArrays: true };
    const opened = openStore(this.#choice.address, this.#choice.people, options);
    this.#opened = opened;
    opened.catch(() => {
      this.#opened = undefined;
    });
    return opened;
  }
}

/** The code of an error of PostgreSQL looks like one of the disk. */
function shownError(error: unknown): unknown {
  if (!(error instanceof Error) || !('severity_local' in error)) return error;
  return new Error(`the store answered: ${error.message}`, { cause: error });
}
