// The page's event stream. Browsers open at most six connections to a server, so a page has one for everything it wants,
// and none while it is hidden. When it wants something else, the old one is heard until the server has begun to send the new one.
// Listeners are called when they may have missed events.
import { type Client, readEvents, ServerFailure } from '../../client/index.ts';
import type { Events } from '../../wire/index.ts';

type Listener<Name extends keyof Events> = (value: Events[Name]) => void;

/** Events beyond those of the list and the index. */
export interface Wanted {
  /** Keys of sessions. */
  readonly watch: readonly string[];
  readonly live: boolean;
}

/** Of the page, as `document` knows it. */
export interface Visibility {
  isHidden(): boolean;
  onChange(listener: () => void): void;
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
  readonly #visibility: Visibility;
  /** The stream whose events are heard. */
  #heard: AbortController | undefined;
  /** It replaces `#heard` with its first event. */
  #next: AbortController | undefined;
  /** The request of the newest stream; empty without one. */
  #asked = '';
  #isScheduled = false;
  #isConnected = true;
  #hasMissed = false;

  constructor(client: Client, visibility: Visibility) {
    this.#client = client;
    this.#visibility = visibility;
    visibility.onChange(() => this.#schedule());
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
    const name = this.#visibility.isHidden() ? '' : JSON.stringify(wanted);
    if (name === this.#asked) return;
    this.#asked = name;
    this.#next?.abort();
    this.#next = undefined;
    if (name !== '') void this.#follow(wanted);
    else {
      this.#hasMissed = true;
      this.#heard?.abort();
      this.#heard = undefined;
    }
  }

  async #follow({ watch, live }: Wanted): Promise<void> {
    const stream = new AbortController();
    this.#next = stream;
    let isFirst = true;
    let retryMs = lostRetryMs;
    try {
      const query = { watch, ...(live ? { live: '1' as const } : {}) };
      const { body } = await this.#client.events.$get({ query }, { init: { signal: stream.signal } });
      if (body === null) throw new Error('the response has no body');
      await readEvents(body, ({ name, data }) => {
        if (this.#next === stream) this.#hear(stream);
        if (this.#heard !== stream || !names.includes(name)) return;
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
    if (this.#heard !== stream && this.#next !== stream) return;
    this.#hasMissed = true;
    this.#heard?.abort();
    this.#heard = undefined;
    // The next one has begun already.
    if (this.#next !== undefined && this.#next !== stream) return;
    this.#next = undefined;
    this.#asked = '';
    this.#setConnected(false);
    setTimeout(() => this.#schedule(), retryMs);
  }

  #hear(stream: AbortController): void {
    this.#heard?.abort();
    this.#heard = stream;
    this.#next = undefined;
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
