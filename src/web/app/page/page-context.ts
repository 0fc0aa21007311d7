// The context of every page: the client, the events and the status of the server.
import { createContext, useContext, useEffect } from 'react';
import { type Client, readEvents, ServerFailure } from '../../client/index.ts';
import type { Events, Status } from '../../wire/index.ts';

export interface PageServices {
  readonly client: Client;
  readonly events: PageEvents;
  /** Reads an address of the API before the call returns: only for printing. */
  readNow(address: string, as: 'text' | 'bytes'): string;
}

export const ServicesContext: React.Context<PageServices | null> = createContext<PageServices | null>(null);
/** `null` until the first `hello` event. */
export const StatusContext: React.Context<Status | null> = createContext<Status | null>(null);

export function useServices(): PageServices {
  const services = useContext(ServicesContext);
  if (services === null) throw new Error('no ServicesContext around this page');
  return services;
}

export function useStatus(): Status | null {
  return useContext(StatusContext);
}

export function useEvent<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): void {
  const { events } = useServices();
  useEffect(() => events.on(name, listener), [events, name, listener]);
}

// The page's event stream. Browsers open at most six connections to a server, so a page has one for everything it wants,
// and none while it is hidden. Listeners are called when they may have missed events.

type Listener<Name extends keyof Events> = (value: Events[Name]) => void;

/** Events beyond those of the list and the index. */
export interface Wanted {
  /** Keys of sessions. */
  readonly watch: readonly string[];
  readonly live: boolean;
}

const names: readonly string[] = [
  'hello',
  'index',
  'sessions',
  'current',
  'append',
  'live',
  'doctor',
] satisfies (keyof Events)[];

/** After a lost connection, and after a refusal. */
const [lostRetryMs, refusedRetryMs] = [1_000, 5_000];

export class PageEvents {
  readonly #client: Client;
  readonly #listeners = new Map<keyof Events, Set<(value: unknown) => void>>();
  readonly #onMissed = new Set<() => void>();
  readonly #onConnection = new Set<() => void>();
  readonly #wanted = new Set<Partial<Wanted>>();
  #connection: AbortController | undefined;
  /** The request of the open connection; empty without one. */
  #opened = '';
  #isScheduled = false;
  #isConnected = true;
  #hasMissed = false;

  constructor(client: Client) {
    this.#client = client;
    document.addEventListener('visibilitychange', () => this.#schedule());
    this.#schedule();
  }

  /** `false` while the server does not respond; the page keeps trying. */
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

  /** After a lost connection or skipped events: what the page shows may be stale. */
  onMissed(listener: () => void): () => void {
    this.#onMissed.add(listener);
    return () => this.#onMissed.delete(listener);
  }

  readonly onConnection = (listener: () => void): (() => void) => {
    this.#onConnection.add(listener);
    return () => this.#onConnection.delete(listener);
  };

  /** Subscribes to more events, until the returned function is called. */
  want(wanted: Partial<Wanted>): () => void {
    this.#wanted.add(wanted);
    this.#schedule();
    return () => {
      this.#wanted.delete(wanted);
      this.#schedule();
    };
  }

  /** Reconnects once for all changes of one tick. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
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
          this.#onHello(!isFirst || this.#hasMissed);
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
    this.#setConnected(false);
    this.#hasMissed = true;
    this.#opened = '';
    setTimeout(() => this.#schedule(), retryMs);
  }

  #onHello(hasMissed: boolean): void {
    this.#hasMissed = false;
    this.#setConnected(true);
    if (hasMissed) for (const listener of this.#onMissed) listener();
  }

  #setConnected(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    for (const listener of this.#onConnection) listener();
  }
}
