// The `result` message at the end of every headless run, and its exit code.
import { randomUUID } from 'node:crypto';
import type { AgentState, TurnEnded } from '../../agent/contract/index.ts';
import { exitCodes } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { noUsage, type Usage } from '../../format/entry/index.ts';
import { modelFactsOf } from '../../models/index.ts';

export interface ResultFacts {
  /** Absent if the session could not be opened. */
  readonly state: AgentState | undefined;
  readonly stopReason: string | null;
  readonly durationMs: number;
}

/** Exit codes of signals, as in shells. SIGPIPE: the reader has closed stdout. */
export const signalCodes: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 };

export function turnResult(ended: TurnEnded, facts: ResultFacts): JsonObject {
  const errors = errorsOf(ended);
  return {
    ...head(ended.outcome === 'interrupted' ? 'error_during_execution' : ended.outcome, facts),
    is_error: ended.outcome !== 'success',
    duration_ms: ended.durationMs,
    duration_api_ms: ended.apiDurationMs,
    num_turns: ended.rounds,
    result: ended.text,
    stop_reason: facts.stopReason,
    ...tail(facts, ended.denials),
    ...(errors.length === 0 ? {} : { errors }),
  };
}

/** For an error outside of a turn: a session that cannot be opened, a full disk, an invalid input line. */
export function failureResult(message: string, facts: ResultFacts): JsonObject {
  return {
    ...head('error_during_execution', facts),
    is_error: true,
    duration_ms: facts.durationMs,
    duration_api_ms: 0,
    num_turns: 0,
    result: '',
    stop_reason: facts.stopReason,
    ...tail(facts, []),
    errors: [message],
  };
}

export function codeOfTurn({ outcome }: TurnEnded): number {
  return outcome === 'success' ? exitCodes.ok : exitCodes.failed;
}

/** One line each, for stderr. */
export function errorsOf({ outcome, error, rounds }: TurnEnded): readonly string[] {
  switch (outcome) {
    case 'success':
      return [];
    case 'interrupted':
      return ['the turn was interrupted'];
    case 'error_max_turns':
      return [`the limit of ${rounds} ${rounds === 1 ? 'answer' : 'answers'} is reached (--max-turns)`];
    case 'error_max_budget_usd':
      return ['the budget is spent, or an answer had no known price (--max-budget-usd)'];
    case 'error_during_execution':
      return [error?.message ?? 'the turn failed'];
    default:
      return outcome satisfies never;
  }
}

function head(subtype: string, { state }: ResultFacts): JsonObject {
  return { type: 'result', subtype, session_id: state?.sessionId ?? '' };
}

function tail({ state }: ResultFacts, denials: TurnEnded['denials']): JsonObject {
  const models = [...(state?.usageByModel ?? [])];
  return {
    total_cost_usd: totalCost(state),
    ...(state !== undefined && state.unpricedTokens > 0 ? { unpriced_tokens: state.unpricedTokens } : {}),
    usage: usageJson(state?.usage ?? noUsage),
    modelUsage: Object.fromEntries(models.map(([model, usage]) => [model, modelJson(model, usage, state)])),
    permission_denials: denials.map((denial) => ({ ...denial })),
    uuid: randomUUID(),
  };
}

/** `null` if no part has a known price, which is not the same as free. */
function totalCost(state: AgentState | undefined): number | null {
  const { costMicros = 0, unpricedTokens = 0 } = state ?? {};
  return costMicros === 0 && unpricedTokens > 0 ? null : costMicros / 1_000_000;
}

function usageJson(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation_input_tokens: usage.cacheWrite5mTokens + usage.cacheWrite1hTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5mTokens,
      ephemeral_1h_input_tokens: usage.cacheWrite1hTokens,
    },
    server_tool_use: { web_search_requests: usage.webSearches },
  };
}

function modelJson(model: string, usage: Usage, state: AgentState | undefined): JsonObject {
  const micros = state?.costMicrosOf(model);
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadInputTokens: usage.cacheReadTokens,
    cacheCreationInputTokens: usage.cacheWrite5mTokens + usage.cacheWrite1hTokens,
    webSearchRequests: usage.webSearches,
    costUSD: micros === undefined ? null : micros / 1_000_000,
    contextWindow: modelFactsOf(model)?.contextTokens ?? null,
  };
}
