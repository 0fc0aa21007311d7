// Decides from a request's line and headers whether to refuse it, before any route. The page's own code holds no data and
// needs no token. Requests for data need the token in a header: a browser sends a cookie to every port of this machine,
// but a header only if the page's own code sets it.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { findStranger, isSecret } from '../../../base/process/index.ts';
import { type Failure, tokenHeader } from '../../wire/index.ts';

export interface GuardSetup {
  readonly port: number;
  /** From the fragment of the printed address, which browsers do not send. */
  readonly token: string;
}

export interface RequestHead {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

interface Refused {
  readonly status: number;
  readonly error: string;
  readonly next: string;
}

const maxUrlChars = 8_192;
export const maxBodyBytes: number = 64 * 1024;

export function judgeRequest(request: RequestHead, door: GuardSetup): Refused | undefined {
  return judgeShape(request) ?? judgeSender(request, door) ?? judgeToken(request, door) ?? judgeChange(request);
}

export function hasToken({ headers }: Pick<RequestHead, 'headers'>, token: string): boolean {
  const given = headers[tokenHeader];
  return isSecret(typeof given === 'string' ? given : undefined, token);
}

function judgeShape({ method, url, headers }: RequestHead): Refused | undefined {
  if (!['GET', 'HEAD', 'POST'].includes(method)) return refusal(405, `${method} is not supported`);
  if (url.length > maxUrlChars) return refusal(414, 'the address is too long');
  if (!url.startsWith('/') || url.startsWith('//')) return refusal(400, 'the address is malformed');
  const [path = '', query = ''] = url.split('?', 2);
  const names = [path, query].map(decode);
  // Keys and names are single path segments: no address needs `..` or an encoded separator.
  if (names.includes(undefined) || /[^\x21-\x7e]/.test(url)) return refusal(400, 'the address is malformed');
  if (/(?:^|\/)\.{1,2}(?:\/|$)|\\|\0|\/\//.test(names[0] ?? '')) return refusal(400, 'the address is malformed');
  if (/%2f|%5c|%00/i.test(path)) return refusal(400, 'the address is malformed');
  if (method !== 'POST' && (headers['content-length'] ?? '0') !== '0') return refusal(400, 'no body is expected');
  if (method !== 'POST' && headers['transfer-encoding'] !== undefined) return refusal(400, 'no body is expected');
  if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return refusal(413, 'the request is too large');
  return undefined;
}

function judgeSender({ method, url, headers }: RequestHead, { port }: GuardSetup): Refused | undefined {
  switch (findStranger({ headers, opensPage: method === 'GET' && !isData(url) }, port)) {
    case 'name':
      return refusal(403, 'unknown host name', openPrinted);
    case 'site':
      return refusal(403, 'requests from other sites are refused', openPrinted);
    default:
      return undefined;
  }
}

function judgeToken({ method, url, headers }: RequestHead, { token }: GuardSetup): Refused | undefined {
  if ((method !== 'POST' && !isData(url)) || hasToken({ headers }, token)) return undefined;
  return refusal(401, 'the token is missing or from an earlier start', openPrinted);
}

/** Browsers send the origin with every POST. */
function judgeChange({ method, headers }: RequestHead): Refused | undefined {
  if (method !== 'POST') return undefined;
  if (headers.origin === undefined) return refusal(403, 'a change needs an origin header');
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/json' ? undefined : refusal(415, 'a change must be JSON');
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

function refusal(status: number, error: string, next = ''): Refused {
  return { status, error, next };
}

export function refuse(request: IncomingMessage, response: ServerResponse, refused: Refused): void {
  // Does not wait for the rest of the request.
  response.shouldKeepAlive = request.method === 'GET' || request.method === 'HEAD';
  answerRefusal(request, response, refused);
}

export function answerRefusal(
  { headers, url = '' }: IncomingMessage,
  response: ServerResponse,
  { status, error, next }: Refused,
): void {
  const [type, body] = wantsPage(headers, url)
    ? ['text/html; charset=utf-8', refusalPage({ error, next })]
    : ['application/json', JSON.stringify({ error, next })];
  response.writeHead(status, { ...safeHeaders, 'content-type': type }).end(body);
}

/** Only data is JSON. Browsers send `sec-fetch-mode: navigate` for a tab; old browsers only accept HTML. */
export function wantsPage(headers: IncomingHttpHeaders, url: string): boolean {
  if (!isData(url)) return true;
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? /\btext\/html\b/.test(headers.accept ?? '') : mode === 'navigate';
}

export function refusalPage({ error, next }: Failure): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><title>Clew</title></head>',
    `<body><h1>Clew cannot show this</h1><p>${asHtml(sentence(error))}.</p>`,
    next === '' ? '' : `<p>What to do: ${asHtml(next)}.</p>`,
    '<p><a href="/">All sessions</a></p></body></html>\n',
  ].join('\n');
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/** For content of a transcript that is opened in a tab of its own: nothing in it may run. */
export const sandboxHeaders: Readonly<Record<string, string>> = {
  ...safeHeaders,
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
};
