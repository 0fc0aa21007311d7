// A model → what the API checks of its thinking when a request sends it back. The newer models bind a thinking block to
// everything that stood before it; the older ones accept it behind any text.

import { modelFactsOf, modelRowOf } from '../models/facts.ts';
import { plainModelName } from '../models/model-name.ts';

/** The beta of the report and of the setting for thinking that does not fit its conversation. */
export const bindingBeta = 'thinking-binding-controls-2026-08-01';

/** From this version on a model that is not in the table counts as one that checks. */
const firstBinding = [5, 1] as const;

/** Whether the API refuses thinking of this model after other text than the text it was made after. */
export function isBinding(model: string | undefined): boolean {
  const row = modelRowOf(model ?? '');
  if (row !== undefined) return row.prefixCheck !== 'none';
  const version = /^claude-(?:[a-z]+-)*(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(plainModelName(model ?? ''));
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major > firstBinding[0] || (major === firstBinding[0] && minor >= firstBinding[1]);
}

/** Whether the API wants the last answer of an open round of tool calls to begin with thinking. */
export function hasThinkingBudget(model: string | undefined): boolean {
  return modelFactsOf(model ?? '')?.thinking === 'budget';
}
