// What the API's rules depend on a model for: facts of published documentation, which age. A model that is not in the
// table has no facts, and a rule that needs one does not judge it.
import { asksForLongContext, plainModelName, withoutModelDate } from './model-name.ts';

/** What Clew knows about a model. */
export interface ModelFacts {
  readonly contextTokens: number;
  /** Whether a request may end in an assistant message. */
  readonly takesPrefill: boolean;
  /** Whether the API may hand thinking out with a signature and no text (`display: "omitted"`). */
  readonly omitsThinking: boolean;
  readonly maxImages: number;
  /** How a request asks for thinking: not at all, with a budget, or leaving the amount to the model. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
}

/** The month in which the table was last compared with the documentation. */
export const modelFactsVersion = '2026-11';

const long = 1_000_000;
const short = 200_000;

/** Name: context in tokens, takes a prefill, may omit thinking. */
const rows: Readonly<Record<string, readonly [number, boolean, boolean]>> = {
  'claude-3-haiku': [short, true, false],
  'claude-3-sonnet': [short, true, false],
  'claude-3-opus': [short, true, false],
  'claude-3-5-haiku': [short, true, false],
  'claude-3-5-sonnet': [short, true, false],
  'claude-3-7-sonnet': [short, true, false],
  'claude-opus-4': [short, true, true],
  'claude-opus-4-0': [short, true, true],
  'claude-sonnet-4': [short, true, true],
  'claude-sonnet-4-0': [short, true, true],
  'claude-opus-4-1': [short, true, true],
  'claude-haiku-4-5': [short, true, true],
  'claude-sonnet-4-5': [short, true, true],
  'claude-opus-4-5': [short, true, true],
  'claude-sonnet-4-6': [long, false, true],
  'claude-opus-4-6': [long, false, true],
  'claude-opus-4-7': [long, false, true],
  'claude-opus-4-8': [long, false, true],
  'claude-opus-5': [long, false, true],
  'claude-opus-5-5': [long, false, true],
  'claude-sonnet-5': [long, false, true],
  'claude-sonnet-5-5': [long, false, true],
  'claude-fable-5': [long, false, true],
  'claude-fable-5-1': [long, false, true],
};

/** 100 images for models whose context is 200k tokens, 600 for all others. */
const shortContextImages = 100;
export const otherMaxImages = 600;

/** Anthropic's own names, oldest first, without dates. */
export function knownModels(): readonly string[] {
  return Object.keys(rows);
}

export function modelFactsOf(model: string): ModelFacts | undefined {
  const name = withoutModelDate(plainModelName(model));
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row === undefined) return undefined;
  const [ownContext, takesPrefill, omitsThinking] = row;
  const contextTokens = asksForLongContext(model) ? long : ownContext;
  return {
    contextTokens,
    takesPrefill,
    omitsThinking,
    maxImages: contextTokens === short ? shortContextImages : otherMaxImages,
    // The models that may end in no prefill are those that took budgets away.
    thinking: takesPrefill ? (/^claude-3-(?!7)/.test(name) ? 'none' : 'budget') : 'adaptive',
  };
}

/** What an answer of a model may take; the first generations take less than what is asked for by default. */
export function outputTokensOf(model: string, wanted: number): number {
  const name = plainModelName(model);
  if (/^claude-3-(?:opus|sonnet|haiku)/.test(name)) return Math.min(wanted, 4096);
  return /^claude-3-5/.test(name) ? Math.min(wanted, 8192) : wanted;
}

/** `opus`, `sonnet`, `haiku`: the newest model of that family in the table; any other name stands for itself. */
export function resolveModelAlias(name: string): string {
  const alias = name.trim().toLowerCase();
  const isLong = asksForLongContext(alias);
  const family = alias.replace(/\[1m\]$/, '');
  if (!/^[a-z]+$/.test(family)) return name;
  const newest = knownModels().findLast((known) => known.startsWith(`claude-${family}-`));
  return newest === undefined ? name : `${newest}${isLong ? '[1m]' : ''}`;
}
