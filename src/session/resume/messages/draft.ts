// Lines → drafts: each line as a part of the request, before filtering and merging.
// (RESUME rules 34, 38, 66, 67, R6, R12, R13.)
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../../base/json/index.ts';
import { blocksOf } from '../../../format/entry/index.ts';
import type { Node } from '../../transcript/index.ts';
import {
  type ClientRules,
  currentRules,
  syntheticModel,
  systemAttachments,
  texts,
  wordedAttachments,
} from '../client/index.ts';

/** A content block as a resume sends it: as it was stored, unknown types and keys included. */
export type WireBlock = JsonObject;

/** A message as a resume sends it. */
export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly WireBlock[];
}

export interface Draft {
  readonly role: 'user' | 'assistant';
  /** `message`: a user or assistant line. `attachment`, `local-command`: notes. `made`: inserted by the client. */
  readonly source: 'message' | 'attachment' | 'local-command' | 'made';
  readonly content: readonly WireBlock[];
  /** One line whose content is a string: such a prompt is sent unchanged, even if blank. */
  readonly isBareString: boolean;
  /** Shared by the lines of one message: message.id, or that they only have a requestId. */
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** A synthetic API error: used by the rules for the end, removed before lines are merged. */
  readonly isApiError: boolean;
  readonly isMeta: boolean;
  /** An attachment that newer models receive as a system message. */
  readonly isSystemRole: boolean;
  /** Its lines: one, or after merging all of a message; none if the client inserts it. */
  readonly lines: readonly Node[];
}

export function textBlock(text: string): WireBlock {
  return { type: 'text', text };
}

const reminderMark: unique symbol = Symbol('own reminder');

/** A placeholder for a reminder whose text is unknown; its place decides where a newline goes. */
export const ownReminder: WireBlock = Object.assign(textBlock(''), { [reminderMark]: true });

export function isOwnReminder(block: WireBlock): boolean {
  return reminderMark in block;
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

export function draftLines(
  nodes: readonly Node[],
  read: (node: Node) => JsonObject,
  rules: ClientRules = currentRules,
): Draft[] {
  const drafts: Draft[] = [];
  const isRetracted = nodes.some((node) => retractsMessages(node, read));
  for (const node of nodes) {
    if (isRetracted && node.type !== 'system') continue;
    for (const draft of draftsOf(node, read(node), rules)) drafts.push({ ...draft, lines: [node] });
  }
  return drafts;
}

/** R12: a refusal on the chain that retracts messages retracts all of them. */
function retractsMessages(node: Node, read: (node: Node) => JsonObject): boolean {
  return retractedBy(node, read).length > 0;
}

/** The messages that a refusal retracts. */
export function retractedBy(node: Node, read: (node: Node) => JsonObject): readonly JsonValue[] {
  if (node.type !== 'system' || node.subtype !== 'model_refusal_fallback') return [];
  const { retractedMessageUuids } = read(node);
  return isArray(retractedMessageUuids) ? retractedMessageUuids : [];
}

function draftsOf(node: Node, entry: JsonObject, rules: ClientRules): readonly Draft[] {
  // By the entry: the portable form reads some attachments as user lines.
  switch (entry.type) {
    case 'assistant':
      return [assistantDraft(entry)];
    case 'user':
      return [userDraft(entry, rules)];
    case 'attachment':
      return attachmentDrafts(entry, rules);
    case 'system':
      return node.subtype === 'local_command' && rules.has('sendsLocalCommands') ? [localCommandDraft(entry)] : [];
    default:
      return [];
  }
}

function localCommandDraft(entry: JsonObject): Draft {
  return { ...madeDraft('user', [textBlock(asString(entry.content) || texts.noContent)]), source: 'local-command' };
}

const withoutId = '(no message id)';

function assistantDraft(entry: JsonObject): Draft {
  const message = asObject(entry.message) ?? {};
  const model = asString(message.model);
  return {
    ...madeDraft('assistant', wireBlocks(message.content)),
    source: 'message',
    isBareString: typeof message.content === 'string',
    // R13: lines without a message id belong together, if they have a request id.
    id: asString(message.id) || (asString(entry.requestId) ? withoutId : undefined),
    model,
    isApiError: Boolean(entry.isApiErrorMessage) && model === syntheticModel,
  };
}

function userDraft(entry: JsonObject, rules: ClientRules): Draft {
  const stored = asObject(entry.message)?.content;
  return {
    ...madeDraft('user', userBlocks(entry, stored, rules)),
    source: 'message',
    isBareString: typeof stored === 'string',
    isMeta: Boolean(entry.isMeta),
  };
}

function userBlocks(entry: JsonObject, stored: JsonValue | undefined, rules: ClientRules): readonly WireBlock[] {
  if (rules.has('wrapsNotifications') && asObject(entry.origin)?.kind === 'task-notification') {
    const text = wireBlocks(stored).map((block) => asString(block.text) ?? '');
    return [textBlock(`<system-reminder>\n${texts.notification}\n\n${text.join('\n')}\n</system-reminder>`)];
  }
  return wireBlocks(stored);
}

/** Blocks without a type are not sent. */
function wireBlocks(content: JsonValue | undefined): readonly WireBlock[] {
  return (blocksOf(content) as readonly WireBlock[]).filter((block) => block.type !== undefined);
}

function typeOf(entry: JsonObject): string {
  return asString(asObject(entry.attachment)?.type) ?? '';
}

/** One draft per stored text, because each may become a separate message. */
function attachmentDrafts(entry: JsonObject, rules: ClientRules): readonly Draft[] {
  const made = (content: readonly WireBlock[], isSystemRole: boolean): Draft => ({
    ...madeDraft('user', content),
    source: 'attachment',
    isSystemRole,
  });
  if (!isArray(entry.rendered) || !rules.has('sendsRendered')) {
    const content = unrenderedBlocks(asObject(entry.attachment) ?? {});
    return [made(content, !content.some((block) => block.type === 'image'))];
  }
  const items = entry.rendered.map((item) => asObject(item) ?? {});
  if (items.length === 0) return [made([], false)];
  // The client wraps text that is not for the user in reminders.
  const isWrapped = items.some((item) => item.isMeta === true);
  const isSystemRole = entry.renderedRole === 'system' || systemAttachments.has(typeOf(entry));
  return items.map((item) => made(isWrapped ? [ownReminder] : wireBlocks(item.content), isSystemRole));
}

/**
 * R6: without a stored text, the client writes a new reminder for some attachments and ignores all others. Images of a
 * file and of a queued prompt are user content.
 */
function unrenderedBlocks(attachment: JsonObject): readonly WireBlock[] {
  const type = asString(attachment.type) ?? '';
  if (!wordedAttachments.has(type)) return [];
  const content = asObject(attachment.content);
  const file = asObject(content?.file);
  if (type === 'file' && content?.type === 'image' && file !== undefined) {
    return [{ type: 'image', source: { type: 'base64', data: file.base64, media_type: file.type } }];
  }
  const images = type === 'queued_command' ? wireBlocks(attachment.prompt).filter(({ type }) => type === 'image') : [];
  return [ownReminder, ...images];
}
