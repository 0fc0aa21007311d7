// Hono's typed client for the page's server, in the browser and in Node: it sends the token, and a response that is not a
// success throws a `ServerFailure`.
import { hc } from 'hono/client';
import type { AppType } from '../wire/api.ts';
import { type Failure, tokenHeader } from '../wire/wire.ts';

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
