// The worker `index` of a page over a store: it asks whether the sessions of the store changed, and emits the rows of the list.
import { setTimeout } from 'node:timers/promises';
import type { StoreChoice } from '../../../team/source/index.ts';
import { readStoredRows, StoreConnection } from '../stored/index.ts';
import { SentRows } from './sent-rows.ts';
import type { Emit, WorkerMethods } from './worker-methods.ts';

export function storedIndexMethods(store: StoreChoice, emit: Emit<'index'>): WorkerMethods['index'] {
  const work = new StoredIndexWork(store, emit);
  return { changed: () => work.take(), proceed: () => {} };
}

/** The share of time that goes into questions, however many sessions there are; what is pushed is shown soon nevertheless. */
const share = 1 / 4;
const maxPauseMs = 20_000;

class StoredIndexWork {
  readonly #store: StoreConnection;
  readonly #emit: Emit<'index'>;
  readonly #sent = new SentRows();
  #state: string | undefined;
  #generation = 0;
  #isWanted = false;
  #isRunning = false;

  constructor(store: StoreChoice, emit: Emit<'index'>) {
    this.#store = new StoreConnection(store);
    this.#emit = emit;
  }

  take(): void {
    this.#isWanted = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#isWanted) {
      this.#isWanted = false;
      const startedAt = performance.now();
      try {
        await this.#update();
      } catch (error) {
        // The server asks again while a page is open.
        this.#emit('notice', error instanceof Error ? error.message : String(error));
      }
      await setTimeout(Math.min(maxPauseMs, (performance.now() - startedAt) / share));
    }
    this.#isRunning = false;
  }

  #update(): Promise<void> {
    return this.#store.ask(async (source, state) => {
      if (state === this.#state) return;
      this.#emit('rows', this.#sent.update(await readStoredRows(source)));
      this.#state = state;
      this.#emit('state', {
        phase: 'current',
        bytesDone: 0,
        bytesTotal: 0,
        sessions: this.#sent.size,
        generation: ++this.#generation,
      });
    });
  }
}
