// The steps of a scripted model: answer, refuse, hang, or break off. Plain data, so that a test reads as a list of
// events.
import type { JsonObject, JsonValue } from '../../base/json/index.ts';

/** A request that the server received. */
export interface ServedRequest {
  /** From 0, over all requests. */
  readonly index: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `undefined` if it was not JSON, or was dropped. */
  readonly body: JsonValue | undefined;
  readonly bodyBytes: number;
}

const maxRequests = 10_000;
const maxBodyBytes = 64 * 1024 * 1024;

export class RequestLog {
  readonly #requests: ServedRequest[] = [];
  readonly #maxBodyBytes: number;
  #count = 0;
  #bodyBytes = 0;
  /** The first request whose body is kept. */
  #kept = 0;

  constructor(bodyBytes: number = maxBodyBytes) {
    this.#maxBodyBytes = bodyBytes;
  }

  get requests(): readonly ServedRequest[] {
    return this.#requests;
  }

  add(request: Omit<ServedRequest, 'index'>): ServedRequest {
    const added = { index: this.#count++, ...request };
    this.#requests.push(added);
    this.#bodyBytes += added.bodyBytes;
    while (this.#bodyBytes > this.#maxBodyBytes && this.#kept < this.#requests.length - 1) this.#letGo();
    if (this.#requests.length > maxRequests) {
      if (this.#kept === 0) this.#letGo();
      this.#requests.shift();
      this.#kept--;
    }
    return added;
  }

  #letGo(): void {
    const oldest = this.#requests[this.#kept];
    if (oldest === undefined) return;
    this.#requests[this.#kept++] = { ...oldest, body: undefined };
    this.#bodyBytes -= oldest.bodyBytes;
  }
}

/**
 * A content block of a scripted reply, as the API returns it. A tool call without an `id` gets one. Thinking
 * without a `signature` gets one that binds it to the request, as the API does (see `account`).
 */
export interface ReplyBlock extends JsonObject {
  readonly type: string;
}

/** A reply of the scripted server. */
export interface ScriptedReply extends StreamFault {
  readonly blocks: readonly ReplyBlock[];
  /** Default: `tool_use` if a block is a call, else `end_turn`. */
  readonly stopReason?: string;
  /** Overrides the estimated counts. */
  readonly usage?: JsonObject;
  /** Default: a new id. */
  readonly id?: string;
  /** Default: the model of the request. */
  readonly model?: string;
  /** The report about thinking of the request. Default: what the server found. */
  readonly inputTransformations?: readonly JsonObject[];
  /** The pause before the first byte. */
  readonly delayMs?: number;
  /** The pause before each block but the first; a list has one for each. */
  readonly betweenBlocksMs?: number | readonly number[];
}

/**
 * Where a scripted reply breaks off. Events are counted from `message_start`; in a reply that is not streamed, a
 * fault at an event comes before the body.
 */
export interface StreamFault {
  /** Closes the connection after this many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** Closes the connection after this many events. */
  readonly cutAfterEvents?: number;
  /** Sends nothing after this many events and keeps the connection open. */
  readonly hangAfterEvents?: number;
  /** Sends an event with invalid JSON after this many events; the others follow. */
  readonly malformedAfterEvents?: number;
  /** Sends an `error` event after this many events and ends the stream. */
  readonly errorAfterEvents?: number;
  /** The error of that event. Default: `overloaded_error`. */
  readonly error?: ApiError;
}

/** The type and the message of an API error. */
export interface ApiError {
  readonly type: string;
  readonly message: string;
}

/** An error that the scripted server returns. */
export interface ScriptedError extends ApiError {
  readonly status: number;
  /** Such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

/** A request that the scripted server never answers. */
export interface ScriptedHang {
  readonly hang: true;
}

/** One step of a script: a reply, an error, or no answer. */
export type ScriptStep = ScriptedReply | ScriptedError | ScriptedHang;

/** One step for each request for a message, in order, or a function that chooses a step by the request. */
export type Script = readonly ScriptStep[] | ((request: ServedRequest) => ScriptStep | Promise<ScriptStep>);

export function invalidRequest(message: string): ScriptedError {
  return { status: 400, type: 'invalid_request_error', message };
}

/** The step for the request with this number, from 0. */
export async function chooseStep(script: Script, request: ServedRequest, number: number): Promise<ScriptStep> {
  if (typeof script === 'function') return script(request);
  // 400, because clients retry after a 5xx.
  return script[number] ?? invalidRequest(`the script has ${script.length} steps, but this is request ${number + 1}`);
}
