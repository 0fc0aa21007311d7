// New lines of one transcript → the rows they add to the index, by the lazy scanner: nothing is parsed but the few
// small lines that hold titles, and the first prompt.
import { asString, isObject, type JsonObject, type JsonValue, parseJson } from '../base/json.ts';
import { asEntry, contentOf } from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import { findElement, findMember } from '../format/json-bytes.ts';
import { parseLine } from '../format/line.ts';
import { scanRecord } from '../format/scan.ts';
import { classifyUser } from '../session/input.ts';
import { promptText } from '../session/prompt-text.ts';
import type { UsageLine } from '../session/usage.ts';
import { type Line, type LineOptions, readLines } from '../store/lines.ts';

export interface NewRows {
  /** Behind the last newline that was read, or behind a last record that lacks one. */
  readonly offset: number;
  /** Newlines before `offset`. */
  readonly line: number;
  /** How far it came; the disk may have been asked for more. */
  readonly bytesRead: number;
  readonly usage: readonly UsageLine[];
  readonly prompts: readonly PromptRow[];
  readonly calls: readonly CallRow[];
  readonly results: readonly ResultRow[];
  readonly facts: SessionFacts;
}

export interface PromptRow {
  readonly line: number;
  readonly uuid: string | undefined;
  readonly time: number;
  readonly kind: string;
}

export interface CallRow {
  readonly toolUseId: string;
  readonly line: number;
  readonly time: number;
  readonly name: string;
  readonly touched: string | undefined;
}

export interface ResultRow {
  readonly toolUseId: string;
  readonly isError: boolean;
  readonly agentId: string | undefined;
}

/** What the lines say of their session; titles are the last of their kind. */
export interface SessionFacts {
  sessionId: string | undefined;
  cwd: string | undefined;
  version: string | undefined;
  customTitle: string | undefined;
  aiTitle: string | undefined;
  lastPrompt: string | undefined;
  firstPrompt: string | undefined;
  startedAt: number;
  endedAt: number;
  entries: number;
  damage: number;
}

export interface RowSource {
  readonly path: string;
  readonly offset: number;
  readonly line: number;
  /** Read no further than this, so that one batch stays small. */
  readonly maxBytes: number;
  readonly onRead?: LineOptions['onRead'];
}

/**
 * Reads whole lines from `offset`. A last line without a newline is read if it is a whole record (many files that were
 * rewritten or copied end so); else it is still being written, and left for the next time.
 */
export function readRows(source: RowSource): NewRows {
  const reader = new RowReader(source.path);
  let { offset, line } = source;
  const from = { offset, number: line + 1 };
  reading: for (const batch of readLines(source.path, { from, ...(source.onRead && { onRead: source.onRead }) })) {
    for (const next of batch) {
      if (!next.terminated) {
        if (reader.addLast(next)) offset = next.offset + next.length;
        break reading;
      }
      reader.add(next);
      offset = next.offset + next.length + 1;
      line = next.number;
      if (offset - source.offset >= source.maxBytes) break reading;
    }
  }
  const { usage, prompts, calls, results, facts } = reader;
  return { offset, line, bytesRead: offset - source.offset, usage, prompts, calls, results, facts };
}

const firstPromptLength = 500;

class RowReader {
  readonly usage: UsageLine[] = [];
  readonly prompts: PromptRow[] = [];
  readonly calls: CallRow[] = [];
  readonly results: ResultRow[] = [];
  readonly facts: SessionFacts = {
    sessionId: undefined,
    cwd: undefined,
    version: undefined,
    customTitle: undefined,
    aiTitle: undefined,
    lastPrompt: undefined,
    firstPrompt: undefined,
    startedAt: Number.POSITIVE_INFINITY,
    endedAt: Number.NEGATIVE_INFINITY,
    entries: 0,
    damage: 0,
  };
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(line: Line): void {
    if (line.bytes.length < line.length) {
      this.facts.damage++;
      return;
    }
    const head = scanRecord(line.bytes);
    if (head !== undefined) {
      this.#addRecord(head, line.bytes, line.number);
      return;
    }
    const { pieces, damage } = parseLine(line.bytes);
    this.facts.damage += damage.length;
    for (const { entry, bytes } of pieces) {
      const recovered = entry === undefined ? undefined : scanRecord(bytes);
      if (recovered !== undefined) this.#addRecord(recovered, bytes, line.number);
    }
  }

  /** Whether it was a record. */
  addLast({ bytes, number }: Line): boolean {
    const head = scanRecord(bytes);
    if (head !== undefined) this.#addRecord(head, bytes, number);
    return head !== undefined;
  }

  #addRecord(head: Head, bytes: Buffer, line: number): void {
    const { facts } = this;
    facts.entries++;
    facts.sessionId ??= head.sessionId;
    facts.cwd ??= head.cwd;
    facts.version = head.version ?? facts.version;
    if (head.time < facts.startedAt) facts.startedAt = head.time;
    if (head.time > facts.endedAt) facts.endedAt = head.time;
    const type = head.type === '' ? head.message?.role : head.type;
    if (type === 'assistant') this.#addAnswer(head, line);
    else if (type === 'user') this.#addUser(head, bytes, line);
    else this.#addTitle(head.type, bytes);
  }

  #addAnswer(head: Head, line: number): void {
    const { message } = head;
    if (message === undefined) return;
    for (const { id, name, file } of message.calls) {
      this.calls.push({ toolUseId: id, line, time: head.time, name, touched: file });
    }
    if (message.usage === undefined) return;
    this.usage.push({
      file: this.#path,
      line,
      uuid: head.uuid,
      sessionId: head.sessionId ?? '',
      isSidechain: head.isSidechain,
      messageId: message.id,
      requestId: head.requestId,
      model: message.model,
      stopReason: message.stopReason,
      time: head.time,
      usage: message.usage,
    });
  }

  #addUser(head: Head, bytes: Buffer, line: number): void {
    for (const { toolUseId, isError } of head.message?.results ?? []) {
      this.results.push({ toolUseId, isError, agentId: head.resultAgentId });
    }
    const { prompt } = classifyUser(head);
    if (prompt === undefined || head.isSidechain) return;
    this.prompts.push({ line, uuid: head.uuid, time: head.time, kind: prompt });
    if (this.facts.firstPrompt !== undefined || prompt === 'slash-command') return;
    const text = promptText(contentOf(asEntry(withoutImages(bytes)) ?? {})).trim();
    if (text !== '') this.facts.firstPrompt = text.slice(0, firstPromptLength);
  }

  #addTitle(type: string, bytes: Buffer): void {
    const { facts } = this;
    if (type === 'custom-title') facts.customTitle = given(parsed(bytes).customTitle) ?? facts.customTitle;
    else if (type === 'ai-title') facts.aiTitle = given(parsed(bytes).aiTitle) ?? facts.aiTitle;
    else if (type === 'last-prompt') facts.lastPrompt = given(parsed(bytes).lastPrompt) ?? facts.lastPrompt;
  }
}

function parsed(bytes: Buffer): JsonObject {
  const value = parseJson(bytes.toString('utf8'));
  return isObject(value) ? value : {};
}

/** A prompt with a picture is a megabyte of base64, of which no word is wanted. */
function withoutImages(bytes: Buffer): JsonObject {
  if (bytes.length < largeLine) return parsed(bytes);
  const message = findMember(bytes, 0, 'message');
  const content = message === undefined ? undefined : findMember(bytes, message.valueStart, 'content');
  if (content === undefined || bytes[content.valueStart] !== openBracket) return parsed(bytes);
  const blocks: JsonValue[] = [];
  for (let i = 0; i < mostBlocks; i++) {
    const block = findElement(bytes, content.valueStart, i);
    if (block === undefined) break;
    if (block.valueEnd - block.valueStart >= largeLine) continue;
    const value = parseJson(bytes.toString('utf8', block.valueStart, block.valueEnd));
    if (value !== undefined) blocks.push(value);
  }
  return { type: 'user', message: { role: 'user', content: blocks } };
}

const largeLine = 16 * 1024;
/** Of a prompt; only its beginning is kept. */
const mostBlocks = 20;
const openBracket = 0x5b;

function given(value: unknown): string | undefined {
  return asString(value)?.trim() || undefined;
}
