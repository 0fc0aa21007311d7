// Counted tokens → the shapes of the Agent SDK, with every field that its types require.
import type { AgentState } from '../../../agent/contract/index.ts';
import { asObject, type JsonObject } from '../../../base/json/index.ts';
import type { Usage } from '../../../format/entry/index.ts';
import { modelFactsOf, outputTokensOf, plainModelName } from '../../../models/index.ts';

/** Of a `result`. */
export function usageJson(usage: Usage, thinkingTokens: number): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWrite5mTokens + usage.cacheWrite1hTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: thinkingTokens },
    server_tool_use: { web_search_requests: usage.webSearches, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: {
      ephemeral_1h_input_tokens: usage.cacheWrite1hTokens,
      ephemeral_5m_input_tokens: usage.cacheWrite5mTokens,
    },
    inference_geo: '',
    iterations: [],
    speed: 'standard',
    fallback_credit: null,
  };
}

/** Of an answer: what the API reported, and `null` for what it left out. */
export function answerUsage(usage: JsonObject): JsonObject {
  return { ...emptyUsage, ...usage };
}

const emptyUsage: JsonObject = {
  input_tokens: 0,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null,
  cache_creation: null,
  output_tokens: 0,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  inference_geo: null,
  iterations: null,
  speed: null,
  fallback_credit: null,
};

/** Of a message that no model wrote. */
export const syntheticUsage: JsonObject = answerUsage({});

export function thinkingTokensOf(usage: JsonObject): number {
  const tokens = asObject(usage.output_tokens_details)?.thinking_tokens;
  return typeof tokens === 'number' ? tokens : 0;
}

/** By model: everything since the run began. */
export function modelUsageJson(state: AgentState | undefined, thinking: ReadonlyMap<string, number>): JsonObject {
  const models = [...(state?.usageByModel ?? [])];
  return Object.fromEntries(
    models.map(([model, usage]) => [model, oneModel(model, usage, state, thinking.get(model) ?? 0)]),
  );
}

/** If neither the table of models nor the price list knows a model. */
const unknownWindow = 200_000;
const unknownOutput = 32_000;

function oneModel(model: string, usage: Usage, state: AgentState | undefined, thinkingTokens: number): JsonObject {
  const micros = state?.costMicrosOf(model);
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    thinkingTokens,
    cacheReadInputTokens: usage.cacheReadTokens,
    cacheCreationInputTokens: usage.cacheWrite5mTokens + usage.cacheWrite1hTokens,
    cacheCreationEphemeral5mInputTokens: usage.cacheWrite5mTokens,
    cacheCreationEphemeral1hInputTokens: usage.cacheWrite1hTokens,
    webSearchRequests: usage.webSearches,
    costUSD: (micros ?? 0) / 1_000_000,
    contextWindow: modelFactsOf(model)?.contextTokens ?? unknownWindow,
    maxOutputTokens: modelFactsOf(model)?.maxOutputTokens ?? outputTokensOf(model, unknownOutput),
    canonicalModel: plainModelName(model),
    provider: state?.apiProvider ?? 'firstParty',
    costBasis: micros === undefined ? 'unknown' : 'list',
  };
}
