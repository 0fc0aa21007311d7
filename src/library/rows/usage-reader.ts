// Lines of a transcript → the usage they carry, and what they say about their session. The one definition of both: the
// scanner in WebAssembly (row-scanner.ts) reads only lines of which this reader would say the same.
import { parseLine } from '../../format/line/index.ts';
import { field, isTrue, scannedUsage, stringField, stringFields, timeOf, walkRecord } from '../../format/scan/index.ts';
import type { UsageLine } from '../../session/usage/index.ts';
import { type LineOptions, readLineBatches } from '../../store/index.ts';

/** A line with usage, of a file and a session that are known from elsewhere. */
export type LineWithUsage = Omit<UsageLine, 'file' | 'sessionId'>;

/** What the lines of a file say about their session. */
export interface FileFacts {
  /** As the first line that has it. */
  sessionId: string | undefined;
  cwd: string | undefined;
  startedAt: number;
  endedAt: number;
  /** The time of the first line that has one. */
  firstAt: number;
  /** The sessions that lines name as their origin. */
  readonly origins: Set<string>;
}

const kindFields: readonly number[] = [field.type, field.role];
const kindTexts: (string | undefined)[] = [];
const answerFields: readonly number[] = [field.messageId, field.requestId, field.model, field.stopReason];
const answerTexts: (string | undefined)[] = [];

export class UsageReader {
  readonly facts: FileFacts = {
    sessionId: undefined,
    cwd: undefined,
    startedAt: Number.POSITIVE_INFINITY,
    endedAt: Number.NEGATIVE_INFINITY,
    firstAt: Number.NaN,
    origins: new Set(),
  };
  readonly #sessionId: string | undefined;
  #usage: LineWithUsage[] = [];

  /** The session that the file belongs to, if its path says so: a line that names another session was copied. */
  constructor(sessionId: string | undefined) {
    this.#sessionId = sessionId;
  }

  /** A line may have several records, or damage. */
  add(bytes: Buffer, line: number): void {
    if (this.addRecord(bytes, line)) return;
    for (const { entry, bytes: piece } of parseLine(bytes).pieces) {
      if (entry !== undefined) this.addRecord(Buffer.from(piece.buffer, piece.byteOffset, piece.length), line);
    }
  }

  /** False if the line is not exactly one record; then nothing was read. */
  addRecord(bytes: Buffer, line: number): boolean {
    if (!walkRecord(bytes)) return false;
    const { facts } = this;
    facts.sessionId ??= stringField(bytes, field.sessionId);
    facts.cwd ??= stringField(bytes, field.cwd);
    const isCopy = this.#noteOrigin(bytes);
    const time = timeOf(bytes);
    if (Number.isNaN(facts.firstAt)) facts.firstAt = time;
    if (time < facts.startedAt) facts.startedAt = time;
    if (time > facts.endedAt) facts.endedAt = time;
    stringFields(bytes, kindFields, kindTexts);
    if ((kindTexts[0] || kindTexts[1]) === 'assistant') this.#addAnswer(bytes, line, time, isCopy);
    return true;
  }

  /** The lines with usage since the last call. */
  takeUsage(): readonly LineWithUsage[] {
    const taken = this.#usage;
    this.#usage = [];
    return taken;
  }

  /** Forks by the SDK and by Clew say it on each message; those of client 2.1.45 keep the session's id on their lines. */
  #noteOrigin(bytes: Buffer): boolean {
    const marked = this.#otherSession(stringField(bytes, field.originSessionId));
    const origin = marked ?? this.#otherSession(stringField(bytes, field.sessionId));
    if (origin !== undefined) this.facts.origins.add(origin);
    return marked !== undefined;
  }

  #otherSession(id: string | undefined): string | undefined {
    return this.#sessionId === undefined || id === '' || id === this.#sessionId ? undefined : id;
  }

  #addAnswer(bytes: Buffer, line: number, time: number, isCopy: boolean): void {
    const usage = scannedUsage(bytes);
    if (usage === undefined) return;
    stringFields(bytes, answerFields, answerTexts);
    const [messageId, requestId, model, stopReason] = answerTexts;
    const uuid = messageId === undefined ? stringField(bytes, field.uuid) : undefined;
    const isSidechain = isTrue(bytes, field.isSidechain);
    this.#usage.push({ line, time, uuid, isSidechain, messageId, requestId, model, stopReason, usage, isCopy });
  }
}

export interface UsageOptions extends Pick<LineOptions, 'from' | 'endOffset' | 'onRead'> {
  /** As of `UsageReader`. */
  readonly sessionId: string | undefined;
  /** Read no further than this many bytes, to the end of a line. */
  readonly maxBytes?: number;
}

export interface ReadUsage {
  /** After the last newline that was read, or after a last record that lacks one. */
  readonly offset: number;
  /** Newlines before `offset`. */
  readonly line: number;
  readonly usage: readonly LineWithUsage[];
  readonly facts: FileFacts;
}

/** Reads a file, or a part of it, with `UsageReader`. A last line without a newline is read if it is a whole record. */
export function readUsageLines(file: string, options: UsageOptions): ReadUsage {
  const { sessionId, maxBytes = Number.POSITIVE_INFINITY, ...range } = options;
  const reader = new UsageReader(sessionId);
  const start = range.from?.offset ?? 0;
  let offset = start;
  let line = (range.from?.number ?? 1) - 1;
  for (const batch of readLineBatches(file, range)) {
    for (const { bytes, length, number, offset: at, terminated } of batch) {
      const isHeld = bytes.length === length;
      if (terminated) {
        if (isHeld) reader.add(bytes, number);
        offset = at + length + 1;
        line = number;
      } else if (isHeld && reader.addRecord(bytes, number)) offset = at + length;
      if (offset - start >= maxBytes) return { offset, line, usage: reader.takeUsage(), facts: reader.facts };
    }
  }
  return { offset, line, usage: reader.takeUsage(), facts: reader.facts };
}
