// The `usage` of an assistant line → the numbers Clew counts. Where the split of cache writes is missing, all of
// them are 5-minute writes (the only kind before the split existed).
import { asObject, isObject, type JsonValue } from '../base/json.ts';

/** The tokens of one API message. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly webSearches: number;
  readonly fast: boolean;
}

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  fast: false,
};

/** The numbers as they stand in a line; a part of the split is `undefined` where the line has none. */
export interface RawUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  split5mTokens: number | undefined;
  split1hTokens: number | undefined;
  webSearches: number;
  fast: boolean;
}

export function makeUsage(raw: RawUsage): Usage {
  const written1h = raw.split1hTokens ?? 0;
  const written5m = raw.split5mTokens ?? Math.max(0, raw.cacheWriteTokens - written1h);
  return {
    inputTokens: raw.inputTokens,
    outputTokens: raw.outputTokens,
    cacheReadTokens: raw.cacheReadTokens,
    // The flat field is the sum of the two; some gateways send zeros in the split and the truth in the flat field.
    cacheWrite5mTokens: written5m === 0 && written1h === 0 ? raw.cacheWriteTokens : written5m,
    cacheWrite1hTokens: written1h,
    webSearches: raw.webSearches,
    fast: raw.fast,
  };
}

/** The usage of a parsed message. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const split = asObject(value.cache_creation);
  return makeUsage({
    inputTokens: tokenCount(value.input_tokens),
    outputTokens: tokenCount(value.output_tokens),
    cacheReadTokens: tokenCount(value.cache_read_input_tokens),
    cacheWriteTokens: tokenCount(value.cache_creation_input_tokens),
    split5mTokens: splitCount(split?.ephemeral_5m_input_tokens),
    split1hTokens: splitCount(split?.ephemeral_1h_input_tokens),
    webSearches: tokenCount(asObject(value.server_tool_use)?.web_search_requests),
    fast: value.speed === 'fast',
  });
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWrite5mTokens: a.cacheWrite5mTokens + b.cacheWrite5mTokens,
    cacheWrite1hTokens: a.cacheWrite1hTokens + b.cacheWrite1hTokens,
    webSearches: a.webSearches + b.webSearches,
    fast: a.fast || b.fast,
  };
}

/** What an answer and all that was sent for it take of the model's window. */
export function windowTokensOf(usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = usage;
  return inputTokens + outputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
}

/** What is not a positive number counts as nothing. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

function splitCount(value: unknown): number | undefined {
  return value === undefined ? undefined : tokenCount(value);
}
