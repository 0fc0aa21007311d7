// One connection for everything this page wants to hear of: browsers open six to a server in all, so a page has one, and
// a page that nobody sees has none. Listeners learn when they may have missed something.
import { type Client, ServerFailure } from '../client.ts';
import { readEvents } from '../event-stream.ts';
import type { Events } from '../wire.ts';

type Listener<Name extends keyof Events> = (value: Events[Name]) => void;

/** What a page wants to hear of beyond the list and the index. */
export interface Wanted {
  /** Keys of sessions. */
  readonly watch: readonly string[];
  readonly live: boolean;
}

const names: readonly string[] = ['hello', 'index', 'sessions', 'append', 'live', 'doctor'] satisfies (keyof Events)[];

/** After a connection that was lost, and after a refusal. */
const [lostRetryMs, refusedRetryMs] = [1_000, 5_000];

export class PageEvents {
  readonly #client: Client;
  readonly #listeners = new Map<keyof Events, Set<(value: unknown) => void>>();
  readonly #onMissed = new Set<() => void>();
  readonly #onConnection = new Set<() => void>();
  readonly #wanted = new Set<Partial<Wanted>>();
  #connection: AbortController | undefined;
  /** What the connection was opened for; empty without one. */
  #opened = '';
  #isPlanned = false;
  #isConnected = true;
  #hasMissed = false;

  constructor(client: Client) {
    this.#client = client;
    document.addEventListener('visibilitychange', () => this.#plan());
    this.#plan();
  }

  /** `false` once the server does not answer; it is tried again by itself. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  on<Name extends keyof Events>(name: Name, listener: Listener<Name>): () => void {
    const known = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, known);
    const heard = (value: unknown): void => listener(value as Events[Name]); // sent under this name
    known.add(heard);
    return () => known.delete(heard);
  }

  /** The connection was lost, or this page was too slow for it: what it shows may be old. */
  onMissed(listener: () => void): () => void {
    this.#onMissed.add(listener);
    return () => this.#onMissed.delete(listener);
  }

  readonly onConnection = (listener: () => void): (() => void) => {
    this.#onConnection.add(listener);
    return () => this.#onConnection.delete(listener);
  };

  /** Asks for more than the list and the index, until the answer is called. */
  want(wanted: Partial<Wanted>): () => void {
    this.#wanted.add(wanted);
    this.#plan();
    return () => {
      this.#wanted.delete(wanted);
      this.#plan();
    };
  }

  /** What comes and goes in one step of the page makes one connection. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setTimeout(() => {
      this.#isPlanned = false;
      this.#connect();
    }, 0);
  }

  #connect(): void {
    const all = [...this.#wanted];
    const wanted = { watch: all.flatMap(({ watch = [] }) => watch), live: all.some(({ live }) => live === true) };
    const name = document.visibilityState === 'hidden' ? '' : JSON.stringify(wanted);
    if (name === this.#opened) return;
    if (name === '') this.#hasMissed = true;
    this.#connection?.abort();
    this.#connection = undefined;
    this.#opened = name;
    if (name !== '') void this.#open(wanted);
  }

  async #open(wanted: Wanted): Promise<void> {
    const connection = new AbortController();
    this.#connection = connection;
    let isFirst = true;
    let retryMs = lostRetryMs;
    try {
      const { watch, live } = wanted;
      const query = { watch, ...(live ? { live: '1' as const } : {}) };
      const { body } = await this.#client.events.$get({ query }, { init: { signal: connection.signal } });
      if (body === null) throw new Error('the response has no body');
      await readEvents(body, ({ name, data }) => {
        if (this.#connection !== connection || !names.includes(name)) return;
        if (name === 'hello') {
          this.#greet(!isFirst || this.#hasMissed);
          isFirst = false;
        }
        const value: unknown = JSON.parse(data);
        for (const listener of this.#listeners.get(name as keyof Events) ?? []) listener(value); // one of `names`
      });
    } catch (error) {
      if (error instanceof ServerFailure) retryMs = refusedRetryMs;
    }
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#tellConnection(false);
    this.#hasMissed = true;
    this.#opened = '';
    setTimeout(() => this.#plan(), retryMs);
  }

  #greet(hasMissed: boolean): void {
    this.#hasMissed = false;
    this.#tellConnection(true);
    if (hasMissed) for (const listener of this.#onMissed) listener();
  }

  #tellConnection(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    for (const listener of this.#onConnection) listener();
  }
}
