// What a scripted model may do with a request: answer, refuse, keep silent, or break off in the middle. Plain data, so
// that a test reads as the list of what happens.
import type { JsonObject } from '../../base/json.ts';
import type { ServedRequest } from './request-log.ts';

/**
 * A content block of a scripted reply, as the API returns it. A tool call without an `id` gets one. Thinking without a
 * `signature` gets one that binds it to the request, as the API does (see `account`).
 */
export interface ReplyBlock extends JsonObject {
  readonly type: string;
}

/** A reply of the scripted server. */
export interface ScriptedReply extends StreamFault {
  readonly blocks: readonly ReplyBlock[];
  /** Unless said: `tool_use` where a block is a call, else `end_turn`. */
  readonly stopReason?: string;
  /** Over the estimated counts. */
  readonly usage?: JsonObject;
  /** A new one unless said. */
  readonly id?: string;
  /** The model of the request unless said. */
  readonly model?: string;
  /** What the reply says about thinking of the request; what the server found unless said. */
  readonly inputTransformations?: readonly JsonObject[];
  /** Pause before the first byte. */
  readonly delayMs?: number;
  /** Pause before each block but the first; a list has one for each. */
  readonly betweenBlocksMs?: number | readonly number[];
}

/**
 * Where a scripted reply breaks off. Events are counted from `message_start`; in a reply that is not streamed, a fault
 * of events comes before the body.
 */
export interface StreamFault {
  /** The connection is closed after exactly so many bytes of the body. */
  readonly cutAfterBytes?: number;
  /** The connection is closed after so many events. */
  readonly cutAfterEvents?: number;
  /** Nothing more comes after so many events, and the connection stays open. */
  readonly hangAfterEvents?: number;
  /** After so many events comes one whose data is no JSON; the others follow. */
  readonly malformedAfterEvents?: number;
  /** After so many events comes an `error` event, and the stream ends. */
  readonly errorAfterEvents?: number;
  /** What that event says; `overloaded_error` unless said. */
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

/**
 * What the scripted server answers: one step for each request for a message, in order, or a function that chooses a
 * step by the request.
 */
export type Script = readonly ScriptStep[] | ((request: ServedRequest) => ScriptStep | Promise<ScriptStep>);

export function invalidRequest(message: string): ScriptedError {
  return { status: 400, type: 'invalid_request_error', message };
}

/** The step for the request with this number, from 0. */
export async function chooseStep(script: Script, request: ServedRequest, number: number): Promise<ScriptStep> {
  if (typeof script === 'function') return script(request);
  // 400, because clients try again after a 5xx, and the script would not be longer then.
  return script[number] ?? invalidRequest(`the script has ${script.length} steps, and this is request ${number + 1}`);
}
