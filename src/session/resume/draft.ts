// Lines → drafts: each line as the piece of a request that it becomes, before filtering and merging.
// (RESUME rules 34, 38, 64–66.)
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { blocksOf } from '../../format/block.ts';
import type { Node } from '../node.ts';
import { knownTools, syntheticModel, texts } from './client.ts';

/** A content block as a resume sends it: as it was stored, unknown types and keys included. */
export type WireBlock = JsonObject;

/** A message as a resume sends it. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}

export interface Draft {
  readonly role: 'user' | 'assistant';
  /** `message`: a user or assistant line. `attachment`, `local-command`: notes. `made`: put in by the client. */
  readonly source: 'message' | 'attachment' | 'local-command' | 'made';
  readonly content: readonly WireBlock[];
  /** One line whose content is a bare string: sent as it is, even when blank. */
  readonly isBareString: boolean;
  /** What lines of one message have in common: message.id, else requestId. */
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** A synthetic API error: present for the rules that look at the end, gone when lines are merged. */
  readonly isApiError: boolean;
  readonly isMeta: boolean;
  /** An attachment that models of the newer kind receive as a system message. */
  readonly isSystemRole: boolean;
  /** The lines it comes from: one, or after merging all of a message; none where the client puts it in. */
  readonly lines: readonly Node[];
}

export function textBlock(text: string): WireBlock {
  return { type: 'text', text };
}

export function madeDraft(role: 'user' | 'assistant', content: readonly WireBlock[]): Draft {
  return {
    role,
    source: 'made',
    content,
    isBareString: false,
    id: undefined,
    model: undefined,
    isApiError: false,
    isMeta: false,
    isSystemRole: false,
    lines: [],
  };
}

export function draftLines(nodes: readonly Node[], read: (node: Node) => JsonObject): Draft[] {
  const drafts: Draft[] = [];
  for (const node of nodes) {
    const draft = draftLine(node, read(node));
    if (draft !== undefined) drafts.push({ ...draft, lines: [node] });
  }
  return drafts;
}

function draftLine(node: Node, entry: JsonObject): Draft | undefined {
  switch (node.type) {
    case 'assistant':
      return assistantDraft(entry);
    case 'user':
      return userDraft(entry);
    case 'attachment':
      return {
        ...madeDraft('user', renderedBlocks(entry.rendered)),
        source: 'attachment',
        isSystemRole: entry.renderedRole === 'system',
      };
    case 'system':
      if (node.subtype !== 'local_command') return undefined;
      return { ...madeDraft('user', [textBlock(asString(entry.content) || texts.noContent)]), source: 'local-command' };
    default:
      return undefined;
  }
}

function assistantDraft(entry: JsonObject): Draft {
  const message = asObject(entry.message) ?? {};
  const model = asString(message.model);
  return {
    ...madeDraft('assistant', wireBlocks(message.content)),
    source: 'message',
    id: asString(message.id) || asString(entry.requestId) || undefined,
    model,
    isApiError: Boolean(entry.isApiErrorMessage) && model === syntheticModel,
  };
}

function userDraft(entry: JsonObject): Draft {
  const stored = asObject(entry.message)?.content;
  return {
    ...madeDraft('user', userBlocks(entry, stored)),
    source: 'message',
    isBareString: typeof stored === 'string',
    isMeta: Boolean(entry.isMeta),
  };
}

function userBlocks(entry: JsonObject, stored: JsonValue | undefined): readonly WireBlock[] {
  if (asObject(entry.origin)?.kind === 'task-notification') {
    const text = wireBlocks(stored).map((block) => asString(block.text) ?? '');
    return [textBlock(`<system-reminder>\n${text.join('\n')}\n</system-reminder>`)];
  }
  const blocks = wireBlocks(stored).map(withKnownReferences);
  return blocks.some(holdsReference) ? [...blocks, textBlock(texts.toolLoaded)] : blocks;
}

/** Blocks are JSON objects, whatever they say of themselves. */
function wireBlocks(content: JsonValue | undefined): readonly WireBlock[] {
  return blocksOf(content) as readonly WireBlock[];
}

function renderedBlocks(rendered: JsonValue | undefined): readonly WireBlock[] {
  if (!isArray(rendered)) return [];
  return rendered.flatMap((item) => wireBlocks(asObject(item)?.content));
}

function isReference(value: JsonValue): boolean {
  return isObject(value) && value.type === 'tool_reference';
}

function holdsReference(block: WireBlock): boolean {
  return block.type === 'tool_result' && isArray(block.content) && block.content.some(isReference);
}

/** Rule 64: references to tools the client does not have are taken out of a result. */
function withKnownReferences(block: WireBlock): WireBlock {
  if (!holdsReference(block) || !isArray(block.content)) return block;
  const content = block.content.filter(
    (item) => !isReference(item) || knownTools.has(asString(asObject(item)?.tool_name) ?? ''),
  );
  return { ...block, content: content.length > 0 ? content : [textBlock(texts.referencesRemoved)] };
}
