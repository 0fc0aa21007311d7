// A model's name → what Clew knows about it: published facts, which age. A model that is not in the table has no facts,
// and a rule that needs one does not judge it.
import { asksForLongContext, plainModelName, withoutModelDate } from './model-name.ts';
import type { ModelRow } from './model-row.ts';
import { modelTable } from './model-rows.ts';

/** What Clew knows about a model. */
export interface ModelFacts {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Whether a request may end in an assistant message. */
  readonly takesPrefill: boolean;
  /** Whether the API may hand thinking out with a signature and no text (`display: "omitted"`). */
  readonly omitsThinking: boolean;
  readonly maxImages: number;
  /** How a request asks for thinking: not at all, with a budget, or leaving the amount to the model. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** Without being asked: `always` cannot be turned off. */
  readonly thinkingDefault: 'always' | 'on' | 'off' | 'none';
}

/** The day on which the table was last compared with the documentation. */
export const modelFactsVersion: string = modelTable.version;

const long = 1_000_000;

/** 100 images for models whose context is 200k tokens, 600 for all others. */
const shortContextTokens = 200_000;
const shortContextImages = 100;
export const otherMaxImages = 600;

const rowsByName = new Map<string, ModelRow>();
// Of several dates of one model the newest has the name without a date.
for (const row of modelTable.models.toReversed()) {
  for (const name of [row.id, ...row.aliases]) {
    rowsByName.set(withoutModelDate(plainModelName(name)), row);
  }
}
for (const row of modelTable.models) rowsByName.set(row.id, row);

/** The row of a model under any of its names. */
export function modelRowOf(model: string): ModelRow | undefined {
  const name = plainModelName(model);
  return rowsByName.get(name) ?? rowsByName.get(withoutModelDate(name));
}

/** Anthropic's own names, oldest first, without dates. */
export function knownModels(): readonly string[] {
  return [...new Set(modelTable.models.toReversed().map(({ id }) => withoutModelDate(id)))];
}

export function modelFactsOf(model: string): ModelFacts | undefined {
  const row = modelRowOf(model);
  if (row === undefined) return undefined;
  const contextTokens = asksForLongContext(model) ? long : row.contextTokens;
  const { types } = row.thinking;
  return {
    contextTokens,
    maxOutputTokens: row.maxOutputTokens,
    takesPrefill: row.prefill,
    omitsThinking: row.omitsThinking,
    maxImages: contextTokens === shortContextTokens ? shortContextImages : otherMaxImages,
    thinking: types.includes('adaptive') ? 'adaptive' : types.includes('enabled') ? 'budget' : 'none',
    thinkingDefault: row.thinking.default,
  };
}

/** `wanted`, or what an answer of the model may have at most. */
export function outputTokensOf(model: string, wanted: number): number {
  return Math.min(wanted, modelRowOf(model)?.maxOutputTokens ?? wanted);
}

/** `opus`, `sonnet`, `haiku`, `fable`, `default`: the model that Claude Code means by it; any other name stays as it is. */
export function resolveModelAlias(name: string): string {
  const alias = name.trim().toLowerCase();
  const mark = asksForLongContext(alias) ? '[1m]' : '';
  const plain = alias.replace(/\[1m\]$/, '');
  const row = modelTable.models.find(({ clientAliases }) => clientAliases?.includes(plain) === true);
  return row === undefined ? name : `${withoutModelDate(row.id)}${mark}`;
}
