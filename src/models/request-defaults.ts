// What a request asks of a model unless the user says otherwise: the length of the answer, thinking and effort. The
// values and the rules are those of Claude Code, recorded for every model (test/agent/requests).
import { modelRowOf } from './facts.ts';
import type { Effort } from './model-row.ts';

export const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

export function isEffort(value: unknown): value is Effort {
  return (efforts as readonly unknown[]).includes(value);
}

const longestOutputTokens = 128_000;
const unknownModelOutputTokens = 32_000;

/** `max_tokens`: what the user wants, up to the limit of the model, or Claude Code's value for the model. */
export function requestOutputTokens(model: string, wanted?: number): number {
  const row = modelRowOf(model);
  if (wanted !== undefined) return Math.min(wanted, row?.maxOutputTokens ?? longestOutputTokens);
  return row?.outputTokensInClaudeCode ?? unknownModelOutputTokens;
}

/** The field `thinking` of a request. */
export type Thinking =
  | { readonly type: 'adaptive'; readonly display: ThinkingDisplay }
  | { readonly type: 'enabled'; readonly budget_tokens: number; readonly display: ThinkingDisplay }
  | { readonly type: 'disabled' };

/** Whether the API returns a summary of the thinking or only its signature. */
export type ThinkingDisplay = 'omitted' | 'summarized';

/** What the user says about thinking. */
export interface ThinkingWish {
  /** `off` disables it where the model allows; `unset` leaves the field out, so that the API decides. */
  readonly kind: 'default' | 'off' | 'unset';
  /** For models whose thinking has a budget; others choose the amount themselves. */
  readonly budgetTokens?: number;
  readonly display: ThinkingDisplay;
  /** A budget on models that support both. */
  readonly isBudgetPreferred?: boolean;
}

const smallestBudgetTokens = 1024;

/** `undefined`: the request has no such field. */
export function requestThinking(model: string, maxTokens: number, wish: ThinkingWish): Thinking | undefined {
  const row = modelRowOf(model);
  const types = row?.thinking.types ?? ['adaptive'];
  const canBeDisabled = types.includes('disabled') && row?.thinking.inClaudeCode !== 'always';
  if (wish.kind === 'unset' || types.length === 0 || row?.thinking.inClaudeCode === 'never') return undefined;
  if (wish.kind === 'off' && row === undefined) return undefined;
  if (wish.kind === 'off' && canBeDisabled) return { type: 'disabled' };
  const { display } = wish;
  const hasBudget = types.includes('enabled') && (!types.includes('adaptive') || wish.isBudgetPreferred === true);
  if (!hasBudget) return { type: 'adaptive', display };
  const budget = Math.min(Math.max(wish.budgetTokens ?? maxTokens, smallestBudgetTokens), maxTokens - 1);
  return budget < smallestBudgetTokens ? undefined : { type: 'enabled', budget_tokens: budget, display };
}

/** What the user says about effort, in order of precedence. */
export interface EffortWish {
  /** `CLAUDE_CODE_EFFORT_LEVEL`; `unset` leaves the field out, so that the API decides. */
  readonly variable?: Effort | 'unset';
  /** Chosen for this run. */
  readonly chosen?: Effort;
  /** From the settings: for one model, and for all models that have no effort of their own. */
  readonly ofModel?: (name: string) => Effort | undefined;
  readonly setting?: Effort;
  readonly limits?: readonly Effort[];
}

/** The effort of a request; `undefined`: the request does not say. */
export function requestEffort(model: string, wish: EffortWish, thinking: Thinking | undefined): Effort | undefined {
  const row = modelRowOf(model);
  const levels = row?.effortLevels ?? efforts;
  if (levels.length === 0 || wish.variable === 'unset') return undefined;
  const setting = row === undefined || row.hasOwnEffortSetting === true ? undefined : wish.setting;
  const wanted =
    wish.variable ?? wish.chosen ?? wish.ofModel?.(row?.id ?? model) ?? setting ?? row?.effortInClaudeCode ?? 'high';
  const withoutThinking = thinking?.type === 'disabled' ? row?.thinking.disabledUpToEffort : undefined;
  return supported(lowest([wanted, ...(wish.limits ?? []), withoutThinking]), levels);
}

function lowest(wanted: readonly (Effort | undefined)[]): Effort {
  const ranks = wanted.flatMap((effort) => (effort === undefined ? [] : efforts.indexOf(effort)));
  return efforts[Math.min(...ranks)] ?? 'high';
}

/** Claude Code replaces a level that a model does not have by `high`, which all of them have. */
function supported(effort: Effort, levels: readonly Effort[]): Effort {
  return levels.includes(effort) ? effort : 'high';
}

/** Whether a message of the conversation can change the effort; else the field of the request does. */
export function takesEffortPerMessage(model: string): boolean {
  return modelRowOf(model)?.effortPerMessage === true;
}
