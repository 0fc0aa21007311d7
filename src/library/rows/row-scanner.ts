// New lines of a transcript → packed rows of usage, and what the lines say about their session. The file is read into the
// memory of the scanner in WebAssembly; a line that it does not know is read by `UsageReader`.
import { closeSync, readSync } from 'node:fs';
import { openRegularFile } from '../../base/files/index.ts';
import { LineScanner } from '../../format/scan/index.ts';
import { bytesForProof, type FileProof, proofOfBytes, proveFile } from '../../store/index.ts';
import { rowBytes } from './packed-rows.ts';
import { packPart, RowWriter, textBytesOf } from './row-writer.ts';
import { type FileFacts, type LineWithUsage, readUsageLines, UsageReader } from './usage-reader.ts';

export interface RowSource {
  readonly path: string;
  /** The session that the file belongs to, if its path says so. */
  readonly sessionId: string | undefined;
  /** Where to begin, and how many newlines are before it. */
  readonly offset: number;
  readonly line: number;
  /** How large the file is; what was written since is for the next time. */
  readonly size: number;
}

export interface ScannedRows {
  /** After the last newline that was read, or after a last record that lacks one. */
  readonly offset: number;
  readonly line: number;
  /** Packed rows (packed-rows.ts); more than one for very many rows. */
  readonly parts: readonly Buffer[];
  readonly facts: FileFacts;
  readonly proof: FileProof;
  /** From the disk. */
  readonly bytesRead: number;
}

const chunkBytes = 1024 * 1024;
/** A longer line is read by the JavaScript reader, in pieces. */
const maxLineBytes = 32 * 1024 * 1024;
const newline = 0x0a;

/** Scans one file after the other. */
export class RowScanner {
  readonly #lines: LineScanner = new LineScanner();

  /** `models` are the names of the models in rows that exist, by number, from 1. */
  constructor(models: readonly string[] = ['']) {
    for (const name of models.slice(1)) this.#lines.modelNumber(name);
  }

  /** The names of all models in rows, by number, from 1. */
  get models(): readonly string[] {
    return this.#lines.models;
  }

  /**
   * Reads whole lines from `offset`. A last line without a newline is read if it is a whole record (many files that were
   * rewritten or copied end like this); otherwise it is still being written, and left for the next time.
   */
  scan(source: RowSource): ScannedRows {
    return new FileScan(this.#lines, source).run();
  }
}

class FileScan {
  readonly #scanner: LineScanner;
  readonly #source: RowSource;
  readonly #reader: UsageReader;
  readonly #parts: Buffer[] = [];
  #bytesRead = 0;

  constructor(lines: LineScanner, source: RowSource) {
    this.#scanner = lines;
    this.#source = source;
    this.#reader = new UsageReader(source.sessionId);
  }

  run(): ScannedRows {
    const { path, sessionId, line } = this.#source;
    const file = openRegularFile(path);
    try {
      this.#scanner.begin(line, sessionId);
      const read = this.#readChunks(file);
      return this.#finish(read.offset, read.proof);
    } catch (error) {
      if (!(error instanceof NotForScanner)) throw error;
      return readSlowly(this.#scanner, this.#source);
    } finally {
      closeSync(file);
    }
  }

  #readChunks(file: number): { readonly offset: number; readonly proof: FileProof | undefined } {
    const lines = this.#scanner;
    const { windowAt } = lines;
    const { size, offset: start } = this.#source;
    let offset = start;
    let filled = 0;
    for (;;) {
      const room = Math.min(chunkBytes, size - offset - filled);
      if (room > 0) lines.reserve(filled + room);
      const got = room > 0 ? readSync(file, lines.memory, windowAt + filled, room, offset + filled) : 0;
      this.#bytesRead += got;
      const end = windowAt + filled + got;
      const last = got === 0 ? -1 : lines.memory.lastIndexOf(newline, end - 1);
      let scanned = windowAt;
      if (last >= windowAt + filled) {
        scanned = last + 1;
        this.#scanLines(scanned);
      }
      const isEnd = got === 0 || offset + (end - windowAt) >= size;
      if (isEnd && scanned < end && this.#addLast(scanned, end)) scanned = end;
      offset += scanned - windowAt;
      if (isEnd) {
        const isWhole = start === 0 && offset === scanned - windowAt;
        return { offset, proof: isWhole ? proofOfBytes(lines.memory.subarray(windowAt, scanned), offset) : undefined };
      }
      filled = end - scanned;
      if (filled > maxLineBytes) throw new NotForScanner();
      if (filled > 0) lines.memory.copyWithin(windowAt, scanned, end);
    }
  }

  /** The lines from the start of the window to `to`. */
  #scanLines(to: number): void {
    const lines = this.#scanner;
    let at = lines.windowAt;
    while (at < to) {
      at = lines.scan(at, to);
      this.#takeFacts();
      if (at >= to) return;
      if (lines.isFull) {
        this.#takeRows();
        continue;
      }
      const end = lines.memory.indexOf(newline, at);
      this.#reader.add(lines.memory.subarray(at, end), lines.lines + 1);
      this.#giveRows();
      lines.passLine();
      at = end + 1;
    }
  }

  /** Whether a last line without a newline is a record. */
  #addLast(start: number, end: number): boolean {
    const isRecord = this.#reader.addRecord(this.#scanner.memory.subarray(start, end), this.#scanner.lines + 1);
    if (isRecord) this.#giveRows();
    return isRecord;
  }

  /** From the scanner, before the reader reads a later line; the session id is valid while its line is in the window. */
  #takeFacts(): void {
    const { facts } = this.#reader;
    const lines = this.#scanner;
    facts.cwd ??= lines.cwd;
    facts.sessionId ??= lines.sessionId;
    if (Number.isNaN(facts.firstAt)) facts.firstAt = lines.firstAt;
  }

  /** To the scanner: what the reader made of a line. */
  #giveRows(): void {
    const lines = this.#scanner;
    for (const line of this.#reader.takeUsage()) {
      if (lines.isFull) this.#takeRows();
      if (textBytesOf(line) > maxTextBytes) throw new NotForScanner();
      const writer = new RowWriter(lines.memory, lines.rowsEnd, lines.heapEnd, lines.heapAt);
      writer.add(line, numberOf(line.model, lines), keyOf(line, lines));
      lines.setEnds(writer.rowsEnd, writer.heapEnd);
    }
  }

  #takeRows(): void {
    const { memory, rowsAt, rowsEnd, heapAt, heapEnd } = this.#scanner;
    if (rowsEnd > rowsAt)
      this.#parts.push(packPart(memory.subarray(rowsAt, rowsEnd), memory.subarray(heapAt, heapEnd)));
    this.#scanner.clearRows();
  }

  #finish(offset: number, proof: FileProof | undefined): ScannedRows {
    const { facts } = this.#reader;
    const { startedAt, endedAt, lines, origins } = this.#scanner;
    this.#takeFacts();
    this.#takeRows();
    for (const origin of origins) facts.origins.add(origin);
    facts.startedAt = Math.min(facts.startedAt, startedAt);
    facts.endedAt = Math.max(facts.endedAt, endedAt);
    if (proof === undefined) this.#bytesRead += bytesForProof(offset);
    return {
      offset,
      line: lines,
      parts: this.#parts,
      facts,
      proof: proof ?? proveFile(this.#source.path, offset),
      bytesRead: this.#bytesRead,
    };
  }
}

/** A file with lines or ids too long for the memory of the scanner. */
class NotForScanner extends Error {}

/** Of one line: what the scanner always has room for. */
const maxTextBytes = 900;

function numberOf(model: string | undefined, lines: LineScanner): number {
  return model === undefined ? 0 : lines.modelNumber(model);
}

/** Ids that are too long to hash have the same key: the counting rule compares them in full. */
const longKey = 1n;

function keyOf({ messageId, uuid }: LineWithUsage, lines: LineScanner): bigint {
  const id = messageId ?? uuid;
  return id === undefined ? 0n : (lines.keyOf(id, messageId !== undefined) ?? longKey);
}

/** The whole file by the JavaScript reader. */
function readSlowly(
  lines: LineScanner,
  { path, sessionId, offset: start, line: before, size }: RowSource,
): ScannedRows {
  let bytesRead = 0;
  const onRead = (bytes: number): void => {
    bytesRead += bytes;
  };
  const from = { offset: start, number: before + 1 };
  const { offset, line, usage, facts } = readUsageLines(path, { sessionId, from, endOffset: size, onRead });
  const rows = Buffer.alloc(usage.length * rowBytes);
  const heap = Buffer.alloc(usage.reduce((sum, each) => sum + textBytesOf(each), 0));
  const memory = Buffer.concat([rows, heap]);
  const writer = new RowWriter(memory, 0, rows.length, rows.length);
  for (const each of usage) writer.add(each, numberOf(each.model, lines), keyOf(each, lines));
  const part = packPart(memory.subarray(0, rows.length), memory.subarray(rows.length, writer.heapEnd));
  bytesRead += bytesForProof(offset);
  return { offset, line, parts: usage.length === 0 ? [] : [part], facts, proof: proveFile(path, offset), bytesRead };
}
