// The types of a request to a model and of its answer, as the agent sees them: a request without cache marks, an answer
// as events, and one type for all failures.

import { systemErrorCode } from '../../base/errors/index.ts';
import { asObject, asString, isObject, type JsonObject } from '../../base/json/index.ts';
import type { Effort, Thinking } from '../../models/index.ts';

/** A tool, as described to the model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** A request of the Messages API without the marks of the prompt cache, which the client sets. */
export interface ModelRequest {
  readonly model: string;
  readonly system: readonly string[];
  readonly messages: readonly {
    readonly role: 'user' | 'assistant';
    readonly content: string | readonly JsonObject[];
  }[];
  readonly tools: readonly ToolDefinition[];
  readonly serverTools?: readonly JsonObject[];
  readonly maxTokens: number;
  /** Features of the API for the header `anthropic-beta`. */
  readonly betas?: readonly string[];
  /** Without it the API decides. */
  readonly thinking?: Thinking;
  readonly effort?: Effort;
  /** The effort at the start of the conversation, and the user messages after which it changed. */
  readonly firstEffort?: Effort;
  readonly effortChanges?: readonly { readonly afterMessage: number; readonly effort: Effort }[];
}

export type ModelEvent =
  | {
      readonly type: 'start';
      readonly id: string;
      readonly model: string;
      readonly requestId: string | undefined;
      readonly usage: JsonObject;
      /** What the API did with the thinking of the request, if a report was requested. */
      readonly transformations?: readonly JsonObject[];
    }
  | {
      readonly type: 'part';
      readonly index: number;
      readonly kind: 'text' | 'thinking' | 'input' | 'other';
      readonly text: string;
      readonly raw: JsonObject;
    }
  | {
      readonly type: 'block';
      readonly index: number;
      readonly block: JsonObject;
      /** The input of a call was not a JSON object: the block has an empty one, and the call must not run. */
      readonly inputProblem?: string;
    }
  | { readonly type: 'end'; readonly stopReason: string | null; readonly usage: JsonObject }
  | { readonly type: 'failed'; readonly failure: ModelFailure };

/** One attempt. It ends with `end` or `failed` and never throws; an abort ends it without either. */
export type StreamModel = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** Why a request to the model failed. */
export interface ModelFailure {
  readonly status: number | undefined;
  /** `overloaded_error`, `rate_limit_error`, `connection_error`, `stream_cut`, … */
  readonly kind: string;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isRetryable: boolean;
}

// Converts everything that can go wrong with a request to one failure, with a message and whether a retry makes sense.

/** 409 is a lock timeout at the API; the others are temporary. */
const passingStatus: ReadonlySet<number> = new Set([408, 409, 429, 529]);
const passingTypes: ReadonlySet<string> = new Set([
  'overloaded_error',
  'api_error',
  'rate_limit_error',
  'timeout_error',
]);
const typeByStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};
const longestMessage = 2000;

/** A response with an error status. `body` is the JSON body, if there was one. */
export function failureOfStatus(
  status: number,
  body: JsonObject | undefined,
  headers: { get(name: string): string | null } | undefined,
  now: Date,
): ModelFailure {
  const error = asObject(body?.error);
  return {
    status,
    kind: asString(error?.type) ?? typeByStatus[status] ?? (status >= 500 ? 'api_error' : 'http_error'),
    // Bedrock has the message at the top.
    message: shortMessage(asString(error?.message) ?? asString(body?.message) ?? `the API answered ${status}`),
    requestId:
      headers?.get('request-id') ?? headers?.get('x-amzn-requestid') ?? asString(body?.request_id) ?? undefined,
    retryAfterMs: retryAfterMs(headers, now),
    // The API may say more than the status does.
    isRetryable: retryHeader(headers) ?? (passingStatus.has(status) || status >= 500),
  };
}

/** An `error` event in the middle of a stream. */
export function failureOfEvent(event: JsonObject, requestId: string | undefined): ModelFailure {
  const error = asObject(event.error);
  const kind = asString(error?.type) ?? 'api_error';
  return {
    ...streamFailure(kind, shortMessage(asString(error?.message) ?? 'the stream ended in an error'), requestId),
    isRetryable: passingTypes.has(kind),
  };
}

/** A broken stream, which is always worth a retry. */
export function streamFailure(kind: string, message: string, requestId: string | undefined): ModelFailure {
  return { status: undefined, kind, message, requestId, retryAfterMs: undefined, isRetryable: true };
}

/** The request got no response, or the connection broke. */
export function connectionFailure(error: unknown, host: string, requestId: string | undefined): ModelFailure {
  return streamFailure('connection_error', `${host} cannot be reached (${reasonOf(error)})`, requestId);
}

/** Without credentials a retry is useless. */
export function credentialFailure(
  kind: 'authentication_error' | 'cloud_credential_error',
  message: string,
): ModelFailure {
  return { ...streamFailure(kind, message, undefined), isRetryable: false };
}

/** The conversation exceeds the context window: only a shorter one helps. */
export function isPromptTooLong(failure: ModelFailure): boolean {
  if (failure.status === 413 || failure.kind === 'request_too_large') return true;
  return failure.status === 400 && /prompt is too long|exceed.{0,40}context|context.{0,20}limit/i.test(failure.message);
}

const thinkingRefusals = [
  /bound to a different conversation/,
  /Invalid `signature` in `thinking` block/,
  /thinking.{0,40}blocks.{0,80}cannot be modified/,
  /Invalid `data` in `redacted_thinking` block/,
];

/** The API rejects the thinking of the request and may accept it without. Some gateways return this error as a 429. */
export function isThinkingRefused({ status, message }: ModelFailure): boolean {
  return (status === 400 || status === 429) && thinkingRefusals.some((text) => text.test(message));
}

/** The innermost cause has the error code. */
export function reasonOf(error: unknown): string {
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error && inner.cause !== undefined; depth++) inner = inner.cause;
  const code = systemErrorCode(inner) ?? (isObject(inner) ? asString(inner.code) : undefined);
  return code ?? shortMessage(inner instanceof Error ? inner.message : String(inner));
}

function retryHeader(headers: { get(name: string): string | null } | undefined): boolean | undefined {
  const said = headers?.get('x-should-retry');
  return said === 'true' ? true : said === 'false' ? false : undefined;
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfterMs(headers: { get(name: string): string | null } | undefined, now: Date): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const text = headers?.get('retry-after')?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number.parseFloat(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}

function shortMessage(message: string): string {
  return message.replace(/\s+/g, ' ').slice(0, longestMessage);
}
