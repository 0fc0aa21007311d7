// One JSONL file → its nodes and diagnostics. Every line becomes a node, several (joined and spliced records), or a
// diagnostic; content stays in the file and is read again when it is wanted.
import { isUtf8 } from 'node:buffer';
import { type Diagnostic, systemErrorCode } from '../../base/errors/index.ts';
import { hasLoneSurrogate, isObject, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import {
  checkJson,
  findMember,
  parseWithout,
  skipString,
  skipValue,
  skipWhitespace,
} from '../../format/bytes/index.ts';
import { recoverRecords } from '../../format/line/index.ts';
import { type Head, scannedHead, scanRecord } from '../../format/scan/index.ts';
import { type Line, linesOfBytes, RangeReader, readLineBatches, readWholeFile } from '../../store/index.ts';
import { Node, type Place, SharedValues } from './node.ts';
import { type ValueSpan, ValueWatch } from './value-watch.ts';

/** One transcript file: its nodes and what is wrong with its lines. */
export interface Transcript {
  readonly path: string;
  readonly sizeBytes: number;
  readonly nodes: readonly Node[];
  readonly diagnostics: readonly Diagnostic[];
  /** The program that wrote the file, where it is not Claude Code. */
  readonly foreign: string | undefined;
  /** A message id returns after a typed line, or a call is made again: the history may be repeated (see replay.ts). */
  readonly mayRepeat: boolean;
  /** The entry; an empty object where its bytes are not JSON after all. By default all of it is needed. */
  read(node: Node, needed?: NeededPart): JsonObject;
  /** A part of it as a transcript of its own, its nodes numbered from 0. */
  pick(nodes: readonly Node[]): Transcript;
}

/**
 * What a reader needs of an entry; the rest may be absent. `sent`: everything but `toolUseResult`, which is as long as the
 * result and is never sent. `toolUseResult`: only that.
 */
export type NeededPart = 'sent' | 'toolUseResult';

/** Options of `loadSession` and `loadAgent`. */
export interface TranscriptOptions {
  /**
   * Parse every line, so that what is not JSON to the last byte is not a node. Without it only the shape is checked,
   * which is several times faster and differs only on lines damaged inside a string or a number.
   */
  readonly strict?: boolean;
  /** Leave `message` out of the nodes: enough for graph and turns, in half the memory. */
  readonly withoutMessages?: boolean;
}

const maxDiagnostics = 10_000;
const maxPendingBytes = 4 * 1024 * 1024;
const maxPendingLines = 2_000;

export function loadTranscript(path: string, options: TranscriptOptions = {}): Transcript {
  return load(path, readWholeFile(path), options);
}

/** The same file by other rules; read again only if it is too large to be in memory. */
export function reloadTranscript(transcript: Transcript, options: TranscriptOptions): Transcript {
  return load(transcript.path, bytesOf(transcript), options);
}

function load(path: string, bytes: Buffer | undefined, options: TranscriptOptions): Transcript {
  const loader = new Loader(options);
  for (const batch of bytes === undefined ? readLineBatches(path) : linesOfBytes(bytes))
    for (const line of batch) loader.add(line);
  loader.finish();
  return makeTranscript(path, loader, bytes);
}

interface Reader {
  readonly ranges: RangeReader;
  readonly bytes: Buffer | undefined;
  readonly end: TranscriptEnd | undefined;
}

const readers = new WeakMap<Transcript, Reader>();

/** What lines that are appended later can refer to. */
export interface TranscriptEnd {
  readonly lastLine: number;
  /** Whether no later line can change the records that were read. */
  readonly isSettled: boolean;
  /** The hashes of all ids of messages and calls; incomplete if `mayRepeat`. */
  readonly seenIds: Iterable<number>;
  /** The hash of the id of the last answer, unless something was typed after it. */
  readonly answer: number | undefined;
}

/** `undefined` for a transcript that was not read by a `Loader`. */
export function endOf(transcript: Transcript): TranscriptEnd | undefined {
  return readers.get(transcript)?.end;
}

/** The bytes that a transcript was made from; `undefined` if the file is too large to be in memory. */
export function bytesOf(transcript: Transcript): Buffer | undefined {
  return readers.get(transcript)?.bytes;
}

/** Reads parts of the transcript's file, from memory if it is there. */
export function rangesOf(transcript: Transcript): RangeReader {
  return readers.get(transcript)?.ranges ?? new RangeReader(transcript.path);
}

/** For counts over many files: a file that cannot be read, such as a sub-agent's with other permissions, is empty. */
export function loadReadable(path: string, options: TranscriptOptions = {}): Transcript {
  try {
    return loadTranscript(path, options);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return makeTranscript(path, new Loader(options));
  }
}

/** `bytes`: the whole file, if it is in memory. */
export function makeTranscript(
  path: string,
  loaded: Omit<Transcript, 'path' | 'read' | 'pick'>,
  bytes?: Buffer,
): Transcript {
  const end = loaded instanceof Loader ? loaded : undefined;
  const ranges = new RangeReader(path, undefined, bytes);
  const { nodes, diagnostics, foreign, sizeBytes, mayRepeat } = loaded;
  const transcript: Transcript = {
    path,
    sizeBytes,
    nodes,
    diagnostics,
    foreign,
    mayRepeat,
    read: (node, needed) => {
      const value = parsePart(ranges.read(node.offset, node.length), needed);
      return isObject(value) ? value : {};
    },
    pick: (picked) => {
      const loader = new Loader({});
      for (const { offset, length, line, hidden } of picked) {
        loader.addRecord(ranges.read(offset, length), { line, offset, length, hidden });
      }
      return makeTranscript(path, loader, bytes);
    },
  };
  readers.set(transcript, { ranges, bytes, end });
  return transcript;
}

function parsePart(bytes: Buffer, needed: NeededPart | undefined): JsonValue | undefined {
  if (needed === 'sent') return parseWithout(bytes, neverSent);
  const member = needed === undefined ? undefined : findMember(bytes, 0, needed);
  if (needed === undefined || member === undefined) return parseJson(bytes.toString('utf8'));
  const value = parseJson(bytes.toString('utf8', member.valueStart, member.valueEnd));
  return value === undefined ? undefined : { [needed]: value };
}

const neverSent: ReadonlySet<string> = new Set(['toolUseResult']);

/** A line that begins an object and does not end it: perhaps one object written over several lines. */
interface PendingLine {
  readonly line: Line;
  readonly bytes: Buffer;
}

/** Reads a transcript line by line; a class because later lines depend on earlier ones. */
export class Loader {
  readonly nodes: Node[] = [];
  readonly diagnostics: Diagnostic[] = [];
  foreign: string | undefined;
  sizeBytes = 0;
  mayRepeat = false;
  /** The last line that was read, and whether no later line can change its records. */
  lastLine = 0;
  isSettled = true;
  answer: number | undefined;
  readonly #options: TranscriptOptions;
  readonly #shared = new SharedValues();
  #pending: PendingLine[] = [];
  #pendingBytes = 0;
  #pendingDepth = 0;
  readonly #values = new ValueWatch();
  /** What waits for the lines after it may become nodes in these. */
  readonly #swallowed: ValueSpan[] = [];
  #hasCrlf = false;
  #stretch = 0;
  readonly #stretchOfMessage = new Map<number, number>();
  readonly #calls = new Set<number>();

  constructor(options: TranscriptOptions) {
    this.#options = options;
  }

  get seenIds(): Iterable<number> {
    return [...this.#stretchOfMessage.keys(), ...this.#calls];
  }

  addRecord(bytes: Buffer, place: Omit<Place, 'index'>): void {
    const head = scanRecord(bytes);
    if (head !== undefined) this.#addHead(head, place);
  }

  /** `isRecord`: what `walkRecord` has just said of these bytes, which are then not walked again. */
  add(line: Line, isRecord?: boolean): void {
    this.sizeBytes = line.offset + line.length + (line.terminated ? 1 : 0);
    this.lastLine = line.number;
    this.isSettled = line.terminated;
    if (line.bytes.length < line.length) {
      this.#settlePending();
      this.#say('L-oversize', line, 0, `the line has ${line.length} bytes, too long to be read; it is kept as it is`);
      return;
    }
    const bytes = this.#withoutBom(line);
    const head =
      isRecord === undefined || bytes !== line.bytes ? scanRecord(bytes) : isRecord ? scannedHead(bytes) : undefined;
    this.#addLine(line, bytes, head);
    const swallowed = this.#values.take(bytes, line.offset + line.length - bytes.length, head !== undefined);
    for (const span of swallowed) this.#hide(span);
  }

  #addLine(line: Line, bytes: Buffer, head: Head | undefined): void {
    if (this.#pending.length > 0) {
      const isPiece = head === undefined || !looksLikeRecord(head);
      if (isPiece && this.#extendPending(line, bytes)) return;
      this.#settlePending();
    }
    if (head !== undefined && this.#isSound(line, bytes)) {
      this.#addNode(head, line, line.offset + line.length - bytes.length, bytes.length, false);
      this.#checkEnd(line);
      return;
    }
    if (skipWhitespace(bytes, 0) === bytes.length || this.#beginPending(line, bytes)) return;
    this.#recover(line, bytes);
  }

  finish(): void {
    if (this.#pending.length > 0 || this.#values.isOpen) this.isSettled = false;
    this.#settlePending();
    for (const span of this.#values.finish(this.sizeBytes)) this.#hide(span);
  }

  /** Lines inside a value over several lines are kept for readers; the client does not read them. */
  #hide(span: ValueSpan): void {
    const { start, end } = span;
    this.#swallowed.push(span);
    for (let i = this.nodes.length - 1; i >= 0; i--) {
      const node = this.nodes[i] as Node; // the index is in the list
      if (node.offset <= start) return;
      if (node.offset < end) node.hide();
    }
  }

  /** Whether the line begins an object and does not end it; if so it waits for the lines after it. */
  #beginPending(line: Line, bytes: Buffer): boolean {
    if (bytes[skipWhitespace(bytes, 0)] !== openBrace || bytes.length > maxPendingBytes) return false;
    this.#pendingBytes = 0;
    return this.#wait(line, bytes, openDepth(bytes, 0));
  }

  /** Whether the line ended or continued an object over several lines. */
  #extendPending(line: Line, bytes: Buffer): boolean {
    if (this.#pendingBytes + bytes.length > maxPendingBytes || this.#pending.length >= maxPendingLines) return false;
    if (this.#wait(line, bytes, openDepth(bytes, this.#pendingDepth))) return true;
    const pieces = [...this.#pending.map((piece) => piece.bytes), bytes];
    const joined = Buffer.concat(pieces.flatMap((piece, i) => (i === 0 ? [piece] : [newline, piece])));
    const first = this.#pending[0] as PendingLine; // the caller has seen that there is one
    const head = scanRecord(joined);
    if (head === undefined || parseJson(joined.toString('utf8')) === undefined) return false;
    if (!this.#isSound(first.line, joined)) return false;
    this.#pending = [];
    this.#addNode(head, first.line, first.line.offset + first.line.length - first.bytes.length, joined.length, false);
    this.#checkEnd(line);
    return true;
  }

  #wait(line: Line, bytes: Buffer, depth: number): boolean {
    if (depth === 0) return false;
    const kept = Buffer.from(line.bytes);
    this.#pending.push({ line: { ...line, bytes: kept }, bytes: kept.subarray(kept.length - bytes.length) });
    this.#pendingBytes += bytes.length + 1;
    this.#pendingDepth = depth;
    return true;
  }

  #settlePending(): void {
    const pending = this.#pending;
    this.#pending = [];
    for (const { line, bytes } of pending) this.#recover(line, bytes);
  }

  #recover(line: Line, bytes: Buffer): void {
    const skipped = line.length - bytes.length;
    const { records, damage } = recoverRecords(bytes);
    const lineStart = skipWhitespace(bytes, 0);
    if (records[0]?.start !== lineStart) this.#addClientRecord(line, bytes, lineStart);
    for (const { start, end } of records) {
      const piece = bytes.subarray(start, end);
      const head = scanRecord(piece);
      if (head === undefined) continue;
      this.#addNode(head, line, line.offset + skipped + start, piece.length, start !== lineStart);
    }
    for (const { code, start, message } of damage) this.#say(code, line, skipped + start, message);
    this.#checkEnd(line);
  }

  /** The client reads any whole object at the start of a line, also one that recovery takes for a piece of something. */
  #addClientRecord(line: Line, bytes: Buffer, start: number): void {
    const end = bytes[start] === openBrace ? skipValue(bytes, start) : -1;
    if (end < 0 || parseJson(bytes.toString('utf8', start, end)) === undefined) return;
    const head = scanRecord(bytes.subarray(start, end));
    if (head === undefined || !clientTypes.has(head.type)) return;
    this.#addNode(head, line, line.offset + line.length - bytes.length + start, end - start, false);
  }

  #addNode(head: Head, line: Line, offset: number, length: number, hidden: boolean): void {
    this.#addHead(head, { line: line.number, offset, length, hidden });
  }

  #addHead(head: Head, place: Omit<Place, 'index'>): void {
    if (head.message?.hasParts === true && head.message.content === 'absent') this.foreign ??= 'Qwen Code';
    const keepMessage = this.#options.withoutMessages !== true;
    const hidden = place.hidden || this.#swallowed.some(({ start, end }) => place.offset > start && place.offset < end);
    const node = new Node(head, { ...place, hidden, index: this.nodes.length }, this.#shared, keepMessage);
    this.nodes.push(node);
    this.#watchForRepeats(node.type, head);
  }

  /** By hashes, because the ids of half a million lines need much memory; a false alarm only costs a closer look. */
  #watchForRepeats(type: string, { message }: Head): void {
    if (this.mayRepeat || message === undefined) return;
    if (type === 'user' && message.results.length === 0) {
      this.#stretch++;
      this.answer = undefined;
    }
    if (type !== 'assistant' || message.id === undefined) return;
    const id = hashId(message.id);
    const before = this.#stretchOfMessage.get(id) ?? this.#stretch;
    this.#stretchOfMessage.set(id, this.#stretch);
    this.mayRepeat = before !== this.#stretch;
    this.answer = id;
    for (const call of message.calls) {
      const made = hashId(call.id);
      if (this.#calls.has(made)) this.mayRepeat = true;
      this.#calls.add(made);
    }
  }

  #withoutBom(line: Line): Buffer {
    const { bytes } = line;
    if (line.offset !== 0 || bytes[0] !== 0xef || bytes[1] !== 0xbb || bytes[2] !== 0xbf) return bytes;
    this.#say('L-bom', line, 0, 'the file begins with a byte-order mark');
    return bytes.subarray(3);
  }

  #isSound(line: Line, bytes: Buffer): boolean {
    if (this.#options.strict !== true) return true;
    const checked = checkJson(bytes);
    if (checked === 'invalid') return false;
    if (!isUtf8(bytes)) this.#say('L-utf8', line, 0, 'a string holds bytes that are not UTF-8');
    if (checked === 'surrogates' && hasLoneSurrogate(parseJson(bytes.toString('utf8')) ?? null)) {
      this.#say('L-surrogate', line, 0, 'a string holds half of a surrogate pair');
    }
    return true;
  }

  #checkEnd(line: Line): void {
    if (
      !line.terminated &&
      !this.diagnostics.some((said) => said.line === line.number && said.code === 'L-torn-tail')
    ) {
      this.#say('L-no-newline', line, line.length, 'the last line has no newline');
    }
    if (!this.#hasCrlf && line.terminated && line.bytes.at(-1) === 0x0d) {
      this.#hasCrlf = true;
      this.#say('L-crlf', line, line.length - 1, 'lines end in CR LF');
    }
  }

  #say(code: string, line: Line, at: number, message: string): void {
    if (this.diagnostics.length >= maxDiagnostics) return;
    this.diagnostics.push({ code, line: line.number, offset: line.offset + at, message });
  }
}

const newline = Buffer.from('\n');

/** Short, because a transcript has hundreds of thousands of ids; two ids may share one. */
export function hashId(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = (Math.imul(value, 31) + text.charCodeAt(i)) | 0;
  return value;
}

const clientTypes: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'system',
  'attachment',
  'progress',
  'last-prompt',
]);

/** A record of its own, even if the line before it broke off. */
function looksLikeRecord(head: Head): boolean {
  return head.type !== '' && (head.uuid !== undefined || head.sessionId !== undefined || !Number.isNaN(head.time));
}

const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const quote = 0x22;

/** How many brackets are open at the end, including `depth`; 0 if all were closed or a string is cut. */
function openDepth(bytes: Buffer, depth: number): number {
  let open = depth;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) {
      const end = skipString(bytes, i);
      if (end < 0) return 0;
      i = end - 1;
    } else if (byte === openBrace || byte === openBracket) open++;
    else if ((byte === closeBrace || byte === closeBracket) && --open === 0) return 0;
  }
  return open;
}
