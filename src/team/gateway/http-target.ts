// A push through a gateway, for a machine that must not hold database credentials: the answers and the errors are those of
// the database itself, so that a push repeats what `isPassing` says.
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asObject, asString, parseJson } from '../../base/json/index.ts';
import { type Fetch, makeFetch, ProxyError } from '../../base/network/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { isGatewayAddress } from '../config/index.ts';
import type {
  Hello,
  LevelNumber,
  PushAnswer,
  PushTarget,
  RemoveAnswer,
  SessionRows,
  TombstoneReason,
} from '../contract/index.ts';
import { isPassing } from '../database/index.ts';
import { writeSession } from './push/index.ts';

export interface HttpTargetOptions {
  /** `https://gateway.example`. */
  readonly address: string;
  /** From `clew team gateway key add`. */
  readonly key: string | undefined;
  /** For the proxy. */
  readonly env?: Environment;
}

export class HttpTarget implements PushTarget {
  readonly #base: URL;
  readonly #key: string;
  readonly #fetch: Fetch;

  constructor({ address, key, env = process.env }: HttpTargetOptions) {
    this.#base = parseAddress(address);
    if (key === undefined || key.trim() === '')
      throw new UserError(
        `there is no key for the gateway ${this.#base.origin}`,
        'put it into CLEW_TEAM_KEY, or into "key" in team.json',
      );
    this.#key = key.trim();
    this.#fetch = makeFetch(env, { headersTimeoutMs: answerMs });
  }

  async hello(machine: string): Promise<Hello> {
    return (await this.#ask('hello', jsonBody({ machine }))) as Hello;
  }

  async push(session: SessionRows): Promise<PushAnswer> {
    return (await this.#ask('push', await compressSession(session), 'gzip')) as PushAnswer;
  }

  async remove(
    sessionId: string,
    reason: TombstoneReason,
    machine: string,
    kept: LevelNumber = 0,
  ): Promise<RemoveAnswer> {
    return (await this.#ask('remove', jsonBody({ sessionId, reason, machine, kept }))) as RemoveAnswer;
  }

  async goodbye(machine: string, digest: string): Promise<void> {
    await this.#ask('goodbye', jsonBody({ machine, digest }));
  }

  async close(): Promise<void> {}

  async #ask(call: string, body: Uint8Array<ArrayBuffer>, coding?: string): Promise<unknown> {
    const url = new URL(this.#base);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/store/${call}`;
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(url, {
        method: 'POST',
        // The key is for this address alone.
        redirect: 'error',
        headers: {
          authorization: `Bearer ${this.#key}`,
          'content-type': call === 'push' ? 'application/x-ndjson' : 'application/json',
          ...(coding === undefined ? {} : { 'content-encoding': coding }),
        },
        body,
      });
      text = await response.text();
    } catch (error) {
      throw networkError(error);
    }
    const answer = asObject(parseJson(text));
    if (response.status === 200 && answer !== undefined) return answer;
    throw this.#errorOf(response.status, asString(answer?.message), asString(answer?.code));
  }

  #errorOf(status: number, message: string | undefined, code: string | undefined): Error {
    const at = this.#base.origin;
    if (status === 401)
      return new UserError(
        `the gateway ${at} does not accept the key`,
        'ask its administrator for a new one: `clew team gateway key add`',
        exitCodes.failed,
      );
    if (code !== undefined) return Object.assign(new Error(message ?? `the gateway answered ${status}`), { code });
    // A balancer without an instance, or one that has lost it.
    if ([408, 429, 502, 503, 504].includes(status)) return passing(`the gateway ${at} answered ${status}`);
    const next =
      status === 413 ? 'push this session to the database itself' : 'check the address and the versions of both';
    return new UserError(`the gateway ${at} answered ${status}: ${message ?? 'no reason'}`, next, exitCodes.failed);
  }
}

/** A push of a large session may take minutes. */
const answerMs = 600_000;

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !isGatewayAddress(address) || url.username !== '' || url.password !== '')
    throw new UserError('the address of the gateway is malformed', 'write https://HOST');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UserError(`the key would be sent to ${url.host} without encryption`, 'use https://');
  url.search = '';
  url.hash = '';
  return url;
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function jsonBody(value: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** As a whole: proxies refuse bodies whose length they do not know. The rows are never in memory as text at once. */
async function compressSession(session: SessionRows): Promise<Uint8Array<ArrayBuffer>> {
  const zip = createGzip({ level: 3 });
  const pieces: Buffer[] = [];
  await pipeline(writeSession(session), zip, async (source: AsyncIterable<Buffer>) => {
    for await (const piece of source) pieces.push(piece);
  });
  return new Uint8Array(Buffer.concat(pieces));
}

/** With a code that `isPassing` knows: the network or the gateway may be back. */
function networkError(error: unknown): Error {
  if (error instanceof UserError) return error;
  if (error instanceof ProxyError && error.isRefusal)
    return new UserError(error.message, 'check the proxy', exitCodes.failed, { cause: error });
  for (let inner: unknown = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth++) {
    const code = asString((inner as { readonly code?: unknown }).code) ?? '';
    if (isPassing(inner)) return Object.assign(new Error(inner.message), { code });
    // A certificate is not accepted: trying again does not help.
    if (/CERT|^ERR_(?:TLS|SSL)/.test(code))
      return new UserError(`the gateway cannot be trusted (${code})`, 'check its address and NODE_EXTRA_CA_CERTS');
  }
  return passing(error instanceof Error ? error.message : 'the connection failed', error);
}

function passing(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: '08006' });
}
