// Requests to a bucket of S3 or a server that speaks its protocol: signed, through the proxy of the environment, repeated while
// the server or the network fails. Addresses and credentials come from the variables and files of the AWS SDKs.
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { type AwsKeys, awsCredentials } from '../../../base/aws/index.ts';
import { exitCodes, UserError } from '../../../base/errors/index.ts';
import { type Fetch, makeFetch, ProxyError } from '../../../base/network/index.ts';
import type { Environment } from '../../../base/node/index.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Statuses that are answers, apart from successes. */
  readonly expected?: readonly number[];
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

const attempts = 6;
const firstDelayMs = 100;
const timeoutMs = 120_000;

export class S3Client {
  readonly #bucket: string;
  readonly #endpoint: URL | undefined;
  readonly #keys: () => Promise<AwsKeys>;
  readonly #fetch: Fetch;
  #region: string;

  private constructor(bucket: string, env: Environment, region: string, keys: () => Promise<AwsKeys>) {
    this.#bucket = bucket;
    this.#endpoint = endpointOf(env);
    this.#region = region;
    this.#keys = keys;
    this.#fetch = makeFetch(env);
  }

  static async open(bucket: string, env: Environment): Promise<S3Client> {
    const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1';
    return new S3Client(bucket, env, region, await awsCredentials(env, region));
  }

  /** The body is read completely: an answer that breaks off is a failure of the network. */
  async send(request: S3Request): Promise<S3Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#attempt(request).catch((error: unknown) => {
        if (attempt >= attempts || error instanceof UserError || (error instanceof ProxyError && error.isRefusal))
          throw networkError(error, this.#bucket);
        return undefined;
      });
      if (answer !== undefined) {
        if (answer.status < 300 || request.expected?.includes(answer.status) === true) return answer;
        if (attempt >= attempts || !(mayPass(answer.status) || this.#movesRegion(answer)))
          throw answerError(request, answer, this.#bucket);
      }
      await wait(firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  async #attempt({ method, key, query = {}, headers = {}, body }: S3Request): Promise<S3Answer> {
    const url = this.#urlOf(key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      ...(await this.#currentKeys()),
      service: 's3',
      region: this.#region,
    }).sign();
    const response = await this.#fetch(signed.url, {
      method,
      headers: signed.headers,
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: new Uint8Array(await response.arrayBuffer()),
    };
  }

  #urlOf(key: string): URL {
    const path = key.split('/').map(encodeURIComponent).join('/');
    if (this.#endpoint !== undefined) {
      const base = this.#endpoint.href.replace(/\/$/, '');
      return new URL(`${base}/${this.#bucket}${path === '' ? '' : `/${path}`}`);
    }
    const host = `s3.${this.#region}.amazonaws.com`;
    // The certificate is for one name below the host.
    return this.#bucket.includes('.')
      ? new URL(`https://${host}/${this.#bucket}/${path}`)
      : new URL(`https://${this.#bucket}.${host}/${path}`);
  }

  async #currentKeys(): Promise<AwsKeys> {
    try {
      return await this.#keys();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new UserError(
        `no credentials for s3://${this.#bucket} (${reason.replace(/\s+/g, ' ').slice(0, 300)})`,
        'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
      );
    }
  }

  /** The bucket is in another region, which the answer names. */
  #movesRegion({ headers }: S3Answer): boolean {
    const region = headers.get('x-amz-bucket-region');
    if (this.#endpoint !== undefined || region === null || region === this.#region) return false;
    this.#region = region;
    return true;
  }
}

function endpointOf(env: Environment): URL | undefined {
  const name = env.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL';
  const value = env[name];
  if (!value) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UserError(`${name} is not an http address`, 'set it to one such as https://s3.example.com, or unset it');
  return url;
}

/** Too many requests, or a server that fails: the same request may succeed later. */
function mayPass(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}

function networkError(error: unknown, bucket: string): unknown {
  if (error instanceof UserError) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UserError(
    `s3://${bucket} cannot be reached (${reason})`,
    'check AWS_ENDPOINT_URL_S3 and the network',
    exitCodes.failed,
    { cause: error },
  );
}

function answerError({ method, key }: S3Request, { status, body }: S3Answer, bucket: string): UserError {
  const text = Buffer.from(body).toString();
  const code = xmlText(text, 'Code') ?? `status ${status}`;
  const message = xmlText(text, 'Message');
  return new UserError(
    `s3://${bucket} refused ${method} ${key || 'of the bucket'}: ${code}${message === undefined ? '' : ` (${message})`}`,
    nextStep(status),
    exitCodes.failed,
  );
}

function nextStep(status: number): string {
  if (status === 403) return 'check the credentials, and what they may do in this bucket';
  if (status === 404) return 'create the bucket, or correct its name';
  return 'run it again later';
}

/** The content of the first element of this name. Its texts are ASCII or of a server's message: entities are rare. */
export function xmlText(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(xml)?.[1];
}

/** The content of each element of this name. */
export function xmlElements(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(([, content]) => content ?? '');
}
