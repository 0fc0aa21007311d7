// One connection for everything this page wants to hear of: browsers open six to a server in all, so a page has one, and
// a page that nobody sees has none. Listeners learn when they may have missed something.
import type { Events } from '../wire.ts';

type Listener<Name extends keyof Events> = (value: Events[Name]) => void;

export interface Wanted {
  /** Keys of sessions. */
  readonly watch: readonly string[];
  readonly live: boolean;
}

const names = ['hello', 'index', 'sessions', 'append', 'live', 'doctor'] as const satisfies (keyof Events)[];

const retryMs = 5_000;

export class PageEvents {
  readonly #urlOf: (wanted: Wanted) => string;
  readonly #listeners = new Map<keyof Events, Set<(value: unknown) => void>>();
  readonly #onMissed = new Set<() => void>();
  readonly #onConnection = new Set<() => void>();
  readonly #wanted = new Set<Partial<Wanted>>();
  #source: EventSource | undefined;
  #url = '';
  #isPlanned = false;
  #isConnected = true;
  #hasMissed = false;

  constructor(urlOf: (wanted: Wanted) => string) {
    this.#urlOf = urlOf;
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
    const url = document.visibilityState === 'hidden' ? '' : this.#urlOf(wanted);
    if (url === this.#url) return;
    if (url === '') this.#hasMissed = true;
    this.#source?.close();
    this.#source = undefined;
    this.#url = url;
    if (url !== '') this.#open(url);
  }

  #open(url: string): void {
    const source = new EventSource(url);
    this.#source = source;
    let isFirst = true;
    for (const name of names) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        if (this.#source !== source) return;
        if (name === 'hello') {
          this.#greet(!isFirst || this.#hasMissed);
          isFirst = false;
        }
        const value: unknown = JSON.parse(event.data);
        for (const listener of this.#listeners.get(name) ?? []) listener(value);
      });
    }
    source.addEventListener('error', () => {
      if (this.#source !== source) return;
      this.#tellConnection(false);
      // The browser tries again by itself, but not after an answer that refuses, as of a server that was started anew.
      if (source.readyState !== EventSource.CLOSED) return;
      this.#hasMissed = true;
      this.#url = '';
      setTimeout(() => this.#plan(), retryMs);
    });
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
