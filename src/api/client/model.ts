// The types of a request to a model and of its answer, as the agent sees them: a request without cache marks, an answer
// as events, and one type for all failures.
import type { JsonObject } from '../../base/json/json.ts';

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
  /** Thinking is requested if this is set and the model supports it; newer models choose the amount themselves. */
  readonly thinkingTokens?: number;
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
