// What happens → every page that listens, as server-sent events. One hub for all: an event is written once for each page,
// in the order it came; a page that does not keep up gets no more than its socket holds, and is told to ask anew once it
// has caught up, so that no page can fill the server's memory.
import type { ServerResponse } from 'node:http';
import type { Events } from '../wire.ts';
import { safeHeaders } from './safe-headers.ts';

export interface Listener {
  readonly keys: ReadonlySet<string>;
  readonly wantsLive: boolean;
}

interface Client extends Listener {
  readonly response: ServerResponse;
  isBehind: boolean;
}

const defaultBeatMs = 15_000;
/** What may wait in the memory for one page. */
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
  get behind(): number {
    return [...this.#clients].filter(({ isBehind }) => isBehind).length;
  }

  get isFull(): boolean {
    return this.#clients.size >= maxListeners;
  }

  add(response: ServerResponse, listener: Listener): void {
    const client: Client = { response, ...listener, isBehind: false };
    response.writeHead(200, { ...safeHeaders, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    response.socket?.setNoDelay(true);
    this.#clients.add(client);
    response.on('close', () => this.#clients.delete(client));
    // A page that is gone, not a fault: `close` follows.
    response.on('error', () => {});
    response.on('drain', () => this.#catchUp(client));
    // The page waits this long before it comes back.
    this.#write(client, 'retry: 1000\n\n');
    this.#send(client, 'hello', this.#hello());
  }

  /** To all, or to those that `isFor` names. */
  tell<Name extends keyof Events>(
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

  /** Whether anybody would hear of it. */
  has(isFor: (listener: Listener) => boolean): boolean {
    return [...this.#clients].some(isFor);
  }

  /** Everything that some page watches. */
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

  #send<Name extends keyof Events>(client: Client, name: Name, value: Events[Name]): void {
    this.#write(client, eventText(name, value));
  }

  #write(client: Client, text: string): void {
    const { response } = client;
    if (client.isBehind || response.destroyed) return;
    if (response.writableLength > maxWaitingBytes) client.isBehind = true;
    else response.write(text);
  }

  #catchUp(client: Client): void {
    if (!client.isBehind) return;
    client.isBehind = false;
    this.#send(client, 'hello', this.#hello());
  }
}

/** JSON has no raw line breaks, so that one `data:` line holds it. */
function eventText(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}
