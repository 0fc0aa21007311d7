// The bytes of a line → its documents: what was said, thought, called and answered, each decoded. Only the value of
// `message` is parsed; `toolUseResult` holds the same output a second time and is never looked at.
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../base/json/index.ts';
import { findMember } from '../../format/bytes/index.ts';
import { type Block, blocksOf, isText } from '../../format/entry/index.ts';
import { parseLine } from '../../format/line/index.ts';
import { type Head, scanRecord } from '../../format/scan/index.ts';
import { classifyUser, kindOfText, splitPrompt } from '../../session/transcript/index.ts';
import { attachedMessage } from '../../session/turns/index.ts';

/** Chat is what people read; tool text is most of the bytes; the rest is not indexed. */
type TextPart = 'chat' | 'tool' | 'rest';

/** Which part of a conversation a text is. */
export type TextKind =
  | 'prompt'
  | 'answer'
  | 'thinking'
  | 'title'
  /** Text in the conversation that nobody typed: summaries, reminders, command output, a sub-agent's task. */
  | 'note'
  | 'tool-input'
  | 'tool-output'
  | 'attachment';

export interface LineText {
  readonly kind: TextKind;
  /** Counts the texts of one kind in one line, from 0. */
  readonly part: number;
  readonly text: string;
  readonly uuid: string | undefined;
  /** Milliseconds since 1970, or `NaN`. */
  readonly time: number;
  /** The tool of a tool input; for tool output only the id of the call is known here. */
  readonly tool: string | undefined;
  readonly toolUseId: string | undefined;
  /** From the queue: if the prompt was sent, a later line repeats it. */
  readonly isQueued: boolean;
  /** The client's own copy of a result (`toolUseResult`). */
  readonly isStored: boolean;
  /** Of a tool input. */
  readonly input?: JsonValue;
  /** Of a tool output that reports a failure. */
  readonly isError?: boolean;
}

export interface ExtractOptions {
  /** Also what is not indexed: what every session repeats, and the client's own copies of results. They come last. */
  readonly isWhole?: boolean;
}

/** The documents of one line, its chat first; those of a damaged line come from the records that are whole. */
export function textsOfLine(bytes: Buffer, { isWhole = false }: ExtractOptions = {}): readonly LineText[] {
  const head = scanRecord(bytes);
  const records = head === undefined ? recoveredRecords(bytes) : [{ head, bytes }];
  const wanted = isWhole ? [...parts, 'rest' as const] : parts;
  return numbered(wanted.flatMap((part) => records.flatMap((each) => textsOfRecord(each.head, each.bytes, part))));
}

const parts: readonly TextPart[] = ['chat', 'tool'];

function recoveredRecords(line: Buffer): readonly { readonly head: Head; readonly bytes: Buffer }[] {
  return parseLine(line).pieces.flatMap(({ entry, bytes }) => {
    const head = entry === undefined ? undefined : scanRecord(bytes);
    return head === undefined ? [] : [{ head, bytes }];
  });
}

type Found = Omit<LineText, 'part'>;

const none: readonly never[] = [];

function numbered(found: readonly Found[]): readonly LineText[] {
  if (found.length === 0) return none;
  const counts = new Map<TextKind, number>();
  return found.map((text) => {
    const part = counts.get(text.kind) ?? 0;
    counts.set(text.kind, part + 1);
    return { ...text, part };
  });
}

function textsOfRecord(head: Head, bytes: Buffer, part: TextPart): readonly Found[] {
  const type = head.type === '' ? head.message?.role : head.type;
  if (part === 'rest') return restTexts(head, bytes, type);
  if (type === 'assistant') return part === 'chat' ? answerTexts(head, bytes) : callTexts(head, bytes);
  if (type === 'user') return part === 'chat' ? userTexts(head, bytes) : resultTexts(head, bytes);
  if (type === 'attachment') return attachmentTexts(head, bytes, part);
  if (part !== 'chat') return none;
  switch (type) {
    case 'custom-title':
      return said(head, 'title', memberText(bytes, 'customTitle'));
    case 'ai-title':
      return said(head, 'title', memberText(bytes, 'aiTitle'));
    case 'summary':
      return said(head, 'title', memberText(bytes, 'summary'));
    case 'system':
      return said(head, 'note', memberText(bytes, 'content'));
    case 'queue-operation':
      return queuedTexts(head, bytes);
    // Thinking of an answer that Clew's agent keeps outside the chain; its `clew-prompt` is not part of the conversation.
    case 'clew-thinking':
      return said(head, 'thinking', besideThinking(bytes));
    default:
      return none;
  }
}

/** What is shown but not indexed. */
function restTexts(head: Head, bytes: Buffer, type: string | undefined): readonly Found[] {
  if (type === 'attachment' && boilerplate.has(head.subtype ?? ''))
    return said(head, 'attachment', leafText(memberValue(bytes, 'attachment')));
  if (type !== 'user') return none;
  const stored = said(head, 'tool-output', leafText(memberValue(bytes, 'toolUseResult')));
  return stored.map((text) => ({ ...text, isStored: true }));
}

function besideThinking(bytes: Buffer): string {
  const blocks = blocksOf(memberValue(bytes, 'content')) as readonly JsonObject[];
  return blocks.map(({ thinking }) => asString(thinking) ?? '').join('\n');
}

function answerTexts(head: Head, bytes: Buffer): readonly Found[] {
  const { message } = head;
  if (message === undefined) return none;
  const isSpoken = message.blockTypes.some((type) => !silentTypes.has(type));
  if (!isSpoken && message.content !== 'string' && message.content !== 'on-record') return none;
  const answers: string[] = [];
  const thoughts: string[] = [];
  for (const block of contentBlocks(head, bytes)) {
    if (isText(block)) answers.push(block.text);
    else if (block.type === 'thinking') thoughts.push(asString(block.thinking) ?? '');
  }
  return [...said(head, 'thinking', thoughts.join('\n')), ...said(head, 'answer', answers.join('\n'))];
}

/** Blocks that say nothing themselves. */
const silentTypes: ReadonlySet<string> = new Set(['tool_use', 'tool_result', 'image', 'redacted_thinking']);

function userTexts(head: Head, bytes: Buffer): readonly Found[] {
  if (head.textPrefixes.length === 0 && head.message?.content !== 'on-record') return none;
  // The user did not type a sub-agent's task.
  const isPrompt = classifyUser(head).prompt !== undefined && !head.isSidechain;
  const typed: string[] = [];
  const notes: string[] = [];
  for (const block of contentBlocks(head, bytes)) {
    if (!isText(block)) continue;
    if (!isPrompt) {
      notes.push(block.text);
      continue;
    }
    // What the editor or the client attached to the words is not a prompt.
    const { words, attached } = splitPrompt(block.text);
    if (words !== '') typed.push(words);
    notes.push(...attached);
  }
  return [...said(head, 'prompt', typed.join('\n')), ...said(head, 'note', notes.join('\n'))];
}

/** A prompt that was never sent has no other line. */
function queuedTexts(head: Head, bytes: Buffer): readonly Found[] {
  if (memberText(bytes, 'operation') !== 'enqueue') return none;
  const text = plainText(blocksOf(memberValue(bytes, 'content')));
  const kind = kindOfText(text);
  const found = said(head, kind === 'notification' || kind === 'message' ? 'note' : 'prompt', text);
  return found.map((each) => ({ ...each, isQueued: true }));
}

function attachmentTexts(head: Head, bytes: Buffer, part: TextPart): readonly Found[] {
  const isQueued = head.subtype === 'queued_command';
  if (isQueued !== (part === 'chat') || boilerplate.has(head.subtype ?? '')) return none;
  const attachment = asObject(memberValue(bytes, 'attachment'));
  if (!isQueued) return said(head, 'attachment', leafText(attachment));
  const text = plainText(blocksOf(attachment?.prompt));
  const isTyped = attachment?.commandMode !== 'task-notification' && attachedMessage({ attachment }) === undefined;
  return said(head, isTyped ? 'prompt' : 'note', text);
}

/** What newer clients send to the model at every start: the same in each session, so it is not indexed. */
const boilerplate: ReadonlySet<string> = new Set([
  'prompt_snapshot',
  'skill_listing',
  'agent_listing_delta',
  'deferred_tools_delta',
  'mcp_instructions_delta',
  'session_context',
  'environment',
  'model',
  'date',
  'total_tokens_reminder',
  'remote_session_change',
]);

function callTexts(head: Head, bytes: Buffer): readonly Found[] {
  if (!head.message?.blockTypes.some((type) => callTypes.test(type))) return none;
  return contentBlocks(head, bytes).flatMap((block) => {
    const type = asString(block.type) ?? '';
    if (!callTypes.test(type)) return [];
    const { id, name, input, tool_use_id: answered, content } = block as JsonObject;
    if (type.endsWith('_result')) return said(head, 'tool-output', leafText(content), undefined, asString(answered));
    const called = said(head, 'tool-input', leafText(input), asString(name), asString(id));
    return called.map((text) => ({ ...text, input: input as JsonValue }));
  });
}

/** Calls of tools, and those that the API answers in the same message. */
const callTypes = /tool_use$|tool_result$/;

function resultTexts(head: Head, bytes: Buffer): readonly Found[] {
  if (!head.message?.blockTypes.some((type) => callTypes.test(type))) return none;
  return contentBlocks(head, bytes).flatMap((block) => {
    if (block.type !== 'tool_result') return [];
    const { tool_use_id: answered, content, is_error: isError } = block as JsonObject;
    const found = said(head, 'tool-output', resultText(content), undefined, asString(answered));
    return isError === true ? found.map((text) => ({ ...text, isError })) : found;
  });
}

/** The usual result is a string, or one block of text. */
function resultText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  const only = isArray(content) && content.length === 1 ? content[0] : undefined;
  return isObject(only) && only.type === 'text' && typeof only.text === 'string' ? only.text : leafText(content);
}

function contentBlocks(head: Head, bytes: Buffer): readonly Block[] {
  if (head.message?.content === 'on-record') return blocksOf(memberValue(bytes, 'content'));
  return blocksOf(asObject(memberValue(bytes, 'message'))?.content);
}

function memberValue(bytes: Buffer, key: string): JsonValue | undefined {
  const member = findMember(bytes, 0, key);
  return member === undefined ? undefined : parseJson(bytes.toString('utf8', member.valueStart, member.valueEnd));
}

function memberText(bytes: Buffer, key: string): string {
  return asString(memberValue(bytes, key)) ?? '';
}

function plainText(blocks: readonly Block[]): string {
  return blocks
    .filter(isText)
    .map((block) => block.text)
    .join('\n');
}

function said(head: Head, kind: TextKind, text: string, tool?: string, toolUseId?: string): readonly Found[] {
  if (text === '') return none;
  return [{ kind, text, uuid: head.uuid, time: head.time, tool, toolUseId, isQueued: false, isStored: false }];
}

/** The strings of the value in the order of the file, one below the other. */
export function leafText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return isEncoded(value) ? '' : value;
  const texts: string[] = [];
  const left: (JsonValue | undefined)[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') {
      if (next !== '' && !isEncoded(next)) texts.push(next);
    } else if (isArray(next)) {
      for (let i = next.length - 1; i >= 0; i--) left.push(next[i]);
    } else if (isObject(next) && next.type !== 'base64' && next.type !== 'image') {
      const members = Object.entries(next);
      for (let i = members.length - 1; i >= 0; i--) {
        const [key, inner] = members[i] as (typeof members)[number]; // i is in range
        if (!encodedKeys.has(key) && !(key === 'type' && inner === 'text')) left.push(inner);
      }
    }
  }
  return texts.join('\n');
}

const encodedKeys: ReadonlySet<string> = new Set(['signature', 'encrypted_content', 'encrypted_index', 'tool_use_id']);
const encodedLength = 1024;

/** Long and without a single space or punctuation mark: bytes in base64 or hexadecimal, or a data URL of them. */
function isEncoded(text: string): boolean {
  if (text.length < encodedLength) return false;
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  return (
    /^[A-Za-z0-9+/_=-]+$/.test(text.slice(start, start + encodedLength)) &&
    /^[A-Za-z0-9+/_=\s-]+$/.test(text.slice(start))
  );
}
