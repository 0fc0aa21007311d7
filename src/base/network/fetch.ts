// `fetch` for an environment: through its proxy, with its certificates. Without either it is Node's own `fetch`, and
// nothing is loaded. Node 20 reads no proxy variables, and its `fetch` takes no dispatcher of another undici version, so
// undici brings its own `fetch`.
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import type { Environment } from '../node/index.ts';
import { type ProxyServer, proxyFor, readProxy } from './proxy.ts';
import { ProxyError } from './proxy-error.ts';
import { readTls, type TlsOptions } from './tls.ts';
import { openTunnel } from './tunnel.ts';

export type Fetch = typeof globalThis.fetch;

export interface FetchOptions {
  /** Until the first byte of the answer. */
  readonly headersTimeoutMs?: number;
}

/** To the proxy, and from there to the host. */
const tunnelTimeoutMs = 60_000;
/** undici's own limit, and Node's. */
const usualHeadersTimeoutMs = 300_000;

/** Throws a `UserError` at once if a variable is wrong. */
export function makeFetch(env: Environment, { headersTimeoutMs = 0 }: FetchOptions = {}): Fetch {
  const tls = readTls(env);
  const isPlain = readProxy(env) === undefined && tls === undefined && headersTimeoutMs <= usualHeadersTimeoutMs;
  if (isPlain) return (input, init) => globalThis.fetch(input, init);
  let loading: Promise<Loaded> | undefined;
  return async (input, init) => {
    loading ??= load(env, Math.max(headersTimeoutMs, usualHeadersTimeoutMs));
    const { fetch, dispatcher } = await loading;
    const url = new URL(input instanceof Request ? input.url : input);
    const proxy = proxyFor(url, env);
    try {
      return await fetch(input, { ...init, dispatcher });
    } catch (error) {
      if (proxy === undefined || error instanceof ProxyError || init?.signal?.aborted === true) throw error;
      throw describeError(error, proxy);
    }
  };
}

interface Loaded {
  readonly fetch: (
    input: Parameters<Fetch>[0],
    init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Dispatcher },
  ) => Promise<Response>;
  readonly dispatcher: Dispatcher;
}

async function load(env: Environment, headersTimeout: number): Promise<Loaded> {
  const undici = await import('undici');
  const connect = readTls(env);
  const proxy = readProxy(env);
  const direct = new undici.Agent({ headersTimeout, ...(connect === undefined ? {} : { connect }) });
  const tunnels = proxy && new undici.Agent({ headersTimeout, connect: connectThrough(proxy, env, connect ?? {}) });
  // A redirect may lead to a host with another rule.
  class Choice extends undici.Dispatcher {
    override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const url = new URL(String(options.origin));
      const chosen = proxyFor(url, env);
      if (chosen === undefined || tunnels === undefined) return direct.dispatch(options, handler);
      if (url.protocol === 'https:') return tunnels.dispatch(options, handler);
      // Many proxies open tunnels to port 443 only: an http URL is requested from the proxy itself.
      const headers = withProxyHeaders(options.headers, url, chosen);
      const path = `${url.origin}${options.path}`;
      return direct.dispatch({ ...options, origin: chosen.url.origin, path, headers }, handler);
    }
  }
  // The same interface, declared twice: by undici and by the types of Node.
  return { fetch: undici.fetch as unknown as Loaded['fetch'], dispatcher: new Choice() };
}

function connectThrough(proxy: ProxyServer, env: Environment, tls: TlsOptions): buildConnector.connector {
  return ({ hostname, port, servername }, done) => {
    const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 };
    openTunnel(proxy, target, env, AbortSignal.timeout(tunnelTimeoutMs)).then(
      (socket) => {
        const name = isIP(target.host) === 0 ? (servername ?? target.host) : '';
        const secure = connectTls({ ...tls, socket, servername: name, ALPNProtocols: ['http/1.1'] });
        secure.once('error', (error) => done(error, null));
        secure.once('secureConnect', () => done(null, secure));
      },
      (error: Error) => done(error, null),
    );
  };
}

/** undici has the headers of `fetch` as an object. */
function withProxyHeaders(
  headers: Dispatcher.DispatchOptions['headers'],
  url: URL,
  { authorization }: ProxyServer,
): Record<string, string | string[] | undefined> {
  const own = headers === null || headers === undefined || Symbol.iterator in headers ? {} : headers;
  return { ...own, host: url.host, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) };
}

function describeError(error: unknown, proxy: ProxyServer): ProxyError {
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error && inner.cause !== undefined; depth++) inner = inner.cause;
  if (inner instanceof ProxyError) return inner;
  const code = inner instanceof Error && 'code' in inner ? inner.code : undefined;
  const message = inner instanceof Error ? inner.message : String(inner);
  // The standard of `fetch` makes a network error without a reason of this status.
  if (message === '' || message === 'proxy authentication required')
    return new ProxyError(proxy, 'it answered 407', 407);
  const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
  return new ProxyError(proxy, isClosed ? 'the connection was closed' : typeof code === 'string' ? code : message);
}
