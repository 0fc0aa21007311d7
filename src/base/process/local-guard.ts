// Decides whether a local server accepts a request. Every page in the browser can send requests to 127.0.0.1, under its
// own host name (DNS rebinding) or ours (CSRF), and every local program can guess the port. So a server checks the host,
// the origin and a secret that only its user has.
import { randomBytes, timingSafeEqual } from 'node:crypto';

/** 192 bits, safe in a URL and in a header. */
export function makeSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** Takes constant time, so that the delay reveals nothing. */
export function isSecret(given: string | undefined, secret: string): boolean {
  const bytes = Buffer.from(given ?? '');
  const wanted = Buffer.from(secret);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

const ownNames = ['127.0.0.1', 'localhost', '[::1]'];

/** `name`: the request was made to another host name; `site`: another site made it. */
export type Stranger = 'name' | 'site';

export interface LocalRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Another site may link to it: it cannot read the opened tab. */
  readonly opensPage: boolean;
}

export function findStranger({ headers, opensPage }: LocalRequest, port: number): Stranger | undefined {
  const host = String(headers.host ?? '').toLowerCase();
  if (!ownNames.some((name) => host === `${name}:${port}`)) return 'name';
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`) return 'site';
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return opensPage && isNavigation ? undefined : 'site';
}
