// The request that resuming a session sends (session/resume/), with a placeholder for every long text: enough to compare and
// count, in a fraction of the memory. A proof needs several requests of sessions of any length.
import { isDeepStrictEqual } from 'node:util';
import { hasThinkingBudget, readImageSize } from '../../api/request/index.ts';
import { digestText, type OnHidden } from '../../base/digest/index.ts';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import type { Session } from '../../session/load/index.ts';
import { texts } from '../../session/resume/client/index.ts';
import { isThinking, normalise, type ResumeMessage, type WireBlock } from '../../session/resume/messages/index.ts';
import { type ResumeRequest, requestMessages, resumeLines, traceMessages } from '../../session/resume/request/index.ts';
import { Node, SharedValues, type Transcript } from '../../session/transcript/index.ts';

/** `startChars`: how many characters of a long text to keep. */
export function leanRequest(
  session: { readonly transcript: LeanSource },
  prompt?: string,
  startChars?: number,
): ResumeRequest {
  return requestMessages({ transcript: leanTranscript(session.transcript, startChars) }, prompt, { host: 'anthropic' });
}

/** The same, each message with its lines. */
export function leanTrace(
  session: { readonly transcript: LeanSource },
  startChars?: number,
  prompt?: string,
): ReturnType<typeof traceMessages> {
  return traceMessages({ transcript: leanTranscript(session.transcript, startChars) }, prompt, {
    host: 'anthropic',
  });
}

export type LeanSource = Pick<Transcript, 'nodes' | 'read'>;

export function leanTranscript(transcript: LeanSource, startChars?: number): LeanSource {
  return { nodes: transcript.nodes, read: (node) => leanEntry(transcript.read(node, 'sent'), startChars) };
}

/** `toolUseResult`, which a reader may still return, is never sent. */
export function leanEntry(
  { toolUseResult: _, ...entry }: JsonObject,
  startChars: number | undefined,
  onHidden?: OnHidden,
): JsonObject {
  const lean: Leanness = { startChars, onHidden };
  return mapMembers(entry, (value, key) => (sentKeys.has(key) ? leanValue(value, lean) : value));
}

interface Leanness {
  readonly startChars: number | undefined;
  readonly onHidden: OnHidden | undefined;
}

/** The same object if no value changes, because most do not. */
export function mapMembers(object: JsonObject, map: (value: JsonValue, key: string) => JsonValue): JsonObject {
  let mapped: Record<string, JsonValue | undefined> | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key];
    const changed = value === undefined ? undefined : map(value, key);
    if (changed === value) continue;
    mapped ??= { ...object };
    mapped[key] = changed;
  }
  return mapped ?? object;
}

const sentKeys: ReadonlySet<string> = new Set(['message', 'rendered', 'content']);

function leanValue(value: JsonValue, lean: Leanness, depth = 0): JsonValue {
  if (typeof value === 'string')
    return wholeText.test(value) ? value : digestText(value, lean.startChars, lean.onHidden);
  // No client writes deeper values.
  if (depth > deepest) return value;
  if (isArray(value)) return value.map((item) => leanValue(item, lean, depth + 1));
  if (!isObject(value)) return value;
  const isMedia = value.type === 'base64';
  return mapMembers(value, (inner, key) => {
    if (wholeKeys.has(key)) return inner;
    if (isMedia && key === 'data' && typeof inner === 'string') return leanMedia(inner, lean.onHidden);
    return leanValue(inner, lean, depth + 1);
  });
}

const deepest = 200;

/** Rules need the complete value. */
const wholeKeys: ReadonlySet<string> = new Set(['signature']);

/** Has a path that `move` changes; the client keeps such texts short. */
const wholeText = /^<persisted-output>/;

/** Keeps the start, from which the type and the size of an image are read. */
function leanMedia(data: string, onHidden: OnHidden | undefined): string {
  const size = readImageSize(data);
  const isEnough = (lean: string): boolean => isDeepStrictEqual(readImageSize(lean), size);
  return headerChars.map((chars) => digestText(data, chars, onHidden)).find(isEnough) ?? data;
}

const headerChars = [64, 64 * 1024];

export type SentBlock = JsonObject & { readonly role: string };

export function sentBlocks(request: ResumeRequest): readonly SentBlock[] {
  if ('refused' in request) return [];
  const messages = normalise(request.messages);
  const results = messages.flatMap(({ content }) => content).filter(isPlaceholderResult);
  // An open call is sent at the end of a history, but not in the middle.
  const open = new Set(results.map((block) => block.tool_use_id));
  return messages.flatMap(({ role, content }) =>
    content
      .filter((block) => !isAdded(block) && !(block.type === 'tool_use' && open.has(block.id)))
      .map((block) => ({ ...comparable(block), role })),
  );
}

export function isBeginning(part: readonly SentBlock[], whole: readonly SentBlock[]): boolean {
  return isDeepStrictEqual(part, whole.slice(0, part.length));
}

/** The request if the transcript had only these lines and ended at `leafUuid`. */
export function requestWithin({ transcript }: Session, kept: Iterable<Node>, leafUuid: string): ResumeRequest {
  const picked = transcript.pick([...kept].sort((a, b) => a.index - b.index));
  return pinnedRequest(picked, leafUuid);
}

/** The request if the transcript ended with a pin to this line. */
export function pinnedRequest(
  transcript: Pick<Session['transcript'], 'nodes' | 'read'>,
  leafUuid: string,
): ResumeRequest {
  const { nodes } = transcript;
  const pin = madeNode(pinTo(leafUuid, ''), nodes.length);
  const read = (node: Node): JsonObject => (node === pin ? {} : transcript.read(node));
  return leanRequest({ transcript: { nodes: [...nodes, pin], read } });
}

/** Makes exactly this line the end (RESUME rule 13). */
export function pinTo(leafUuid: string, sessionId: string): JsonObject {
  return { type: 'last-prompt', leafUuid, explicit: true, sessionId };
}

export function madeNode(entry: JsonObject, index: number): Node {
  const head = scanRecord(Buffer.from(JSON.stringify(entry)));
  if (head === undefined) throw new TypeError('the pin is not a record');
  return new Node(head, { index, line: index + 1, offset: 0, length: 0, hidden: false }, new SharedValues(), true);
}

function isAdded(block: JsonObject): boolean {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return true;
  if (block.type === 'text') return block.text === texts.noResponse;
  return isPlaceholderResult(block);
}

function isPlaceholderResult(block: JsonObject): boolean {
  return block.type === 'tool_result' && (block.content === texts.interrupted || block.content === texts.missingResult);
}

function comparable(block: JsonObject): JsonObject {
  return block.type === 'text' && typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block;
}

/** The id of the last answer, if it has tool calls and its model has a thinking budget. */
export function openRoundOf(lines: readonly Node[]): string | undefined {
  const last = lines.findLast((node) => node.type === 'assistant' && !node.isApiError);
  if (last === undefined || !hasThinkingBudget(last.message?.model)) return undefined;
  const hasCall = answerLines(lines, last.message?.id).some((node) => node.message?.blockTypes.includes('tool_use'));
  return hasCall ? last.message?.id : undefined;
}

export function refuseOpenRound(result: Session, source: Session | undefined): void {
  const before = source === undefined ? [] : resumedLines(source);
  const id = openRoundOf(before);
  if (source === undefined || id === undefined) return;
  const after = resumedLines(result);
  if (answerLines(after, id).length === 0 || thoughtsIn(after, id) === thoughtsIn(before, id)) return;
  throw new UserError(
    `the last answer of ${source.id} waits for tool results, and its model cannot continue without its thinking`,
    'finish the turn first, or leave out --in-place',
    exitCodes.refused,
  );
}

/** The lines that a resume loads; none if Claude Code refuses the file. */
export function resumedLines({
  transcript,
}: {
  readonly transcript: Pick<Transcript, 'nodes' | 'read'>;
}): readonly Node[] {
  const resumed = resumeLines(transcript);
  return 'refused' in resumed ? [] : resumed.lines;
}

function answerLines(lines: readonly Node[], id: string | undefined): readonly Node[] {
  return lines.filter((node) => node.type === 'assistant' && node.message?.id === id);
}

function thoughtsIn(lines: readonly Node[], id: string): number {
  const types = answerLines(lines, id).flatMap((node) => node.message?.blockTypes ?? []);
  return types.filter((type) => type.endsWith('thinking')).length;
}

export interface OutlineOptions {
  readonly skips?: (block: WireBlock, message: ResumeMessage) => boolean;
  /** Maps a block before it is compared. */
  readonly forms?: (block: WireBlock) => WireBlock;
}

export function outlineOf(messages: readonly ResumeMessage[], { skips, forms }: OutlineOptions = {}): string[] {
  return messages.flatMap((message) => {
    const counted = message.content.filter((block) => skips?.(block, message) !== true);
    // Mapped first, because a text that was cut may end inside a reminder.
    const content = forms === undefined ? counted : counted.map(forms);
    return normalise([{ role: message.role, content }])
      .flatMap((normal) => normal.content)
      .filter((block) => !isFiller(block))
      .map((block) => `${message.role} ${JSON.stringify(plain(block))}`);
  });
}

const fillers: ReadonlySet<string> = new Set([
  texts.noContent,
  texts.noResponse,
  texts.orphanedResult,
  texts.repeatedCall,
  texts.toolLoaded,
]);

function isFiller(block: WireBlock): boolean {
  const text = block.type === 'text' ? asString(block.text) : undefined;
  return text !== undefined && (text.trim() === '' || fillers.has(text.replace(/\n$/, '')));
}

function plain(block: WireBlock): WireBlock {
  return block.type === 'text' ? { ...block, text: asString(block.text)?.replace(/\n$/, '') } : block;
}

/** Describes the first difference of two outlines; `undefined` if they are equal. */
export function describeDifference(expected: readonly string[], actual: readonly string[]): string | undefined {
  const at = expected.findIndex((block, i) => block !== actual[i]);
  const place = at < 0 ? expected.length : at;
  if (at < 0 && expected.length === actual.length) return undefined;
  return `block ${place + 1} would be ${excerpt(actual[place])} instead of ${excerpt(expected[place])}`;
}

function excerpt(block: string | undefined): string {
  return block === undefined ? 'missing' : block.slice(0, 120);
}

export function thinkingKey(block: WireBlock): string | undefined {
  return isThinking(block) ? JSON.stringify([block.thinking, block.signature, block.data]) : undefined;
}
