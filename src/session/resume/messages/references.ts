// Drafts → drafts whose tool references name tools that the client offers to the model of the request.
// (RESUME rules 64, 65, R7.)
import { asObject, asString, isArray, isObject, type JsonValue } from '../../../base/json/json.ts';
import { knowsTool, saysToolLoaded, texts } from '../client/client.ts';
import { type ClientRules, currentRules } from '../client/client-rules.ts';
import { type Draft, textBlock, type WireBlock } from './draft.ts';
import type { ClientHost } from './model.ts';

export function withKnownReferences(
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
