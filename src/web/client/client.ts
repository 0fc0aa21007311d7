// Hono's typed client for the page's server, in the browser and in Node: it sends the token, and a response that is not a
// success throws a `ServerFailure`.
import { hc } from 'hono/client';
import { type AppType, type Failure, tokenHeader } from '../wire/index.ts';

export interface ClientOptions {
  /** `''` in the page: the server it came from. */
  readonly base?: string;
  /** From the printed address, after `#token=`. */
  readonly token: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the server refuses the token, which then comes from an earlier start. */
  readonly onTokenRefused?: () => void;
}

/** `client.sessions.$get({ query })`: the routes below `/api`. */
export type Client = ReturnType<typeof hc<AppType>>['api'];

export class ServerFailure extends Error {
  readonly status: number;
  readonly next: string;

  constructor(status: number, { error, next }: Failure) {
    super(error);
    this.name = 'ServerFailure';
    this.status = status;
    this.next = next;
  }
}

export function makeClient({ base = '', token, headers = {}, onTokenRefused = () => {} }: ClientOptions): Client {
  const send: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status === 401) onTokenRefused();
    if (!response.ok) throw new ServerFailure(response.status, await readFailure(response));
    return response;
  };
  return hc<AppType>(base, { headers: { ...headers, [tokenHeader]: token }, fetch: send }).api;
}

export async function readJson<T>(response: Promise<{ json(): Promise<T> }>): Promise<T> {
  return (await response).json();
}

export async function readText(response: Promise<{ text(): Promise<string> }>): Promise<string> {
  return (await response).text();
}

/** The parameter of a session's routes. `hc` does not encode parameters, and a key may come from the address bar. */
export function keyParam(key: string): { readonly key: string } {
  return { key: encodeURIComponent(key) };
}

async function readFailure(response: Response): Promise<Failure> {
  try {
    return (await response.json()) as Failure; // the body of every refusal
  } catch {
    return { error: `the server answered ${response.status}`, next: '' };
  }
}

export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** Resolves at the end of the stream. Reads only what our server writes: `\n`, one line of data, comments as heartbeats. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readBlock(block);
      if (event !== undefined) onEvent(event);
    }
  }
}

function readBlock(block: string): StreamEvent | undefined {
  const name = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return name === undefined || data === undefined ? undefined : { name, data };
}
