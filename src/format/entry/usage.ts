// The `usage` of an assistant line → the numbers Clew counts. Without a split, all cache writes are 5-minute writes, the
// only kind before the split existed.
import { asObject, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';

/** Tokens by their kind. */
export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
}

/** The tokens of one API message. */
export interface Usage extends TokenCounts {
  readonly webSearches: number;
  readonly fast: boolean;
  /** The model ran in the US only (`inference_geo: "us"`). */
  readonly usOnly: boolean;
  /** The message was part of a batch (`service_tier: "batch"`). */
  readonly batch: boolean;
  /** The tokens of each compaction by the API. The counts above do not include them. */
  readonly compactions: readonly TokenCounts[];
}

const noCompactions: readonly TokenCounts[] = [];

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  fast: false,
  usOnly: false,
  batch: false,
  compactions: noCompactions,
};

/** The numbers in a line; a part of the split is `undefined` if the line has none. */
export interface RawTokens {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  split5mTokens: number | undefined;
  split1hTokens: number | undefined;
}

export interface RawUsage extends RawTokens {
  webSearches: number;
  fast: boolean;
  usOnly: boolean;
  batch: boolean;
  compactions: readonly TokenCounts[];
}

export function makeUsage(raw: RawUsage): Usage {
  const counts = makeCounts(raw);
  // Field by field, because a spread takes as long as the rest of reading a line.
  return {
    inputTokens: counts.inputTokens,
    outputTokens: counts.outputTokens,
    cacheReadTokens: counts.cacheReadTokens,
    cacheWrite5mTokens: counts.cacheWrite5mTokens,
    cacheWrite1hTokens: counts.cacheWrite1hTokens,
    webSearches: raw.webSearches,
    fast: raw.fast,
    usOnly: raw.usOnly,
    batch: raw.batch,
    compactions: raw.compactions,
  };
}

function makeCounts(raw: RawTokens): TokenCounts {
  const written1h = raw.split1hTokens ?? 0;
  const written5m = raw.split5mTokens ?? Math.max(0, raw.cacheWriteTokens - written1h);
  return {
    inputTokens: raw.inputTokens,
    outputTokens: raw.outputTokens,
    cacheReadTokens: raw.cacheReadTokens,
    // The flat field is the sum of both; some gateways send zeros in the split and the true sum in the flat field.
    cacheWrite5mTokens: written5m === 0 && written1h === 0 ? raw.cacheWriteTokens : written5m,
    cacheWrite1hTokens: written1h,
  };
}

/** The usage of a parsed message. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  return makeUsage({
    ...rawTokens(value),
    webSearches: tokenCount(asObject(value.server_tool_use)?.web_search_requests),
    fast: value.speed === 'fast',
    usOnly: value.inference_geo === 'us',
    batch: value.service_tier === 'batch',
    compactions: readCompactions(value.iterations),
  });
}

/** The compactions among the iterations of a response. */
export function readCompactions(iterations: JsonValue | undefined): readonly TokenCounts[] {
  if (!isArray(iterations) || iterations.length === 0) return noCompactions;
  const found = iterations.filter(isObject).filter(({ type }) => type === 'compaction');
  return found.length === 0 ? noCompactions : found.map((each) => makeCounts(rawTokens(each)));
}

function rawTokens(value: JsonObject): RawTokens {
  const split = asObject(value.cache_creation);
  return {
    inputTokens: tokenCount(value.input_tokens),
    outputTokens: tokenCount(value.output_tokens),
    cacheReadTokens: tokenCount(value.cache_read_input_tokens),
    cacheWriteTokens: tokenCount(value.cache_creation_input_tokens),
    split5mTokens: splitCount(split?.ephemeral_5m_input_tokens),
    split1hTokens: splitCount(split?.ephemeral_1h_input_tokens),
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    ...addCounts(a, b),
    webSearches: a.webSearches + b.webSearches,
    fast: a.fast || b.fast,
    usOnly: a.usOnly || b.usOnly,
    batch: a.batch || b.batch,
    compactions: b.compactions.length === 0 ? a.compactions : [...a.compactions, ...b.compactions],
  };
}

function addCounts(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWrite5mTokens: a.cacheWrite5mTokens + b.cacheWrite5mTokens,
    cacheWrite1hTokens: a.cacheWrite1hTokens + b.cacheWrite1hTokens,
  };
}

/** All billed tokens: the message and the compactions before it. */
export function billedTokens(usage: Usage): TokenCounts {
  return usage.compactions.reduce<TokenCounts>(addCounts, usage);
}

/** The sum of all kinds. */
export function sumOfTokens(counts: TokenCounts): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = counts;
  return inputTokens + outputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens;
}

/** The tokens of an answer and its request in the context window. */
export function windowTokensOf(usage: Usage): number {
  return sumOfTokens(usage);
}

/** Anything but a positive number counts as 0. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0;
}

function splitCount(value: unknown): number | undefined {
  return value === undefined ? undefined : tokenCount(value);
}
