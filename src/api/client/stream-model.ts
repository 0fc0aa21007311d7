// Streams one attempt through the official SDK, configured by the environment. The SDK is loaded with the first request
// and does not retry: the agent loop does, where retries are visible and recorded.

import type Anthropic from '@anthropic-ai/sdk';
import { asObject, isObject, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import { asksForLongContext, modelFactsOf } from '../../models/index.ts';
import { bindingBeta, isBinding } from '../request/index.ts';
import { AnswerReader } from './answer-reader.ts';
import {
  connectionFailure,
  failureOfStatus,
  isControlRefused,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  noKeyFailure,
  type StreamModel,
  streamFailure,
} from './model.ts';

const mark = { type: 'ephemeral' } as const;
const markedMessages = 2;
const smallestThinkingTokens = 1024;
/** Left for the answer if thinking would use the whole limit. */
const smallestAnswerTokens = 1024;

/** The thinking options that the endpoint supports. */
interface ThinkingControls {
  readonly hasReport: boolean;
  /** Asks the endpoint to drop mismatched thinking instead of refusing the request. */
  readonly dropsUnfit: boolean;
}

const noControls: ThinkingControls = { hasReport: false, dropsUnfit: false };

function requestBody(request: ModelRequest, controls: ThinkingControls = noControls): JsonObject {
  const tools = [...request.tools.map(toolBlock), ...(request.serverTools ?? [])];
  const thinking = thinkingOf(request, controls);
  return {
    model: request.model.replace(/\[1m\]$/i, ''),
    max_tokens: request.maxTokens,
    ...(request.system.length === 0 ? {} : { system: markLast(request.system.map(textBlock)) }),
    ...(tools.length === 0 ? {} : { tools: markLast(tools) }),
    messages: markMessages(request.messages),
    ...(thinking === undefined ? {} : { thinking }),
    stream: true,
  };
}

/** Headers that a request needs in addition to its body. */
function requestHeaders(
  request: ModelRequest,
  controls: ThinkingControls = noControls,
): Readonly<Record<string, string>> {
  const betas = [
    ...(controls.hasReport ? [bindingBeta] : []),
    ...(asksForLongContext(request.model) ? ['context-1m-2025-08-07'] : []),
    ...(thinkingOf(request)?.type === 'enabled' ? ['interleaved-thinking-2025-05-14'] : []),
  ];
  return betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') };
}

function thinkingOf(request: ModelRequest, controls: ThinkingControls = noControls): JsonObject | undefined {
  const { model, thinkingTokens, maxTokens } = request;
  const facts = modelFactsOf(model);
  const binding = controls.dropsUnfit && isBinding(model) ? dropUnfit : {};
  if (thinkingTokens === undefined || thinkingTokens <= 0) {
    const thinksAnyway = facts?.thinkingDefault === 'always' || facts?.thinkingDefault === 'on';
    return thinksAnyway && binding === dropUnfit ? { type: 'adaptive', ...binding } : undefined;
  }
  switch (facts?.thinking) {
    case 'adaptive':
      return { type: 'adaptive', display: 'summarized', ...binding };
    case 'budget': {
      const budget = Math.min(thinkingTokens, maxTokens - smallestAnswerTokens);
      return budget < smallestThinkingTokens ? undefined : { type: 'enabled', budget_tokens: budget, ...binding };
    }
    default:
      return undefined;
  }
}

const dropUnfit: JsonObject = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };

function toolBlock({ name, description, inputSchema }: ModelRequest['tools'][number]): JsonObject {
  return { name, description, input_schema: inputSchema };
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

function markMessages(messages: ModelRequest['messages']): readonly JsonValue[] {
  return messages.map(({ role, content }, i) => {
    const blocks = typeof content === 'string' ? [textBlock(content)] : content;
    return { role, content: i < messages.length - markedMessages ? blocks : markLast(blocks) };
  });
}

/** The last block that can be marked: the API refuses a mark on thinking and on empty text. */
function markLast(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const at = blocks.findLastIndex(canBeMarked);
  return blocks.map((block, i) => (i === at ? { ...block, cache_control: mark } : block));
}

function canBeMarked(block: JsonObject): boolean {
  if (!isObject(block) || block.type === 'thinking' || block.type === 'redacted_thinking') return false;
  return block.type !== 'text' || (typeof block.text === 'string' && block.text !== '');
}

export interface StreamModelOptions {
  /** Holds `ANTHROPIC_API_KEY` or `ANTHROPIC_AUTH_TOKEN`, and `ANTHROPIC_BASE_URL`. */
  readonly env: NodeJS.ProcessEnv;
  /** After this long without a byte, pings included, the stream counts as broken. */
  readonly idleTimeoutMs?: number;
  readonly userAgent?: string;
  readonly now?: () => Date;
}

/** The API sends a ping every few seconds while a model thinks; before the first byte a request may queue for long. */
const defaultIdleTimeoutMs = 180_000;
const defaultBaseUrl = 'https://api.anthropic.com';

/** Only Anthropic's own endpoint is known to have all betas, and to drop thinking that a model may not read. */
export function hostOf({ ANTHROPIC_BASE_URL }: NodeJS.ProcessEnv): 'anthropic' | 'gateway' {
  return URL.parse(ANTHROPIC_BASE_URL || defaultBaseUrl)?.host === URL.parse(defaultBaseUrl)?.host
    ? 'anthropic'
    : 'gateway';
}

export function makeStreamModel(options: StreamModelOptions): StreamModel {
  const { env } = options;
  let client: Promise<Sdk> | undefined;
  let controls = controlsFor(env);
  return async function* streamModel(request, signal) {
    if (!env.ANTHROPIC_API_KEY && !env.ANTHROPIC_AUTH_TOKEN) {
      yield { type: 'failed', failure: noKeyFailure() };
      return;
    }
    client ??= loadSdk(env, options.userAgent);
    for await (const event of new Attempt(await client, options, signal).run(request, controls)) {
      if (event.type !== 'failed' || !controls.hasReport || !isControlRefused(event.failure)) {
        yield event;
        continue;
      }
      // The endpoint does not know it, and no part of the answer has arrived.
      controls = noControls;
      yield* new Attempt(await client, options, signal).run(request, controls);
      return;
    }
  };
}

/** `CLEW_THINKING_CONTROLS`: `1` if the endpoint has them, `0` if not. */
function controlsFor(env: NodeJS.ProcessEnv): ThinkingControls {
  const isWanted = env.CLEW_THINKING_CONTROLS === '1';
  const isUsual = hostOf(env) === 'anthropic' && env.CLEW_THINKING_CONTROLS !== '0';
  return isWanted || isUsual ? { hasReport: true, dropsUnfit: true } : noControls;
}

interface Sdk {
  readonly client: Anthropic;
  readonly rawEvents: typeof import('@anthropic-ai/sdk/core/streaming').Stream.rawEvents;
  readonly host: string;
}

async function loadSdk(env: NodeJS.ProcessEnv, userAgent: string | undefined): Promise<Sdk> {
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const { Stream } = await import('@anthropic-ai/sdk/core/streaming');
  const baseURL = env.ANTHROPIC_BASE_URL || defaultBaseUrl;
  const client = new Anthropic({
    // Sets the other one to null, or the SDK would look for credentials elsewhere.
    ...(env.ANTHROPIC_API_KEY ? { apiKey: env.ANTHROPIC_API_KEY } : { authToken: env.ANTHROPIC_AUTH_TOKEN ?? '' }),
    baseURL,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    ...(userAgent === undefined ? {} : { defaultHeaders: { 'user-agent': userAgent } }),
  });
  return { client, rawEvents: Stream.rawEvents, host: URL.parse(baseURL)?.host ?? baseURL };
}

/** One request, from sending it to the last byte of its answer. */
class Attempt {
  readonly #sdk: Sdk;
  readonly #signal: AbortSignal;
  readonly #idleTimeoutMs: number;
  readonly #now: () => Date;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isStalled = false;
  #requestId: string | undefined;

  constructor(
    sdk: Sdk,
    { idleTimeoutMs = defaultIdleTimeoutMs, now = () => new Date() }: StreamModelOptions,
    signal: AbortSignal,
  ) {
    this.#sdk = sdk;
    this.#signal = signal;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#now = now;
  }

  async *run(request: ModelRequest, controls: ThinkingControls): AsyncGenerator<ModelEvent> {
    if (this.#signal.aborted) return;
    const abort = () => this.#stop.abort();
    this.#signal.addEventListener('abort', abort, { once: true });
    try {
      this.#rewind();
      yield* this.#read(await this.#send(request, controls));
    } catch (error) {
      if (!this.#signal.aborted) yield { type: 'failed', failure: this.#failureOf(error) };
    } finally {
      clearTimeout(this.#timer);
      this.#signal.removeEventListener('abort', abort);
      this.#stop.abort();
    }
  }

  async #send(request: ModelRequest, controls: ThinkingControls): Promise<Response> {
    const { client } = this.#sdk;
    // `messages.create` would print warnings about old models on the terminal.
    const response = await client
      .post('/v1/messages', {
        body: requestBody(request, controls),
        headers: requestHeaders(request, controls),
        stream: true,
        maxRetries: 0,
        timeout: this.#idleTimeoutMs + 1000,
        signal: this.#stop.signal,
      })
      .asResponse();
    this.#requestId = response.headers.get('request-id') ?? undefined;
    return response;
  }

  async *#read(response: Response): AsyncGenerator<ModelEvent> {
    const reader = new AnswerReader(this.#requestId);
    for await (const { event, data } of this.#sdk.rawEvents(response, this.#stop)) {
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
  #rewind(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isStalled = true;
      this.#stop.abort();
    }, this.#idleTimeoutMs);
  }

  #failed(kind: string, message: string): ModelEvent {
    return { type: 'failed', failure: streamFailure(kind, message, this.#requestId) };
  }

  #stalled(): ModelFailure {
    const seconds = Math.round(this.#idleTimeoutMs / 1000);
    return streamFailure('stream_stalled', `${this.#sdk.host} sent nothing for ${seconds} s`, this.#requestId);
  }

  #failureOf(error: unknown): ModelFailure {
    if (this.#isStalled) return this.#stalled();
    const status = isObject(error) && typeof error.status === 'number' ? error.status : undefined;
    if (status === undefined) {
      if (this.#requestId === undefined) return connectionFailure(error, this.#sdk.host, undefined);
      return streamFailure('stream_cut', 'the answer was cut off', this.#requestId);
    }
    const { headers, error: body } = error as { readonly headers?: Headers; readonly error?: unknown }; // the SDK's APIError
    return failureOfStatus(status, asObject(body), headers, this.#now());
  }
}

function eventOf(name: string | null, data: string): JsonObject | undefined {
  const value = asObject(parseJson(data));
  // The event name and the type in its data are the same; some gateways omit one of them.
  if (value !== undefined) return value.type === undefined && name !== null ? { ...value, type: name } : value;
  return data === '' || name === 'ping' ? { type: 'ping' } : undefined;
}
