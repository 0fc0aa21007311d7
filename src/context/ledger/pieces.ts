// A line of the conversation → its pieces: what kind of content each is, and about how many tokens it has. A piece is a
// block of a message, or all that an attachment adds.
import { readImageSize, textTokens } from '../../api/request/index.ts';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { kindOfText, type Node } from '../../session/transcript/index.ts';
import type { SliceKind } from '../wire/index.ts';

export interface Piece {
  readonly kind: SliceKind;
  readonly name: string | null;
  /** Before anchoring, for a model before Opus 4.7. */
  readonly tokens: number;
  /** The tools whose definitions are sent from here on. */
  readonly loads?: readonly string[];
}

/** The names of the tools by the ids of their calls. */
export type ToolNames = ReadonlyMap<string, string>;

/** Nothing of the line is sent. */
const silent: readonly Piece[] = [{ kind: 'silent', name: null, tokens: 0 }];

export function piecesOf(node: Node, entry: JsonObject, tools: ToolNames): readonly Piece[] {
  const found = sentPieces(node, entry, tools);
  return found.length === 0 ? silent : found;
}

/** About how many tokens a line adds to a request, for a model before Opus 4.7; the thinking of earlier turns included. */
export function lineTokens(node: Node, entry: JsonObject): number {
  return piecesOf(node, entry, new Map()).reduce((sum, { tokens }) => sum + tokens, 0);
}

function sentPieces(node: Node, entry: JsonObject, tools: ToolNames): readonly Piece[] {
  const content = asObject(entry.message)?.content;
  switch (node.type) {
    case 'assistant':
      return node.message?.model === '<synthetic>' && node.isApiError ? [] : answerPieces(content);
    case 'user':
      return userPieces(node, content, tools);
    case 'attachment':
      return attachmentPieces(asObject(entry.attachment) ?? {}, entry.rendered);
    case 'system':
      return node.subtype === 'local_command' ? textPiece('output', 'local command', asString(entry.content)) : [];
    default:
      return [];
  }
}

function answerPieces(content: JsonValue | undefined): Piece[] {
  return blocks(content).map((block): Piece => {
    switch (block.type) {
      case 'thinking':
        return { kind: 'thinking', name: null, tokens: thinkingTokens(block) };
      case 'redacted_thinking':
        return { kind: 'thinking', name: null, tokens: encodedTokens(asString(block.data)) };
      case 'text':
        return { kind: 'answers', name: null, tokens: valueTokens(block.text) };
      default: {
        const name = asString(block.name) ?? asString(block.type) ?? '';
        return {
          kind: 'calls',
          name,
          tokens: callTokens + textTokens(name) + valueTokens(block.input ?? block.content),
        };
      }
    }
  });
}

/** What the API adds around a call and around a result. */
const callTokens = 58;
const resultTokens = 12;

/** A signature holds the thinking encrypted: what the block shows is a summary, or nothing. */
function thinkingTokens(block: JsonObject): number {
  return Math.max(valueTokens(block.thinking), encodedTokens(asString(block.signature)));
}

const encodedCharsPerToken = 5.5;
const signatureChars = 300;

function encodedTokens(data: string | undefined): number {
  return Math.max(0, (data?.length ?? 0) - signatureChars) / encodedCharsPerToken;
}

function userPieces(node: Node, content: JsonValue | undefined, tools: ToolNames): readonly Piece[] {
  return blocks(content).flatMap((block): readonly Piece[] => {
    if (block.type === 'tool_result') return resultPieces(block, tools);
    if (block.type === 'image' || block.type === 'document') return [imagePiece(block)];
    const text = asString(block.text) ?? '';
    return textPiece(...userSlice(node, text), text);
  });
}

function userSlice(node: Node, text: string): readonly [SliceKind, string | null] {
  if (node.isCompactSummary) return ['summary', null];
  if (text.startsWith('<system-reminder>')) return [reminderKind(text), null];
  if (node.isMeta) return [injectedKind(text), null];
  switch (kindOfText(text)) {
    case 'local-output':
    case 'bash':
      return ['output', 'local command'];
    case 'notification':
    case 'message':
    case 'interrupt':
      return ['reminders', null];
    default:
      return ['prompts', null];
  }
}

function reminderKind(text: string): SliceKind {
  return isInstructions(text) ? 'instructions' : 'reminders';
}

/** The client's own words before the text of CLAUDE.md and of memory. */
const instructionMarks = /^# claudeMd$|^# Memory$|\bContents of .{1,300}\.md \(|user instructions are shown below/m;

export function isInstructions(text: string): boolean {
  return instructionMarks.test(text.slice(0, 4_000));
}

/** The text of a skill begins with the folder that it was loaded from. */
function injectedKind(text: string): SliceKind {
  if (text.startsWith('Base directory for this skill')) return 'skills';
  return kindOfText(text) === 'local-output' ? 'output' : 'reminders';
}

function resultPieces(block: JsonObject, tools: ToolNames): readonly Piece[] {
  const tool = tools.get(asString(block.tool_use_id) ?? '') ?? null;
  const [kind, name]: readonly [SliceKind, string | null] =
    tool === 'Read' || tool === 'NotebookRead'
      ? ['files', tool]
      : tool === 'Skill'
        ? ['skills', tool]
        : ['output', tool];
  if (!isArray(block.content)) return [{ kind, name, tokens: resultTokens + valueTokens(block.content) }];
  const parts = block.content.filter(isObject);
  const texts = parts.filter(({ type }) => type !== 'image' && type !== 'document');
  const images = parts.filter(({ type }) => type === 'image' || type === 'document');
  const loads = parts.flatMap((part) => (part.type === 'tool_reference' ? (asString(part.tool_name) ?? []) : []));
  const own = { kind, name, tokens: resultTokens + valueTokens(texts) };
  return [loads.length === 0 ? own : { ...own, loads }, ...images.map(imagePiece)];
}

function imagePiece(block: JsonObject): Piece {
  return { kind: 'images', name: null, tokens: imageTokens(block) };
}

const maxImageTokens = 1_600;
const pixelsPerToken = 750;
const bytesPerPdfToken = 60;

function imageTokens(block: JsonObject): number {
  const source = asObject(block.source);
  const data = asString(source?.data);
  if (data === undefined) return maxImageTokens;
  if (block.type === 'document') return source?.type === 'text' ? textTokens(data) : data.length / bytesPerPdfToken;
  const size = readImageSize(data);
  return size === undefined ? maxImageTokens : Math.min(maxImageTokens, (size.width * size.height) / pixelsPerToken);
}

const attachmentKinds: Readonly<Record<string, SliceKind>> = {
  nested_memory: 'instructions',
  relevant_memories: 'instructions',
  memory_update: 'instructions',
  skill_listing: 'skills',
  agent_listing_delta: 'skills',
  invoked_skills: 'skills',
  dynamic_skill: 'skills',
  skill_discovery: 'skills',
  mcp_instructions_delta: 'mcp',
  mcp_resource: 'mcp',
  deferred_tools_delta: 'tools',
  file: 'files',
  directory: 'files',
  pdf_reference: 'files',
  edited_text_file: 'files',
  edited_image_file: 'files',
  compact_file_reference: 'files',
  already_read_file: 'files',
  selected_lines_in_ide: 'files',
  opened_file_in_ide: 'files',
  queued_command: 'prompts',
};

/** They are in the chain, but not in the messages. */
const unsentAttachments: ReadonlySet<string> = new Set([
  'prompt_snapshot',
  'deferred_tools_record',
  'thinking_stripped',
  'thinking_drop',
  'command_permissions',
  'hook_success',
  'hook_non_blocking_error',
  'hook_cancelled',
]);

function attachmentPieces(attachment: JsonObject, rendered: JsonValue | undefined): readonly Piece[] {
  const type = asString(attachment.type) ?? '';
  const sent = rendered ?? (unsentAttachments.has(type) ? undefined : withoutNames(attachment));
  if (sent === undefined) return [];
  const images = imagesIn(sent);
  const text = valueTokens(sent);
  const kind = attachmentKinds[type] ?? reminderKind(firstText(sent));
  const name = kind === 'files' ? 'attached' : null;
  return [
    ...(text > 0 || images.length === 0 ? [{ kind, name, tokens: text } as const] : []),
    ...images.map(imagePiece),
  ];
}

/** What the client makes a text of, as far as an attachment holds it. */
function withoutNames({ type, ...rest }: JsonObject): JsonValue {
  return rest;
}

function firstText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (isArray(value)) return value.length === 0 ? '' : firstText(value[0] ?? '');
  return isObject(value) ? firstText(value.content ?? value.text ?? '') : '';
}

function imagesIn(value: JsonValue): JsonObject[] {
  if (isArray(value)) return value.flatMap(imagesIn);
  if (!isObject(value)) return [];
  if (value.type === 'image' || value.type === 'document') return isObject(value.source) ? [value] : [];
  return isArray(value.content) ? imagesIn(value.content) : [];
}

function textPiece(kind: SliceKind, name: string | null, text: string | undefined): readonly Piece[] {
  return text === undefined || text === '' ? [] : [{ kind, name, tokens: textTokens(text) }];
}

function blocks(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return isArray(content) ? content.filter(isObject) : [];
}

const unread: ReadonlySet<string> = new Set(['signature', 'data', 'cache_control', 'type', 'role', 'tool_use_id']);

/** All texts in a value, and the names of its members. Iterative: a value may nest deeper than the call stack. */
export function valueTokens(value: JsonValue | undefined): number {
  if (typeof value === 'string') return textTokens(value);
  let tokens = 0;
  const left: (JsonValue | undefined)[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') tokens += textTokens(next);
    else if (typeof next === 'number') tokens += 2;
    else if (isArray(next)) for (const item of next) left.push(item);
    else if (isObject(next)) {
      for (const [key, inner] of Object.entries(next)) {
        if (unread.has(key)) continue;
        if (key !== 'text' && key !== 'content') tokens += keyTokens + textTokens(key);
        left.push(inner);
      }
    }
  }
  return tokens;
}

/** A member of a call's input is sent as a tagged parameter. */
const keyTokens = 6.3;
