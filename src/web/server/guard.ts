// A request's line and headers → why it is refused, or nothing. It runs before every route. The page's own code holds no
// data and is given to every tab; everything that holds data needs the token, as a header: a browser attaches a cookie to
// requests to every port of this machine, a header only where the page's own code says so.
import type { IncomingHttpHeaders } from 'node:http';
import { findStranger, isSecret } from '../../base/local-guard.ts';
import { tokenHeader } from '../wire.ts';

export interface Door {
  readonly port: number;
  /** In the fragment of the printed address, which no browser sends; then in the header of every request for data. */
  readonly token: string;
}

export interface RequestHead {
  readonly method: string;
  /** As in the request: path and query. */
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
  return judgeShape(request) ?? judgeSender(request, door) ?? judgeToken(request, door) ?? judgeChange(request);
}

/** Who has it may ask for data; to all others only the page's own files are served, by routes that know nothing else. */
export function hasToken({ headers }: Pick<RequestHead, 'headers'>, token: string): boolean {
  const given = headers[tokenHeader];
  return isSecret(typeof given === 'string' ? given : undefined, token);
}

function judgeShape({ method, url, headers }: RequestHead): Refused | undefined {
  if (!['GET', 'HEAD', 'POST'].includes(method)) return refuse(405, `${method} is not answered here`);
  if (url.length > maxUrlChars) return refuse(414, 'the address is too long');
  if (!url.startsWith('/') || url.startsWith('//')) return refuse(400, 'the address is malformed');
  const [path = '', query = ''] = url.split('?', 2);
  const names = [path, query].map(decode);
  // Keys and names are one piece of a path each: nothing here needs a way up or a separator that is hidden.
  if (names.includes(undefined) || /[^\x21-\x7e]/.test(url)) return refuse(400, 'the address is malformed');
  if (/(?:^|\/)\.{1,2}(?:\/|$)|\\|\0|\/\//.test(names[0] ?? '')) return refuse(400, 'the address is malformed');
  if (/%2f|%5c|%00/i.test(path)) return refuse(400, 'the address is malformed');
  if (method !== 'POST' && (headers['content-length'] ?? '0') !== '0') return refuse(400, 'no body is expected');
  if (method !== 'POST' && headers['transfer-encoding'] !== undefined) return refuse(400, 'no body is expected');
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return refuse(413, 'the request is too large');
  return undefined;
}

function judgeSender({ method, url, headers }: RequestHead, { port }: Door): Refused | undefined {
  switch (findStranger({ headers, opensPage: method === 'GET' && !isData(url) }, port)) {
    case 'name':
      return refuse(403, 'this server does not answer to that name', openPrinted);
    case 'site':
      return refuse(403, 'another site may not ask', openPrinted);
    default:
      return undefined;
  }
}

function judgeToken({ method, url, headers }: RequestHead, { token }: Door): Refused | undefined {
  if ((method !== 'POST' && !isData(url)) || hasToken({ headers }, token)) return undefined;
  return refuse(401, 'the key of this address is missing or from an earlier start', openPrinted);
}

/** Browsers send the origin with every POST. */
function judgeChange({ method, headers }: RequestHead): Refused | undefined {
  if (method !== 'POST') return undefined;
  if (headers.origin === undefined) return refuse(403, 'a change needs its origin');
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/json' ? undefined : refuse(415, 'a change is sent as JSON');
}

const openPrinted = 'open the address that clew open printed, or run clew open again';

function isData(url: string): boolean {
  return url.startsWith('/api/');
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
