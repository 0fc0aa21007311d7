// Fetches a URL, with limits on time and bytes. The address is checked when the connection is made, because a name may
// resolve to a public address first and to a private one a moment later.
import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { openTunnel, ProxyError, type ProxyServer, proxyFor, readTls } from '../../../base/network/index.ts';
import { version } from '../../../base/version/index.ts';
import { isOn } from '../../../models/index.ts';
import { isPrivateAddress, PrivateAddressError, publicLookup } from '../../access/index.ts';
import { limits, ToolFailure } from '../shared/index.ts';

export interface PageAnswer {
  readonly url: URL;
  readonly code: number;
  readonly codeText: string;
  readonly contentType: string;
  readonly body: Buffer;
  readonly location: string | undefined;
}

export interface FetchOptions {
  readonly allowPrivate: boolean;
  /** For the proxy. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Follows redirects on the same host and returns the first one that leaves it. */
export async function fetchPage(url: URL, options: FetchOptions): Promise<PageAnswer> {
  let at = url;
  for (let hops = 0; hops <= limits.web.redirects; hops++) {
    const answer = await request(at, options);
    const target = redirectTarget(answer);
    if (target === undefined || !isSameSite(url, target)) return answer;
    at = target;
  }
  throw new ToolFailure(`${url.href} redirects more than ${limits.web.redirects} times.`);
}

export function redirectTarget({ code, location, url }: PageAnswer): URL | undefined {
  if (location === undefined || ![301, 302, 303, 307, 308].includes(code)) return undefined;
  return URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

function isSameSite(from: URL, to: URL): boolean {
  const name = (url: URL): string => url.hostname.replace(/^www\./, '');
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return name(from) === name(to) && (isUpgrade || (from.protocol === to.protocol && from.port === to.port));
}

async function request(url: URL, { allowPrivate, signal, env }: FetchOptions): Promise<PageAnswer> {
  const host = plainHost(url);
  if (!allowPrivate && isPrivateName(host)) throw new ToolFailure(privateText(host));
  const timeout = AbortSignal.timeout(limits.web.timeoutMs);
  const stop = AbortSignal.any([signal, timeout]);
  try {
    const proxy = proxyFor(url, env);
    const socket = proxy === undefined ? undefined : await openProxied(proxy, url, { allowPrivate, env, signal: stop });
    const ca = readTls(env)?.ca;
    return await get(url, allowPrivate, stop, { socket, ...(ca === undefined ? {} : { ca }) });
  } catch (error) {
    if (signal.aborted) throw new ToolFailure('The request was interrupted.');
    if (timeout.aborted) throw new ToolFailure(`${url.host} did not answer within ${limits.web.timeoutMs / 1000} s.`);
    if (error instanceof ToolFailure) throw error;
    if (error instanceof PrivateAddressError) throw new ToolFailure(privateText(error.host));
    throw new ToolFailure(
      `${url.host} could not be reached: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

interface Route {
  /** A connection through a proxy. */
  readonly socket: Socket | undefined;
  readonly ca?: string[];
}

function get(
  url: URL,
  allowPrivate: boolean,
  signal: AbortSignal,
  { socket, ...authorities }: Route,
): Promise<PageAnswer> {
  const isSecure = url.protocol === 'https:';
  const proxied = socket && {
    createConnection: () => (isSecure ? connectTls({ socket, servername: serverName(url), ...authorities }) : socket),
  };
  return new Promise<PageAnswer>((resolve, reject) => {
    const sent = (isSecure ? https : http).get(
      url,
      {
        signal,
        ...(allowPrivate ? {} : { lookup: publicLookup }),
        ...authorities,
        // An agent, even a new one, would not use the connection.
        ...(proxied ?? { agent: false }),
        headers: {
          'user-agent': `clew/${version}`,
          accept: 'text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1',
          'accept-encoding': 'gzip, deflate, br',
        },
      },
      (response) => {
        readBody(response).then((body) => {
          resolve({
            url,
            code: response.statusCode ?? 0,
            codeText: response.statusMessage ?? '',
            contentType: response.headers['content-type'] ?? '',
            body,
            location: response.headers.location,
          });
        }, reject);
      },
    );
    sent.once('error', reject);
  });
}

/**
 * A name is resolved here and the proxy gets the address, so that it cannot resolve it to a private one. With
 * `CLAUDE_CODE_PROXY_RESOLVES_HOSTS` the user leaves that to the proxy.
 */
async function openProxied(proxy: ProxyServer, url: URL, options: Required<FetchOptions>): Promise<Socket> {
  const { allowPrivate, env, signal } = options;
  const name = plainHost(url);
  const isResolvedThere = allowPrivate || isOn(env.CLAUDE_CODE_PROXY_RESOLVES_HOSTS) || isIP(name) !== 0;
  const host = isResolvedThere ? name : await resolvePublic(name);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  try {
    return await openTunnel(proxy, { host, port }, env, signal);
  } catch (error) {
    if (isResolvedThere || !(error instanceof ProxyError) || !error.isRefusal) throw error;
    throw new Error(`${error.message}; ${resolvesThere}`);
  }
}

const resolvesThere = 'if the proxy must get the name instead of the address, set CLAUDE_CODE_PROXY_RESOLVES_HOSTS=1';

function resolvePublic(name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    publicLookup(name, { all: false }, (error, address) => {
      if (error === null) resolve(String(address));
      else if (error instanceof PrivateAddressError) reject(error);
      else reject(new Error(`${error.message}; ${resolvesThere}`));
    });
  });
}

function plainHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Addresses, and names that always mean this machine: a proxy may resolve them without us. */
function isPrivateName(host: string): boolean {
  return isIP(host) === 0 ? /(?:^|\.)localhost\.?$/i.test(host) : isPrivateAddress(host);
}

/** An address is not a name that a certificate is asked for. */
function serverName(url: URL): string {
  const host = plainHost(url);
  return isIP(host) === 0 ? host : '';
}

function privateText(host: string): string {
  return `${host} is an address of this machine or its own network, which WebFetch does not read. Use Bash (curl) if it is meant.`;
}

async function readBody(response: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  const decoded = decompress(response);
  for await (const piece of decoded as AsyncIterable<Buffer>) {
    size += piece.length;
    // Counts unpacked bytes: a small response can unpack to a huge one.
    if (size > limits.web.bodyBytes) {
      response.destroy();
      throw new ToolFailure(`The page is larger than ${limits.web.bodyBytes} bytes.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function decompress(response: http.IncomingMessage): Readable {
  const unpack = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const coding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (!Object.hasOwn(unpack, coding)) return response;
  const stream = unpack[coding as keyof typeof unpack](); // hasOwn
  response.once('error', (error) => stream.destroy(error));
  return response.pipe(stream);
}
