// What the user wants of thinking, effort and the length of answers: from the options of the run, variables and
// settings, in the order in which Claude Code uses them.
import { asObject, type JsonObject } from '../../base/json/index.ts';
import {
  type Effort,
  type EffortWish,
  isEffort,
  isOn,
  plainModelName,
  requestEffort,
  requestOutputTokens,
  requestThinking,
  type Thinking,
  type ThinkingWish,
  withoutModelDate,
} from '../../models/index.ts';
import type { AgentOptions } from '../contract/index.ts';

/** What the user wants of every request. */
export interface RequestWish {
  readonly thinking: ThinkingWish;
  readonly effort: EffortWish;
  readonly outputTokens?: number;
}

/** The fields of a request that follow from the wish and the model. */
export interface WishedFields {
  readonly maxTokens: number;
  readonly thinking?: Thinking;
  readonly effort?: Effort;
}

export function wishedFields(model: string, wish: RequestWish): WishedFields {
  const maxTokens = requestOutputTokens(model, wish.outputTokens);
  const thinking = requestThinking(model, maxTokens, wish.thinking);
  const effort = requestEffort(model, wish.effort, thinking);
  return { maxTokens, ...(thinking === undefined ? {} : { thinking }), ...(effort === undefined ? {} : { effort }) };
}

type WishOptions = Pick<AgentOptions, 'effort' | 'thinking' | 'isInteractive'>;

/** `settings`: the used part of every source, the one with the highest precedence first. */
export function readRequestWish(
  options: WishOptions,
  env: NodeJS.ProcessEnv,
  settings: readonly JsonObject[],
): RequestWish {
  const outputTokens = positive(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS);
  return {
    thinking: readThinking(options, env, settings),
    effort: readEffort(options, env, settings),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

function readThinking(
  { thinking, isInteractive }: WishOptions,
  env: NodeJS.ProcessEnv,
  settings: readonly JsonObject[],
): ThinkingWish {
  const showsSummaries = isInteractive && firstOf(settings, ({ showThinkingSummaries: value }) => value) === true;
  const rest = {
    display: thinking?.display ?? (showsSummaries ? ('summarized' as const) : ('omitted' as const)),
    isBudgetPreferred: isOn(env.CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING),
  };
  if (isOn(env.CLAUDE_CODE_DISABLE_THINKING)) return { kind: 'unset', ...rest };
  if (thinking?.kind === 'off') return { kind: 'off', ...rest };
  if (thinking?.budgetTokens !== undefined) return { kind: 'default', budgetTokens: thinking.budgetTokens, ...rest };
  if (thinking?.kind === 'on') return { kind: 'default', ...rest };
  const { MAX_THINKING_TOKENS: variable } = env;
  if (variable !== undefined && variable.trim() !== '') {
    const tokens = positive(variable);
    return tokens === undefined ? { kind: 'off', ...rest } : { kind: 'default', budgetTokens: tokens, ...rest };
  }
  const isOff = firstOf(settings, ({ alwaysThinkingEnabled: value }) => value) === false;
  return { kind: isOff ? 'off' : 'default', ...rest };
}

function readEffort({ effort }: WishOptions, env: NodeJS.ProcessEnv, settings: readonly JsonObject[]): EffortWish {
  const variable = variableEffort(env.CLAUDE_CODE_EFFORT_LEVEL);
  const setting = firstOf(settings, ({ effortLevel: value }) => savedEffort(value));
  const limits = settings.flatMap(({ maxEffortLevel: value }) => (isEffort(value) ? [value] : []));
  return {
    ...(variable === undefined ? {} : { variable }),
    ...(effort === undefined ? {} : { chosen: effort }),
    ...(setting === undefined ? {} : { setting }),
    ...(limits.length === 0 ? {} : { limits }),
    ofModel: (model) => firstOf(settings, (values) => savedEffort(modelSettings(values, model)?.effortLevel)),
  };
}

/** The key of a model is its name without the date. */
function modelSettings({ modelSettings: all }: JsonObject, model: string): JsonObject | undefined {
  const name = withoutModelDate(plainModelName(model));
  const found = Object.entries(asObject(all) ?? {}).find(([key]) => withoutModelDate(plainModelName(key)) === name);
  return asObject(found?.[1]);
}

function variableEffort(value: string | undefined): Effort | 'unset' | undefined {
  const text = value?.trim().toLowerCase();
  return text === 'auto' || text === 'unset' ? 'unset' : isEffort(text) ? text : undefined;
}

/** `max` is for one run only; settings cannot keep it. */
function savedEffort(value: unknown): Effort | undefined {
  return isEffort(value) && value !== 'max' ? value : undefined;
}

function firstOf<T>(settings: readonly JsonObject[], read: (values: JsonObject) => T | undefined): T | undefined {
  return settings.map(read).find((value) => value !== undefined);
}

function positive(text: string | undefined): number | undefined {
  const tokens = Number(text?.trim() || Number.NaN);
  return Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}
