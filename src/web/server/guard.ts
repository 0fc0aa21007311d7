// A request's line and headers → why it is refused, or nothing. It comes before every route: a page of another site may
// send requests to 127.0.0.1 (CSRF), may rebind its own name to it (DNS rebinding), and anyone on the machine may guess
// the port, so that address, origin and token are checked on everything that is answered at all.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { tokenHeader } from '../wire.ts';

export interface Door {
  readonly port: number;
  /** In the opened address, later in the cookie. */
  readonly token: string;
  /** For requests that change something: not in any address, so that no link can carry it. */
  readonly changeToken: string;
}

export interface RequestHead {
  readonly method: string;
  /** As it stands in the request: path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Refused {
  readonly status: number;
  readonly error: string;
  readonly next: string;
}

const maxUrlChars = 8_192;
export const maxBodyBytes: number = 64 * 1024;

export function judgeRequest(request: RequestHead, door: Door): Refused | undefined {
  return judgeShape(request) ?? judgeSender(request, door) ?? judgeToken(request, door) ?? judgeChange(request, door);
}

/** `undefined`: the address brings no token. It is answered with the cookie, before any token is asked for. */
export function tokenIn({ method, url }: RequestHead): string | undefined {
  if (method !== 'GET' || url.startsWith('/api/')) return undefined;
  return new URLSearchParams(url.split('?', 2)[1] ?? '').get('token') ?? undefined;
}

export function isToken(given: string | undefined, token: string): boolean {
  const bytes = Buffer.from(given ?? '');
  const wanted = Buffer.from(token);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

/** Cookies do not tell ports apart: the name has to, where two servers run. */
export function cookieName({ port }: Pick<Door, 'port'>): string {
  return `clew-${port}`;
}

function judgeShape({ method, url, headers }: RequestHead): Refused | undefined {
  if (!['GET', 'HEAD', 'POST'].includes(method)) return refuse(405, `${method} is not answered here`);
  if (url.length > maxUrlChars) return refuse(414, 'the address is too long');
  if (!url.startsWith('/') || url.startsWith('//')) return refuse(400, 'the address is malformed');
  const [path = '', query = ''] = url.split('?', 2);
  const names = [path, query].map(decode);
  // Keys and names are one piece of a path each: nothing here needs a way up or a separator that is hidden.
  if (names.includes(undefined)) return refuse(400, 'the address is malformed');
  if (/(?:^|\/)\.{1,2}(?:\/|$)|\\|\0|\/\//.test(names[0] ?? '')) return refuse(400, 'the address is malformed');
  if (/%2f|%5c|%00/i.test(path)) return refuse(400, 'the address is malformed');
  if (method !== 'POST' && (headers['content-length'] ?? '0') !== '0') return refuse(400, 'no body is expected');
  if (method !== 'POST' && headers['transfer-encoding'] !== undefined) return refuse(400, 'no body is expected');
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return refuse(413, 'the request is too large');
  return undefined;
}

function judgeSender({ method, url, headers }: RequestHead, { port }: Door): Refused | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const host = headers.host?.toLowerCase() ?? '';
  if (!hosts.includes(host)) return refuse(403, 'this server does not go by that name', 'open the address it printed');
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`) return refuse(403, 'another site may not ask');
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  // A link from elsewhere opens a page; it cannot read it, and without the cookie there is nothing in it.
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (method === 'GET' && isNavigation && !url.startsWith('/api/')) return undefined;
  return refuse(403, 'another site may not ask');
}

function judgeToken(request: RequestHead, door: Door): Refused | undefined {
  if (isToken(tokenIn(request), door.token)) return undefined;
  if (cookiesOf(request.headers, cookieName(door)).some((value) => isToken(value, door.token))) return undefined;
  return refuse(401, 'this address lacks its token', 'open the address that `clew open` printed');
}

/** The origin is there in every browser for these; who leaves it out is no page of ours. */
function judgeChange({ method, headers }: RequestHead, { changeToken }: Door): Refused | undefined {
  if (method !== 'POST') return undefined;
  if (headers.origin === undefined) return refuse(403, 'a change needs its origin');
  const given = headers[tokenHeader];
  if (!isToken(typeof given === 'string' ? given : undefined, changeToken))
    return refuse(403, 'a change needs its token', 'load the page again');
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/json' ? undefined : refuse(415, 'a change is sent as JSON');
}

function cookiesOf({ cookie = '' }: IncomingHttpHeaders, name: string): readonly string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function refuse(status: number, error: string, next = ''): Refused {
  return { status, error, next };
}
