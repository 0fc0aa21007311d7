// Who may ask a server of ours on 127.0.0.1: a request's headers → why it is refused, or nothing. Every page in the browser
// may send requests to this machine, under its own name (DNS rebinding) or ours (CSRF), and every local program may guess a
// port. So a server checks the name it was called by, the site that asks, and a secret that only its user was given.
import { randomBytes, timingSafeEqual } from 'node:crypto';

/** 192 bits, new with every start of a server; safe in an address and in a header. */
export function makeSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** In constant time, so that the answer's delay says nothing about how much of it was right. */
export function isSecret(given: string | undefined, secret: string): boolean {
  const bytes = Buffer.from(given ?? '');
  const wanted = Buffer.from(secret);
  return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
}

const ownNames = ['127.0.0.1', 'localhost', '[::1]'];

/** `name`: the request was made to another name; `site`: another site made it. */
export type Stranger = 'name' | 'site';

export interface LocalRequest {
  /** As `node:http` has them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** A link on another site may open it in a tab, which the other site cannot read. */
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
