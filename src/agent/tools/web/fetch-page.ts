// Fetches a URL, with limits on time and bytes. The address is checked when the connection is made, because a name may
// resolve to a public address first and to a private one a moment later.
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { version } from '../../../base/version/index.ts';
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

function request(url: URL, { allowPrivate, signal }: FetchOptions): Promise<PageAnswer> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowPrivate && isIP(host) !== 0 && isPrivateAddress(host)) throw new ToolFailure(privateText(host));
  const timeout = AbortSignal.timeout(limits.web.timeoutMs);
  const stop = AbortSignal.any([signal, timeout]);
  return new Promise<PageAnswer>((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? https : http).get(
      url,
      {
        agent: false,
        signal: stop,
        ...(allowPrivate ? {} : { lookup: publicLookup }),
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
  }).catch((error: unknown) => {
    if (signal.aborted) throw new ToolFailure('The request was interrupted.');
    if (timeout.aborted) throw new ToolFailure(`${url.host} did not answer within ${limits.web.timeoutMs / 1000} s.`);
    if (error instanceof ToolFailure) throw error;
    if (error instanceof PrivateAddressError) throw new ToolFailure(privateText(error.host));
    throw new ToolFailure(
      `${url.host} could not be reached: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
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
