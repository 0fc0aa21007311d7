// The `usage` of an assistant line → the numbers Clew counts. Where the split of cache writes is missing, all of
// them are 5-minute writes (the only kind before the split existed).
import { isObject, type JsonValue } from '../base/json.ts';

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

export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const split = isObject(value.cache_creation) ? value.cache_creation : {};
  const written = count(value.cache_creation_input_tokens);
  const written1h = count(split.ephemeral_1h_input_tokens);
  const written5m = 'ephemeral_5m_input_tokens' in split ? count(split.ephemeral_5m_input_tokens) : written - written1h;
  const server = isObject(value.server_tool_use) ? value.server_tool_use : {};
  return {
    inputTokens: count(value.input_tokens),
    outputTokens: count(value.output_tokens),
    cacheReadTokens: count(value.cache_read_input_tokens),
    // The flat field is the sum of the two; some gateways send zeros in the split and the truth in the flat field.
    cacheWrite5mTokens: written5m === 0 && written1h === 0 ? written : Math.max(0, written5m),
    cacheWrite1hTokens: written1h,
    webSearches: count(server.web_search_requests),
    fast: value.speed === 'fast',
  };
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

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}
