// What the API checks about the thinking of a model when a request sends it back. Newer models bind a thinking block to
// everything before it; older ones accept it after any text.

import { modelFactsOf, modelRowOf } from '../../models/facts.ts';
import { plainModelName } from '../../models/model-name.ts';

/** The beta of the report and of the setting for mismatched thinking. */
export const bindingBeta = 'thinking-binding-controls-2026-08-01';

/** Unknown models from this version on count as models that check. */
const firstBinding = [5, 1] as const;

/** Whether the API refuses thinking of this model if the text before it has changed. */
export function isBinding(model: string | undefined): boolean {
  const row = modelRowOf(model ?? '');
  if (row !== undefined) return row.prefixCheck !== 'none';
  const version = /^claude-(?:[a-z]+-)*(\d+)(?:-(\d{1,2}))?(?!\d)/.exec(plainModelName(model ?? ''));
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major > firstBinding[0] || (major === firstBinding[0] && minor >= firstBinding[1]);
}

/** Whether the API requires the last answer of an open round of tool calls to begin with thinking. */
export function hasThinkingBudget(model: string | undefined): boolean {
  return modelFactsOf(model ?? '')?.thinking === 'budget';
}
