// Drafts → the drafts for the model of the request, with its tools and the thinking it receives.
// (RESUME rules 41–45, 64, 65, BINDING 9.1 and 9.3.)

import { asObject, asString, isArray, isObject, type JsonValue } from '../../../base/json/index.ts';
import { isOffered, takesSystemRole } from '../../../models/index.ts';
import {
  type ClientRules,
  canonicalModel,
  currentRules,
  knowsTool,
  saysToolLoaded,
  syntheticModel,
  texts,
} from '../client/index.ts';
import { type Draft, textBlock, type WireBlock } from './draft.ts';
import { isThinking } from './filter.ts';

export function requestModel(drafts: readonly Draft[], { models }: ClientRules = currentRules): string {
  const last = drafts.findLast((draft) => draft.role === 'assistant' && draft.model && draft.model !== syntheticModel);
  const model = last?.model;
  const name = canonicalModel(model) ?? '';
  return isOffered(name) && !models.missing.some((each) => name.includes(each)) ? name : models.defaultModel;
}

/**
 * The destination of the client's requests: api.anthropic.com or another address. To the API it also sends the thinking
 * of other models, and the API drops what the model may not read (BINDING 9.1).
 */
export type ClientHost = 'anthropic' | 'gateway';

function forModel(
  drafts: readonly Draft[],
  model: string,
  host: ClientHost,
  rules: ClientRules = currentRules,
): Draft[] {
  const isReminded = takesSystemRole(model) && rules.has('usesSystemRole');
  return drafts.map((draft) => {
    if (draft.source === 'attachment' && draft.isSystemRole && isReminded) return { ...draft, content: [] };
    if (!rules.has('dropsOtherThinking')) return draft;
    if (draft.source !== 'message' || draft.role !== 'assistant' || isSentThinking(draft, model, host)) return draft;
    return { ...draft, content: draft.content.filter((block) => !isSignedThinking(block)) };
  });
}

function isSentThinking(draft: Draft, model: string, host: ClientHost): boolean {
  if (host === 'anthropic') return Boolean(draft.model);
  return draft.model === syntheticModel || canonicalModel(draft.model) === model;
}

/** Rule 42: thinking without a signature is never dropped for its model. */
function isSignedThinking(block: WireBlock): boolean {
  return isThinking(block) && Boolean(block.signature || block.data);
}

function withKnownReferences(
  drafts: readonly Draft[],
  model: string,
  host: ClientHost = 'anthropic',
  rules: ClientRules = currentRules,
): Draft[] {
  const isSearched = host === 'anthropic' || rules.has('searchesTools');
  return drafts.map((draft) => {
    if (draft.role !== 'user' || !draft.content.some(holdsReference)) return draft;
    const content = draft.content.map((block) => (isSearched ? keepKnown(block, model) : withoutReferences(block)));
    // Rule 65: a result line that loads a tool says so at its end.
    const isLoaded = content.some(holdsReference) && saysToolLoaded(model);
    return { ...draft, content: isLoaded ? [...content, textBlock(texts.toolLoaded)] : content };
  });
}

/** Without the tool search, no reference is sent. */
function withoutReferences(block: WireBlock): WireBlock {
  if (!holdsReference(block) || !isArray(block.content)) return block;
  const content = block.content.filter((item) => !isReference(item));
  return { ...block, content: content.length > 0 ? content : [textBlock(texts.searchOff)] };
}

/** Rule 64: references to unknown tools are removed from a result. */
function keepKnown(block: WireBlock, model: string): WireBlock {
  if (!holdsReference(block) || !isArray(block.content)) return block;
  const content = block.content.filter(
    (item) => !isReference(item) || knowsTool(asString(asObject(item)?.tool_name) ?? '', model),
  );
  return { ...block, content: content.length > 0 ? content : [textBlock(texts.referencesRemoved)] };
}

function holdsReference(block: WireBlock): boolean {
  return block.type === 'tool_result' && isArray(block.content) && block.content.some(isReference);
}

function isReference(value: JsonValue): boolean {
  return isObject(value) && value.type === 'tool_reference';
}

export function forRequest(
  drafts: readonly Draft[],
  model: string,
  host: ClientHost,
  rules: ClientRules = currentRules,
): Draft[] {
  const referring = withKnownReferences(drafts, model, host, rules);
  return forModel(rules.has('honoursThinkingMark') ? withoutStripped(referring) : referring, model, host, rules);
}

/**
 * After the API refused a thinking block, the client continues without thinking and writes a mark: no thinking before the
 * last mark on the chain is sent again, regardless of the scope in the mark.
 */
function withoutStripped(drafts: readonly Draft[]): readonly Draft[] {
  const mark = drafts.findLastIndex((draft) => draft.lines.some(isStrippedMark));
  if (mark < 0) return drafts;
  return drafts.map((draft, i) => {
    if (i > mark || draft.role !== 'assistant' || !draft.content.some(isThinking)) return draft;
    return { ...draft, content: draft.content.filter((block) => !isThinking(block)) };
  });
}

function isStrippedMark({ type, subtype, uuid }: Draft['lines'][number]): boolean {
  return type === 'attachment' && subtype === 'thinking_stripped' && uuid !== undefined;
}
