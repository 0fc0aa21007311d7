// The connection to the model: the SDK's client for the endpoint that the environment chooses, made with the first
// request. It knows the name of a model there, the headers that the user adds, and the key of each request.
import { type Fetch, makeFetch, proxyFor, proxyName } from '../../base/network/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { modelNameOn, type Platform, platformOf } from '../../models/index.ts';
import { baseUrlOf, hideSecrets } from './credentials.ts';
import { customHeaders, mergeHeaders } from './headers.ts';
import { KeyHelper } from './key-helper.ts';
import { bedrockClient, foundryClient, type SdkClient, type SdkOptions, vertexClient } from './platform-clients.ts';

export interface ConnectionOptions {
  readonly env: Environment;
  readonly userAgent?: string;
  /** The user's command that prints the key. */
  readonly apiKeyHelper?: string | undefined;
  /** Where that command runs. */
  readonly cwd?: string;
}

/** What one request needs of the connection. */
export interface Prepared {
  readonly client: SdkClient;
  readonly model: string;
  /** `null`: none, whatever the SDK would send. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** Fields that the platform wants in the body. */
  readonly fields: Readonly<Record<string, string>>;
  /** The endpoint as a message names it. */
  readonly host: string;
  /** The key of the helper, if it was used. */
  readonly helperKey: string | undefined;
}

/** The platforms have versions of the API of their own. */
const versionFields: Readonly<Record<Platform, Readonly<Record<string, string>>>> = {
  anthropic: {},
  bedrock: { anthropic_version: 'bedrock-2023-05-31' },
  vertex: { anthropic_version: 'vertex-2023-10-16' },
  foundry: {},
};

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #helper: KeyHelper | undefined;
  readonly #clients = new Map<string, Promise<SdkClient>>();

  /** Throws a `UserError` if a variable of the connection is wrong. */
  constructor(options: ConnectionOptions) {
    const { env, apiKeyHelper, cwd = process.cwd() } = options;
    this.#options = options;
    customHeaders(env);
    this.#fetch();
    const isUsed = apiKeyHelper !== undefined && platformOf(env) === 'anthropic';
    this.#helper = isUsed ? new KeyHelper({ command: apiKeyHelper, cwd, env }) : undefined;
  }

  async prepare(model: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Prepared> {
    const { env } = this.#options;
    const helperKey = await this.#helper?.key(signal);
    const client = await this.#client(model);
    const url = URL.parse(client.baseURL);
    const proxy = url === null ? undefined : proxyFor(url, env);
    const host = url?.host ?? client.baseURL;
    return {
      client,
      model: modelNameOn(model, env),
      headers: { ...this.#keyHeaders(helperKey), ...mergeHeaders(headers, env) },
      fields: versionFields[platformOf(env)],
      host: proxy === undefined ? host : `${host} (through the proxy ${proxyName(proxy)})`,
      helperKey,
    };
  }

  /** Returns whether another attempt with a new key makes sense. */
  refuse({ helperKey }: Prepared): boolean {
    if (helperKey !== undefined) this.#helper?.refuse(helperKey);
    return helperKey !== undefined;
  }

  hideSecrets(text: string, helperKey: string | undefined): string {
    const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_FOUNDRY_API_KEY, AWS_BEARER_TOKEN_BEDROCK } =
      this.#options.env;
    const { AWS_SECRET_ACCESS_KEY } = this.#options.env;
    return hideSecrets(text, [
      ...[helperKey, ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_FOUNDRY_API_KEY],
      ...[AWS_BEARER_TOKEN_BEDROCK, AWS_SECRET_ACCESS_KEY],
    ]);
  }

  /**
   * As the client sends them. The SDK would send a key as `Authorization: Bearer`, which gateways do not read, and refuses a key
   * and a token together; so the headers are ours, and `null` keeps the SDK from adding its own.
   */
  #keyHeaders(helperKey: string | undefined): Readonly<Record<string, string | null>> {
    const { env } = this.#options;
    if (platformOf(env) !== 'anthropic') return {};
    const key = env.ANTHROPIC_API_KEY || helperKey;
    const token = env.ANTHROPIC_AUTH_TOKEN || helperKey;
    return { 'x-api-key': key ?? null, authorization: token === undefined ? null : `Bearer ${token}` };
  }

  #client(model: string): Promise<SdkClient> {
    const { env } = this.#options;
    // Only on Vertex the address depends on the model.
    const name = platformOf(env) === 'vertex' ? model : '';
    const client = this.#clients.get(name) ?? this.#makeClient(model);
    this.#clients.set(name, client);
    // A failure may pass: a login, a file that is there now.
    client.catch(() => this.#clients.delete(name));
    return client;
  }

  async #makeClient(model: string): Promise<SdkClient> {
    const { env, userAgent } = this.#options;
    const options: SdkOptions = {
      fetch: this.#fetch(),
      maxRetries: 0,
      logLevel: 'off',
      openTelemetry: false,
      defaultHeaders: userAgent === undefined ? {} : { 'user-agent': userAgent },
    };
    switch (platformOf(env)) {
      case 'bedrock':
        return bedrockClient(env, options);
      case 'vertex':
        return vertexClient(env, options, model);
      case 'foundry':
        return foundryClient(env, options);
      case 'anthropic': {
        const { Anthropic } = await import('@anthropic-ai/sdk');
        // Any key: the headers of each request replace it, and without one the SDK would look for credentials elsewhere.
        return new Anthropic({
          ...options,
          apiKey: 'in the headers',
          authToken: null,
          baseURL: baseUrlOf(env),
        });
      }
    }
  }

  #fetch(): Fetch {
    const { env } = this.#options;
    const ms = requestTimeoutOf(env);
    return makeFetch(env, ms === undefined ? {} : { headersTimeoutMs: ms });
  }
}

/** `API_TIMEOUT_MS`: until the answer begins. */
export function requestTimeoutOf({ API_TIMEOUT_MS }: Environment): number | undefined {
  const text = API_TIMEOUT_MS?.trim() ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
