// A model's name → published facts about it. An unknown model has no facts, and rules that need them do not apply.
import { asksForLongContext, plainModelName, withoutModelDate } from './model-name.ts';
import type { ModelRow } from './model-row.ts';
import { modelTable } from './model-rows.ts';

/** What Clew knows about a model. */
export interface ModelFacts {
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Whether a request may end in an assistant message. */
  readonly takesPrefill: boolean;
  /** Whether the API may return thinking with a signature and no text (`display: "omitted"`). */
  readonly omitsThinking: boolean;
  readonly maxImages: number;
  /** How a request asks for thinking: not at all, with a budget, or with an amount that the model chooses. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** The default; `always` cannot be turned off. */
  readonly thinkingDefault: 'always' | 'on' | 'off' | 'none';
}

/** The day of the last comparison with the documentation. */
export const modelFactsVersion: string = modelTable.version;

const long = 1_000_000;

/** 100 images for models whose context is 200k tokens, 600 for all others. */
const shortContextTokens = 200_000;
const shortContextImages = 100;
export const otherMaxImages = 600;

const rowsByName = new Map<string, ModelRow>();
// The newest date of a model has the name without a date.
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

/** `wanted`, limited to the longest answer of the model. */
export function outputTokensOf(model: string, wanted: number): number {
  return Math.min(wanted, modelRowOf(model)?.maxOutputTokens ?? wanted);
}

/** Resolves `opus`, `sonnet`, `haiku`, `fable`, `default` as Claude Code does; other names are unchanged. */
export function resolveModelAlias(name: string): string {
  const alias = name.trim().toLowerCase();
  const mark = asksForLongContext(alias) ? '[1m]' : '';
  const plain = alias.replace(/\[1m\]$/, '');
  const row = modelTable.models.find(({ clientAliases }) => clientAliases?.includes(plain) === true);
  return row === undefined ? name : `${withoutModelDate(row.id)}${mark}`;
}
