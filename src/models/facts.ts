// A model's name → published facts about it. An unknown model has no facts, and rules that need them do not apply.
import type { ModelRow } from './model-row.ts';
import { modelTable } from './model-rows.ts';

/** Longer texts are not model names. */
const maxNameChars = 256;

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-sonnet-4-5@20250929`, `anthropic/claude-sonnet-4.5` → Anthropic's own name. */
export function plainModelName(model: string): string {
  if (model.length > maxNameChars || isPlain(model)) return model;
  return model
    .trim()
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, '')
    .replace(/^.*[/:](?=[a-z.-]*claude)/, '')
    .replace(/^(?:[a-z0-9-]+\.)*(?=claude)/, '')
    .replace(/-v\d+(?::\d+)*$/, '')
    .replace(/:.*$/, '')
    .replace(/@(?:latest|default)$|-latest$/, '')
    .replace('@', '-')
    .replace(/(\d)\.(\d)/g, '$1-$2');
}

/** Most names are: the table at every start, and the model of nearly every message. */
function isPlain(model: string): boolean {
  return /^claude[a-z0-9-]*$/.test(model) && !/-(?:latest|v\d+)$/.test(model);
}

export function withoutModelDate(name: string): string {
  return name.replace(/-20\d{6}$/, '');
}

/** Clients append it to ask for a context of a million tokens. */
export function asksForLongContext(model: string): boolean {
  return /\[1m\]$/i.test(model);
}

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

/** The default model of Claude Code. */
export const defaultModel: string = /* @__PURE__ */ resolveModelAlias('default');

// A bundle that does not use them leaves them out.
const offered = /* @__PURE__ */ namesPattern(({ offered: isOffered }) => isOffered, '(?!\\d)', 'i');
const remindedBySystemRole = /* @__PURE__ */ namesPattern(({ systemRole }) => systemRole, '', '');

/** Whether the client still offers the model of a session. */
export function isOffered(model: string): boolean {
  return offered.test(model);
}

/** Models that receive reminders as `role: "system"` messages instead of user texts. */
export function takesSystemRole(model: string): boolean {
  return remindedBySystemRole.test(model);
}

function namesPattern(has: (row: ModelRow) => boolean, end: string, flags: string): RegExp {
  const names = new Set(modelTable.models.filter(has).map(({ id }) => withoutModelDate(id)));
  return new RegExp(`(?:${[...names].join('|')})${end}`, flags);
}

/** The accounts for which the API checks the prefix of this model's thinking; `undefined` for an unknown model. */
export function prefixCheckOf(model: string): ModelRow['prefixCheck'] | undefined {
  return modelRowOf(model)?.prefixCheck;
}

/**
 * Whether `reader` reads thinking that `writer` wrote. The API drops other thinking without an error. `undefined` if it
 * is not documented, or a model is unknown.
 */
export function readsThinkingOf(reader: string, writer: string): boolean | undefined {
  const [own, other] = [modelRowOf(reader), modelRowOf(writer)];
  if (own === undefined || other === undefined) return undefined;
  const { models = [], lines = [], upTo = '', earlier } = own.reads ?? {};
  if (models.includes(other.id)) return true;
  if (lines.includes(other.line) && releasedOf(other) <= upTo) return true;
  return earlier === 'unknown' && releasedOf(other) < releasedOf(own) && !isReadByFew(other) ? undefined : false;
}

/** The oldest models have no release day in the table. */
function releasedOf({ released = '' }: ModelRow): string {
  return released;
}

/** Models with a fixed list of readers. */
function isReadByFew({ prefixCheck }: ModelRow): boolean {
  return prefixCheck !== 'none';
}
