// Writes a session in the safe writer profile, which every client from 1.0.57 on resumes alike: one chain without branches,
// one block per line, results after their calls, increasing times, a model on every answer. It holds what a current client
// would send; the rest is reported as dropped.
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { isLinked } from '../../session/graph/index.ts';
import type { Session } from '../../session/load/index.ts';
import { syntheticModel, texts } from '../../session/resume/client/index.ts';
import {
  isReminder,
  normalise,
  type ResumeMessage,
  textBlock,
  type WireBlock,
} from '../../session/resume/messages/index.ts';
import { isBoundary, isMessage, type Node, resultsOf } from '../../session/transcript/index.ts';
import { resumedLines, type SentMessages, sentMessages } from '../request/index.ts';
import { withSpokenNotes } from './spoken-notes.ts';

export interface PortableLine {
  readonly entry: JsonObject;
  /** The line it comes from; absent if it was added. */
  readonly node?: Node;
}

export interface PortableSession {
  /** Makes the lines one at a time, once. `onMessage` receives every message that the session sends, before its lines. */
  lines(onMessage?: (message: ResumeMessage) => void): Generator<PortableLine>;
  /** What the lines do not contain; call it after the last of them. */
  dropped(): readonly DroppedNode[];
}

export interface DroppedNode {
  readonly node: Node;
  readonly reason: string;
}

export function makePortable(stored: Session): PortableSession | { readonly refused: string } {
  const session = withSpokenNotes(stored);
  // Omits the thinking of other models, because clients differ in whether they send it.
  const sent = sentMessages(session, { host: 'gateway' });
  if ('refused' in sent) return sent;
  if (sent.lean.length === 0) return { refused: 'resuming the session would send nothing' };
  const writer = new ChainWriter(session);
  return {
    lines: (onMessage) => portableLines(session, sent, writer, onMessage),
    dropped: () => droppedLines(session, writer),
  };
}

function* portableLines(
  session: Session,
  sent: SentMessages,
  writer: ChainWriter,
  onMessage?: (message: ResumeMessage) => void,
): Generator<PortableLine> {
  const boundary = startingBoundary(session);
  if (boundary !== undefined) writer.addBoundary(boundary);
  for (const lean of sent.lean) {
    const message = sent.complete(lean);
    onMessage?.(message);
    if (message.role === 'assistant') writer.addAnswer(message);
    else writer.addInput(message);
    yield* writer.takeLines();
  }
  // Older clients continue an open end differently, so it is closed like the current client closes it.
  if (sent.lean.at(-1)?.role === 'user')
    writer.addAnswer({ role: 'assistant', content: [textBlock(texts.noResponse)], lines: [] });
  for (const node of session.transcript.nodes.filter(isKeptAside)) {
    writer.addAside(node);
    yield* writer.takeLines();
  }
  writer.addPin();
  yield* writer.takeLines();
}

/** Bookkeeping that the user would miss. Clients write the rest again. */
function isKeptAside(node: Node): boolean {
  return !node.hidden && keptAsides.has(node.type);
}

const keptAsides: ReadonlySet<string> = new Set([
  'custom-title',
  'ai-title',
  'agent-name',
  'summary',
  'tag',
  'file-history-snapshot',
  'file-history-delta',
]);

function startingBoundary(session: Session): Node | undefined {
  const [first] = resumedLines(session);
  return first !== undefined && isBoundary(first) ? first : undefined;
}

function droppedLines(session: Session, writer: ChainWriter): readonly DroppedNode[] {
  const chain = new Set(resumedLines(session));
  return session.transcript.nodes
    .filter((node) => !writer.isWritten(node))
    .map((node) => ({
      node,
      reason: writer.isJoined(node) ? 'its text is part of another line' : reasonFor(node, chain),
    }));
}

function reasonFor(node: Node, chain: ReadonlySet<Node>): string {
  if (!isLinked(node)) return 'bookkeeping that the client writes again';
  if (node.isSidechain) return 'a line of a sub-agent, which older clients would mistake for the conversation';
  if (node.type === 'progress') return 'progress, which is never sent';
  if (node.type === 'attachment') return 'context that the client collects again';
  if (chain.has(node)) return 'on the chain, but not sent';
  return 'not on the chain that a resume continues';
}

class ChainWriter {
  readonly #session: Session;
  #lines: PortableLine[] = [];
  /** Entries of the message that is being written. */
  readonly #entries = new Map<Node, JsonObject>();
  readonly #written = new Set<Node>();
  readonly #usedIds = new Set<string>();
  readonly #usedLines = new Set<Node>();
  /** Lines whose text is part of another line. */
  readonly #joined = new Set<Node>();
  #last: string | null = null;
  #time = Number.NEGATIVE_INFINITY;
  #envelope: JsonObject = {};

  constructor(session: Session) {
    this.#session = session;
  }

  /** Without its preserved history, which is now after the summary. */
  addBoundary(node: Node): void {
    const entry = this.#read(node);
    const { preservedSegment, preservedMessages, ...compactMetadata } = asObject(entry.compactMetadata) ?? {};
    this.#add(node, { ...entry, logicalParentUuid: undefined, compactMetadata });
  }

  addAnswer(message: ResumeMessage): void {
    const id = this.#messageId(message);
    const hasCalls = message.content.some((block) => block.type === 'tool_use');
    for (const block of message.content) {
      const node = message.lines.find((line) => storedBlock(this.#read(line), block)) ?? message.lines[0];
      const entry = node === undefined ? {} : this.#read(node);
      const stored = asObject(entry.message) ?? {};
      // A copy with another id would count the tokens of the original twice.
      const isCountedTwice = stored.id !== id && entry.forkedFrom !== undefined;
      this.#add(node, {
        ...(node === undefined ? { type: 'assistant' } : entry),
        message: {
          type: 'message',
          role: 'assistant',
          usage: noUsage,
          stop_sequence: null,
          ...stored,
          ...(isCountedTwice ? { usage: noUsage } : {}),
          id,
          model: asString(stored.model) ?? syntheticModel,
          stop_reason: hasCalls ? 'tool_use' : 'end_turn',
          content: [block],
        },
      });
    }
  }

  /** Results first, one per line; then all text in one line, because clients join several lines differently. */
  addInput(message: ResumeMessage): void {
    for (const block of message.content) if (block.type === 'tool_result') this.#addResult(message, block);
    // The client adds the text about loaded tools itself.
    const left = message.content.filter(
      (block) => block.type !== 'tool_result' && block.text !== texts.toolLoaded && !isReminder(block),
    );
    if (left.length === 0) return;
    const nodes = message.lines.filter(
      (node) => resultsOf(node).length === 0 || node.message?.blockTypes.includes('text'),
    );
    const spoken = nodes.filter((node) => !this.#usedLines.has(node));
    const carrier = spoken.findLast((node) => node.promptKind !== undefined) ?? spoken.find(isMessage) ?? spoken[0];
    this.#add(
      carrier,
      asUserLine(
        carrier,
        spoken.map((node) => this.#read(node)),
        left,
        carrier && this.#read(carrier),
      ),
    );
    for (const node of spoken) if (node !== carrier && hasText(this.#read(node))) this.#joined.add(node);
  }

  #addResult(message: ResumeMessage, block: WireBlock): void {
    const node = message.lines.find((line) => storedBlock(this.#read(line), block));
    const entry: JsonObject = node === undefined ? { type: 'user' } : this.#read(node);
    const isAlone = (node?.message?.results.length ?? 0) < 2;
    const [own] = ownBlocks([block]);
    // Reminders that the client adds are not written; those in the line stay.
    const stored = node === undefined ? undefined : storedBlock(entry, block);
    const isAsStored = stored !== undefined && isDeepStrictEqual(ownBlocks([stored]), [own]);
    this.#add(node, {
      ...entry,
      ...(isAlone ? {} : { toolUseResult: undefined }),
      message: { role: 'user', content: [(isAsStored ? stored : own) ?? block] },
    });
  }

  addAside(node: Node): void {
    this.#push(this.#read(node), node);
  }

  /** The lines that were added since the last call. */
  takeLines(): readonly PortableLine[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#entries.clear();
    return lines;
  }

  isWritten(node: Node): boolean {
    return this.#written.has(node);
  }

  isJoined(node: Node): boolean {
    return this.#joined.has(node);
  }

  addPin(): void {
    if (this.#last === null) return;
    this.#push({ type: 'last-prompt', leafUuid: this.#last, sessionId: this.#session.id });
  }

  /** Unique per answer, because readers join lines with the same id. */
  #messageId(message: ResumeMessage): string {
    const stored = message.lines.map((line) => line.message?.id).find((id) => id !== undefined && id !== '');
    const id = stored === undefined || this.#usedIds.has(stored) ? `msg_${randomUUID().replaceAll('-', '')}` : stored;
    this.#usedIds.add(id);
    return id;
  }

  #add(node: Node | undefined, entry: JsonObject): void {
    const envelope = this.#envelopeOf(entry);
    const isFirst = node?.uuid !== undefined && !this.#usedLines.has(node);
    if (node !== undefined) this.#usedLines.add(node);
    const uuid = isFirst && node?.uuid !== undefined ? node.uuid : randomUUID();
    const time = node === undefined || Number.isNaN(node.time) ? this.#time + 1 : Math.max(node.time, this.#time + 1);
    this.#time = Number.isFinite(time) ? time : Date.UTC(2026, 0, 1);
    const written = { ...entry, ...envelope, parentUuid: this.#last, isSidechain: false, uuid };
    const line = { ...written, timestamp: new Date(this.#time).toISOString() };
    this.#push(line, isFirst ? node : undefined);
    this.#last = uuid;
  }

  /** Every line has the complete envelope; missing fields come from the previous line. */
  #envelopeOf(entry: JsonObject): JsonObject {
    const envelope: Record<string, JsonValue> = {};
    for (const [key, fallback] of Object.entries(fullEnvelope)) {
      envelope[key] = entry[key] ?? this.#envelope[key] ?? fallback;
    }
    envelope.sessionId = this.#session.id;
    this.#envelope = envelope;
    return envelope;
  }

  #push(entry: JsonObject, node?: Node): void {
    this.#lines.push(node === undefined ? { entry } : { entry, node });
    if (node !== undefined) this.#written.add(node);
  }

  #read(node: Node): JsonObject {
    const entry = this.#entries.get(node) ?? this.#session.transcript.read(node);
    this.#entries.set(node, entry);
    return entry;
  }
}

const noUsage = { input_tokens: 0, output_tokens: 0 };

const fullEnvelope = { userType: 'external', cwd: '/', version: '2.1.45', gitBranch: '' };

/** The reminders of an attachment are not written. */
function hasText({ type, rendered }: JsonObject): boolean {
  if (type !== 'attachment') return true;
  const items = isArray(rendered) ? rendered.filter(isObject) : [];
  return items.some((item) => item.isMeta !== true && !isReminder(textBlock(asString(item.content) ?? '')));
}

/** The block of a stored line, as it is or as the client sends it. */
function storedBlock(entry: JsonObject, block: WireBlock): JsonObject | undefined {
  const content = asObject(entry.message)?.content;
  if (!isArray(content)) return undefined;
  return content.filter(isObject).find((own) => {
    if (own.type !== block.type) return false;
    if (own.type === 'tool_use') return own.id === block.id;
    if (own.type === 'tool_result') return own.tool_use_id === block.tool_use_id;
    return JSON.stringify(own) === JSON.stringify(block);
  });
}

/** Without what the client adds when it sends them. */
function ownBlocks(blocks: readonly JsonObject[]): readonly JsonObject[] {
  return normalise([{ role: 'user', content: blocks }])[0]?.content ?? [];
}

/** Joins lines into one user line. Local commands and rendered notes become user lines, which all clients send. */
function asUserLine(
  carrier: Node | undefined,
  lines: readonly JsonObject[],
  blocks: readonly WireBlock[],
  entry: JsonObject = {},
): JsonObject {
  const [only] = blocks;
  const isText = blocks.length === 1 && only?.type === 'text' && Object.keys(only).length === 2;
  const message = { role: 'user', content: isText ? (only?.text ?? '') : blocks };
  // A mark of only a part of the text must not apply to all of it.
  const marks = Object.fromEntries(
    partMarks.map((key) => [key, lines.every((line) => line[key] === true) ? true : undefined]),
  );
  if (carrier?.type === 'user') return { ...entry, ...(lines.length > 1 ? marks : {}), message };
  const { subtype, content: _, level, attachment, rendered, renderedRole, ...rest } = entry;
  return { ...rest, type: 'user', message };
}

const partMarks = ['isMeta', 'isCompactSummary', 'isVisibleInTranscriptOnly'];
