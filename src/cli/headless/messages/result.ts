// The `result` message at the end of every turn, and the exit code of a run. Tokens are those of the turn's main
// conversation, costs and tokens by model those of the run, as in the Agent SDK.
import { randomUUID } from 'node:crypto';
import { type AgentState, failureText, isTooLong, type TurnEnded } from '../../../agent/contract/index.ts';
import { exitCodes } from '../../../base/errors/index.ts';
import type { JsonObject } from '../../../base/json/index.ts';
import { noUsage } from '../../../format/entry/index.ts';
import type { TurnAccount } from './turn-account.ts';
import { modelUsageJson, usageJson } from './usage.ts';

export interface ResultFacts {
  /** Absent if the session could not be opened. */
  readonly state: AgentState | undefined;
  /** How many results came before. */
  readonly index: number;
  readonly apiDurationMs: number;
  readonly thinkingByModel: ReadonlyMap<string, number>;
  readonly limits: { readonly maxTurns?: number; readonly maxBudgetUsd?: number };
}

/** Exit codes of signals, as in shells. SIGPIPE: the reader has closed stdout. */
export const signalCodes: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGPIPE: 141, SIGTERM: 143 };

export function turnResult(ended: TurnEnded, account: TurnAccount, facts: ResultFacts): JsonObject {
  const { state } = facts;
  return {
    ...outcomeOf(ended, facts),
    duration_ms: ended.durationMs,
    duration_api_ms: facts.apiDurationMs,
    // As the client: not for an error of the run.
    ...(ended.outcome === 'success' ? account.times() : {}),
    num_turns: turnsOf(ended, account),
    stop_reason: account.stopReason,
    ...terminalReason(ended, account),
    usage: usageJson(account.usage, account.thinkingTokens),
    ...totals(facts),
    // The client lists the tool Agent under its old name.
    permission_denials: [...ended.denials, ...account.agentDenials].map((denial) => ({
      ...denial,
      tool_name: denial.tool_name === 'Agent' ? 'Task' : denial.tool_name,
    })),
    ...(ended.origin === undefined ? {} : { origin: { ...ended.origin, producer: 'session-task' } }),
    queued_turn_count: state?.queued.length ?? 0,
  };
}

/** As the client counts: the prompt and every message with the role "user" after it; at the limit, the limit and one. */
function turnsOf({ outcome, rounds }: TurnEnded, { hasPrompt, userMessages }: TurnAccount): number {
  if (!hasPrompt) return 0;
  return outcome === 'error_max_turns' ? rounds + 1 : userMessages + 1;
}

/** For an error outside of a turn: a session that cannot be opened, a full disk, an invalid input line. */
export function failureResult(message: string, durationMs: number, facts: ResultFacts): JsonObject {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    errors: [message],
    duration_ms: durationMs,
    duration_api_ms: facts.apiDurationMs,
    num_turns: 0,
    stop_reason: null,
    usage: usageJson(noUsage, 0),
    ...totals(facts),
    permission_denials: [],
  };
}

/** For a command that the program itself ran. */
export function localResult(
  text: string,
  command: string | undefined,
  durationMs: number,
  facts: ResultFacts,
): JsonObject {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: text,
    ...(command === undefined ? {} : { local_command: command }),
    duration_ms: durationMs,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    usage: usageJson(noUsage, 0),
    ...totals(facts),
    permission_denials: [],
    queued_turn_count: facts.state?.queued.length ?? 0,
  };
}

export function codeOfTurn(ended: TurnEnded): number {
  return ended.outcome === 'success' || isBlocked(ended) ? exitCodes.ok : exitCodes.failed;
}

/** One line each, for stderr. */
export function errorsOf(ended: TurnEnded): readonly string[] {
  const { outcome, error, rounds } = ended;
  switch (outcome) {
    case 'success':
      return [];
    case 'interrupted':
      return ['the turn was interrupted'];
    case 'error_max_turns':
      return [`the limit of ${rounds} ${rounds === 1 ? 'answer' : 'answers'} is reached (--max-turns)`];
    case 'error_max_structured_output_retries':
      return [error?.message ?? 'no valid structured output'];
    case 'error_max_budget_usd':
      return ['the budget is spent, or an answer had no known price (--max-budget-usd)'];
    case 'error_during_execution':
      // The notice about the hook is on stderr already.
      return isBlocked(ended) ? [] : [error?.message ?? 'the turn failed'];
    default:
      return outcome satisfies never;
  }
}

function outcomeOf(ended: TurnEnded, { limits }: ResultFacts): JsonObject {
  const { outcome, error, text } = ended;
  const failed = (subtype: string, message: string): JsonObject => ({
    type: 'result',
    subtype,
    is_error: true,
    errors: [message],
  });
  const answered = { type: 'result', subtype: 'success' } as const;
  switch (outcome) {
    case 'success':
      return {
        ...answered,
        is_error: false,
        api_error_status: null,
        result: text,
        ...(ended.output === undefined ? {} : { structured_output: ended.output }),
      };
    case 'interrupted':
      return failed('error_during_execution', 'the turn was interrupted');
    case 'error_max_turns':
      return failed(outcome, `Reached maximum number of turns (${limits.maxTurns ?? ended.rounds})`);
    case 'error_max_structured_output_retries':
      return failed(outcome, error?.message ?? 'no valid structured output');
    case 'error_max_budget_usd':
      return failed(outcome, `Reached maximum budget ($${limits.maxBudgetUsd ?? 0})`);
    case 'error_during_execution':
      if (isBlocked(ended)) return { ...answered, is_error: false, result: blockedText(error?.message ?? '') };
      if (error?.kind === 'budget') return failed('error_max_budget_usd', error.message);
      // A failure of the API is an answer with an error text, for every client of this format.
      return {
        ...answered,
        is_error: true,
        api_error_status: error?.status ?? null,
        ...(error?.status === undefined ? {} : { api_error_type: error.kind }),
        result: error === undefined ? 'the turn failed' : failureText(error),
      };
    default:
      return outcome satisfies never;
  }
}

/** A hook refused the prompt, so there was no turn. */
export function isBlocked({ error }: TurnEnded): boolean {
  return error?.kind === 'hook_blocked';
}

export function blockedText(reason: string): string {
  return `UserPromptSubmit operation blocked by hook: ${reason}`;
}

function terminalReason(ended: TurnEnded, { interruptedDuring }: TurnAccount): JsonObject {
  const reason = reasonOf(ended, interruptedDuring);
  return reason === undefined ? {} : { terminal_reason: reason };
}

function reasonOf(ended: TurnEnded, during: TurnAccount['interruptedDuring']): string | undefined {
  const { outcome, error, isStoppedByHook } = ended;
  switch (outcome) {
    case 'success':
      if (isStoppedByHook === undefined) return 'completed';
      return isStoppedByHook === 'at-end' ? 'stop_hook_prevented' : 'hook_stopped';
    case 'interrupted':
      return during === 'tool' ? 'aborted_tools' : 'aborted_streaming';
    case 'error_max_turns':
      return 'max_turns';
    case 'error_max_structured_output_retries':
      return 'structured_output_retry_exhausted';
    case 'error_max_budget_usd':
      return 'budget_exhausted';
    case 'error_during_execution':
      if (isBlocked(ended)) return undefined;
      if (error?.kind === 'budget') return 'budget_exhausted';
      return error !== undefined && isTooLong(error) ? 'prompt_too_long' : 'api_error';
    default:
      return outcome satisfies never;
  }
}

function totals(facts: ResultFacts): JsonObject {
  const { state, thinkingByModel, index } = facts;
  const { costMicros = 0, unpricedTokens = 0 } = state ?? {};
  return {
    total_cost_usd: costMicros / 1_000_000,
    // The cost leaves them out; a reader who needs to know looks here.
    ...(unpricedTokens > 0 ? { unpriced_tokens: unpricedTokens } : {}),
    modelUsage: modelUsageJson(state, thinkingByModel),
    fast_mode_state: 'off',
    result_index: index,
    session_id: state?.sessionId ?? '',
    uuid: randomUUID(),
  };
}
