// Streams one attempt through the official SDK, configured by the environment. The SDK is loaded with the first request
// and does not retry: the agent loop does, where retries are visible and recorded.

import { asObject, isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { ProxyError } from '../../base/network/index.ts';
import {
  CloudCredentialError,
  Connection,
  type ConnectionOptions,
  hostOf,
  KeyHelperError,
  missingCredentials,
  type Prepared,
  requestTimeoutOf,
} from '../connection/index.ts';
import { AnswerReader } from './answer-reader.ts';
import {
  connectionFailure,
  credentialFailure,
  failureOfStatus,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  type StreamModel,
  streamFailure,
} from './model.ts';
import { requestBody, requestHeaders } from './request-body.ts';
import { EndpointFeatures, type RequestFeatures } from './request-features.ts';

export interface StreamModelOptions extends ConnectionOptions {
  /** After this long without a byte, pings included, the stream counts as broken. */
  readonly idleTimeoutMs?: number;
  readonly now?: () => Date;
}

/** The API sends a ping every few seconds while a model thinks; before the first byte a request may queue for long. */
const defaultIdleTimeoutMs = 180_000;

/** Throws a `UserError` if a variable of the connection is wrong. */
export function makeStreamModel(options: StreamModelOptions): StreamModel {
  const { env } = options;
  const missing = missingCredentials(env, options.apiKeyHelper);
  const connection = new Connection(options);
  const features = new EndpointFeatures(env, hostOf(env));
  const attempt = (request: ModelRequest, signal: AbortSignal) =>
    new Attempt(connection, options, signal).run(request, features.of(request.model));
  return async function* streamModel(request, signal) {
    if (missing !== undefined) {
      yield { type: 'failed', failure: credentialFailure('authentication_error', missing.message) };
      return;
    }
    for (let isRefused = true; isRefused; ) {
      isRefused = false;
      for await (const event of attempt(request, signal)) {
        // The endpoint does not know a field, and no part of the answer has arrived.
        isRefused = event.type === 'failed' && features.learn(request.model, event.failure);
        if (!isRefused) yield event;
      }
    }
  };
}

type RawEvents = typeof import('@anthropic-ai/sdk/core/streaming').Stream.rawEvents;

/** One request, from sending it to the last byte of its answer. */
class Attempt {
  readonly #connection: Connection;
  readonly #signal: AbortSignal;
  readonly #idleTimeoutMs: number;
  readonly #firstTimeoutMs: number;
  readonly #now: () => Date;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #waitedMs = 0;
  #isStalled = false;
  #requestId: string | undefined;
  #prepared: Prepared | undefined;

  constructor(
    connection: Connection,
    { env, idleTimeoutMs = defaultIdleTimeoutMs, now = () => new Date() }: StreamModelOptions,
    signal: AbortSignal,
  ) {
    this.#connection = connection;
    this.#signal = signal;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#firstTimeoutMs = requestTimeoutOf(env) ?? idleTimeoutMs;
    this.#now = now;
  }

  async *run(request: ModelRequest, features: RequestFeatures): AsyncGenerator<ModelEvent> {
    if (this.#signal.aborted) return;
    const abort = () => this.#stop.abort();
    this.#signal.addEventListener('abort', abort, { once: true });
    try {
      // Loaded before the request: if the connection breaks before anything reads, what has arrived is lost.
      const { Stream } = await import('@anthropic-ai/sdk/core/streaming');
      yield* this.#read(await this.#sendWithKey(request, features), Stream.rawEvents);
    } catch (error) {
      if (!this.#signal.aborted) yield { type: 'failed', failure: this.#failureOf(error) };
    } finally {
      clearTimeout(this.#timer);
      this.#signal.removeEventListener('abort', abort);
      this.#stop.abort();
    }
  }

  /** The key of a helper may have expired: it is fetched again once. */
  async #sendWithKey(request: ModelRequest, features: RequestFeatures): Promise<Response> {
    try {
      return await this.#send(request, features);
    } catch (error) {
      const isRefused = isObject(error) && error.status === 401 && this.#prepared !== undefined;
      if (!isRefused || this.#signal.aborted || !this.#connection.refuse(this.#prepared as Prepared)) throw error;
      return this.#send(request, features);
    }
  }

  async #send(request: ModelRequest, features: RequestFeatures): Promise<Response> {
    clearTimeout(this.#timer);
    const headers = requestHeaders(request, features);
    const prepared = await this.#connection.prepare(request.model, headers, this.#signal);
    this.#prepared = prepared;
    this.#rewind(this.#firstTimeoutMs);
    // `messages.create` would print warnings about old models on the terminal.
    const response = await prepared.client
      .post('/v1/messages', {
        body: { ...requestBody(request, features), model: prepared.model, ...prepared.fields },
        headers: prepared.headers,
        stream: true,
        maxRetries: 0,
        timeout: this.#firstTimeoutMs + 1000,
        signal: this.#stop.signal,
      })
      .asResponse();
    this.#requestId = requestIdOf(response.headers);
    return response;
  }

  async *#read(response: Response, rawEvents: RawEvents): AsyncGenerator<ModelEvent> {
    const reader = new AnswerReader(this.#requestId);
    this.#rewind();
    for await (const { event, data } of rawEvents(response, this.#stop)) {
      this.#rewind();
      const parsed = eventOf(event, data);
      if (parsed === undefined) {
        yield this.#failed('malformed_stream', 'the answer is malformed: an event is not JSON');
        return;
      }
      for (const heard of reader.read(parsed)) {
        if (this.#signal.aborted) return;
        yield heard;
        if (heard.type === 'end' || heard.type === 'failed') return;
      }
    }
    if (this.#signal.aborted) return;
    if (this.#isStalled) yield { type: 'failed', failure: this.#stalled() };
    else yield this.#failed('stream_cut', 'the answer was cut off');
  }

  /** The timeout for the next byte starts now. */
  #rewind(timeoutMs = this.#idleTimeoutMs): void {
    clearTimeout(this.#timer);
    this.#waitedMs = timeoutMs;
    this.#timer = setTimeout(() => {
      this.#isStalled = true;
      this.#stop.abort();
    }, timeoutMs);
  }

  #failed(kind: string, message: string): ModelEvent {
    return { type: 'failed', failure: streamFailure(kind, message, this.#requestId) };
  }

  #stalled(): ModelFailure {
    const seconds = Math.round(this.#waitedMs / 1000);
    return streamFailure('stream_stalled', `${this.#host} sent nothing for ${seconds} s`, this.#requestId);
  }

  get #host(): string {
    return this.#prepared?.host ?? 'the endpoint';
  }

  #failureOf(error: unknown): ModelFailure {
    const failure = this.#describe(error);
    return { ...failure, message: this.#connection.hideSecrets(failure.message, this.#prepared?.helperKey) };
  }

  #describe(error: unknown): ModelFailure {
    if (this.#isStalled) return this.#stalled();
    const status = isObject(error) && typeof error.status === 'number' ? error.status : undefined;
    if (status !== undefined) {
      const { headers, error: body } = error as { readonly headers?: Headers; readonly error?: unknown }; // the SDK's APIError
      return failureOfStatus(status, asObject(body), headers, this.#now());
    }
    const cause = knownCause(error);
    if (cause instanceof KeyHelperError) return credentialFailure('authentication_error', cause.message);
    if (cause instanceof CloudCredentialError) return credentialFailure('cloud_credential_error', cause.message);
    if (this.#requestId !== undefined) return streamFailure('stream_cut', 'the answer was cut off', this.#requestId);
    if (!(cause instanceof ProxyError)) return connectionFailure(error, this.#host, undefined);
    const failure = connectionFailure(cause, URL.parse(this.#prepared?.client.baseURL ?? '')?.host ?? '', undefined);
    return { ...failure, isRetryable: !cause.isRefusal };
  }
}

function knownCause(error: unknown): unknown {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof KeyHelperError || at instanceof CloudCredentialError || at instanceof ProxyError) return at;
  }
  return undefined;
}

/** Bedrock has a name of its own. */
function requestIdOf(headers: Headers): string | undefined {
  return headers.get('request-id') ?? headers.get('x-amzn-requestid') ?? undefined;
}

function eventOf(name: string | null, data: string): JsonObject | undefined {
  const value = asObject(parseJson(data));
  // The event name and the type in its data are the same; some gateways omit one of them.
  if (value !== undefined) return value.type === undefined && name !== null ? { ...value, type: name } : value;
  return data === '' || name === 'ping' ? { type: 'ping' } : undefined;
}
