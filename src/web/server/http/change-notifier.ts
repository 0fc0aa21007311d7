// Sends events to every page that listens. A page that does not keep up loses events once its socket is full, so that it
// cannot fill the server's memory; when it has caught up, a `hello` makes it reload.
import type { ServerResponse } from 'node:http';
import type { Events } from '../../wire/wire.ts';
import { safeHeaders } from './safe-headers.ts';

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

  add(response: ServerResponse, listener: Listener): void {
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
