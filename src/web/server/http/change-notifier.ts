// Sends events to every page that listens. A page that does not keep up loses events once its socket is full, so that it
// cannot fill the server's memory; when it has caught up, a `hello` makes it reload.
import type { ServerResponse } from 'node:http';
import type { TranscriptPlace } from '../../../store/index.ts';
import type { Events, IndexState, SessionRow } from '../../wire/index.ts';
import type { Tail, TailQuery } from '../answers/index.ts';
import type { DoctorProgress, Thread } from '../workers/index.ts';
import { safeHeaders } from './guard.ts';
import { manyRows, type SessionList, type SessionListChange } from './session-list.ts';

export interface Listener {
  readonly keys: ReadonlySet<string>;
  readonly wantsLive: boolean;
}

interface Client extends Listener {
  readonly response: ServerResponse;
  isSlow: boolean;
}

const defaultBeatMs = 15_000;
/** Unsent bytes for one page. */
const maxWaitingBytes = 256 * 1024;
export const maxListeners = 500;

export class EventHub {
  readonly #clients = new Set<Client>();
  readonly #hello: () => Events['hello'];
  readonly #beat: NodeJS.Timeout;

  constructor(hello: () => Events['hello'], beatMs: number = defaultBeatMs) {
    this.#hello = hello;
    this.#beat = setInterval(() => this.#each((client) => this.#write(client, ': beat\n\n')), beatMs);
    this.#beat.unref();
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Pages that do not keep up. */
  get slowPages(): number {
    return [...this.#clients].filter(({ isSlow }) => isSlow).length;
  }

  get isFull(): boolean {
    return this.#clients.size >= maxListeners;
  }

  add(response: ServerResponse, listener: Listener): Listener {
    const client: Client = { response, ...listener, isSlow: false };
    response.writeHead(200, { ...safeHeaders, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    response.socket?.setNoDelay(true);
    this.#clients.add(client);
    response.on('close', () => this.#clients.delete(client));
    // The page is gone: `close` follows.
    response.on('error', () => {});
    response.on('drain', () => this.#catchUp(client));
    this.#write(client, 'retry: 1000\n\n');
    this.#sendTo(client, 'hello', this.#hello());
    return client;
  }

  /** To all pages, or to those that `isFor` selects. */
  send<Name extends keyof Events>(
    name: Name,
    value: Events[Name],
    isFor: (listener: Listener) => boolean = () => true,
  ): void {
    let text: string | undefined;
    this.#each((client) => {
      if (!isFor(client)) return;
      text ??= eventText(name, value);
      this.#write(client, text);
    });
  }

  /** Whether a page would receive it. */
  has(isFor: (listener: Listener) => boolean): boolean {
    return [...this.#clients].some(isFor);
  }

  /** The keys of all sessions that a page watches. */
  watched(): ReadonlySet<string> {
    return new Set([...this.#clients].flatMap(({ keys }) => [...keys]));
  }

  close(): void {
    clearInterval(this.#beat);
    this.#each(({ response }) => response.end());
    this.#clients.clear();
  }

  #each(work: (client: Client) => void): void {
    for (const client of this.#clients) work(client);
  }

  #sendTo<Name extends keyof Events>(client: Client, name: Name, value: Events[Name]): void {
    this.#write(client, eventText(name, value));
  }

  #write(client: Client, text: string): void {
    const { response } = client;
    if (client.isSlow || response.destroyed) return;
    if (response.writableLength > maxWaitingBytes) client.isSlow = true;
    else response.write(text);
  }

  #catchUp(client: Client): void {
    if (!client.isSlow) return;
    client.isSlow = false;
    this.#sendTo(client, 'hello', this.#hello());
  }
}

/** JSON has no raw line breaks, so it fits on one `data:` line. */
function eventText(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}

// Turns changes on disk and events of the workers into events for the pages. Rows are batched a few times a second,
// appends are sent as soon as they are read, and a transcript is never read twice at once.

const rowsMs = 200;
const stateMs = 200;

export class ChangeNotifier {
  readonly #hub: EventHub;
  readonly #sessions: SessionList;
  readonly #reader: Thread<'reader'>;
  readonly #changed = new Map<string, SessionRow>();
  readonly #gone = new Set<string>();
  #isMany = false;
  #rowsTimer: NodeJS.Timeout | undefined;
  #latest: { state?: IndexState; doctor?: DoctorProgress } = {};
  #stateTimer: NodeJS.Timeout | undefined;
  /** Transcripts that are being read; `true`: changed again since. */
  readonly #reading = new Map<string, boolean>();

  constructor(hub: EventHub, sessions: SessionList, reader: Thread<'reader'>) {
    this.#hub = hub;
    this.#sessions = sessions;
    this.#reader = reader;
  }

  rowsChanged({ changed, gone, isMany }: SessionListChange): void {
    for (const row of changed) this.#changed.set(row.key, row);
    for (const key of gone) {
      this.#changed.delete(key);
      this.#gone.add(key);
    }
    const count = this.#changed.size + this.#gone.size;
    // The page asks for them instead.
    this.#isMany ||= isMany || count > manyRows;
    if (this.#isMany) this.#forgetRows();
    if (this.#isMany || count > 0) this.#rowsTimer ??= setTimeout(() => this.#sendRows(), rowsMs);
  }

  /** Progress is throttled, but the last state is always sent. */
  stateChanged(state: IndexState): void {
    this.#latest.state = state;
    this.#stateTimer ??= setTimeout(() => this.#sendStates(), stateMs);
  }

  doctorChanged(doctor: DoctorProgress): void {
    this.#latest.doctor = doctor;
    this.#stateTimer ??= setTimeout(() => this.#sendStates(), stateMs);
  }

  /** A page starts to listen: later appends are compared with the session as it is now, which the page may have read before. */
  async listen(listener: Listener): Promise<void> {
    const live = listener.wantsLive ? this.#sessions.live().map(({ row }) => row.key) : [];
    for (const key of new Set([...listener.keys, ...live])) {
      const path = this.#sessions.findPath(key);
      if (path === undefined) continue; // deleted: the list says so
      const version = await this.#reader.askValue('know', { key, path, agentId: null });
      if (version !== null && listener.keys.has(key))
        this.#hub.send('current', { key, version }, (each) => each === listener);
    }
  }

  transcriptChanged(place: TranscriptPlace): void {
    const { mainPath } = place;
    const key = mainPath === undefined ? undefined : this.#sessions.keyOf(mainPath);
    if (mainPath === undefined || key === undefined) return;
    if (!this.#hub.has(({ keys, wantsLive }) => wantsLive || keys.has(key))) return;
    this.#check({ key, path: mainPath, agentId: place.agentId ?? null }, place.path);
  }

  /** The watcher has just started: sessions may have grown since pages asked for them. */
  checkAll(): void {
    const live = this.#hub.has(({ wantsLive }) => wantsLive) ? this.#sessions.live().map(({ row }) => row.key) : [];
    for (const key of new Set([...this.#hub.watched(), ...live])) {
      const path = this.#sessions.findPath(key);
      if (path !== undefined) this.#check({ key, path, agentId: null }, path);
    }
  }

  #check(query: TailQuery, file: string): void {
    const isReading = this.#reading.has(file);
    this.#reading.set(file, isReading);
    if (!isReading) void this.#readOn(query, file);
  }

  close(): void {
    clearTimeout(this.#rowsTimer);
    clearTimeout(this.#stateTimer);
  }

  async #readOn(query: TailQuery, file: string): Promise<void> {
    try {
      do {
        this.#reading.set(file, false);
        this.#sendTail(query, await this.#reader.askValue('grown', query));
      } while (this.#reading.get(file) === true);
    } catch {
      // The file is gone (the list shows it) or the server is stopping.
    } finally {
      this.#reading.delete(file);
    }
  }

  #sendTail({ key }: TailQuery, { append, lines }: Tail): void {
    if (append !== null) this.#hub.send('append', append, ({ keys }) => keys.has(key));
    if (lines.length > 0) this.#hub.send('live', { key, lines }, ({ wantsLive }) => wantsLive);
  }

  #sendRows(): void {
    this.#rowsTimer = undefined;
    const [changed, gone, isMany] = [[...this.#changed.values()], [...this.#gone], this.#isMany];
    this.#hub.send('sessions', { changed, gone, isMany });
    this.#isMany = false;
    this.#forgetRows();
  }

  #forgetRows(): void {
    this.#changed.clear();
    this.#gone.clear();
  }

  #sendStates(): void {
    this.#stateTimer = undefined;
    const { state, doctor } = this.#latest;
    this.#latest = {};
    if (state !== undefined) this.#hub.send('index', state);
    if (doctor !== undefined) this.#hub.send('doctor', doctor);
  }
}
