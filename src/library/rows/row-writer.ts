// Lines with usage → packed rows, for the lines that the scanner in WebAssembly leaves to JavaScript.
import { absent, headBytes, paddedLength, rowBytes, rowFlags, rowOffsets } from './packed-rows.ts';
import type { LineWithUsage } from './usage-reader.ts';

/** Writes rows after `rowsEnd` and their ids after `heapEnd`, both in `memory`. */
export class RowWriter {
  rowsEnd: number;
  heapEnd: number;
  readonly #memory: Buffer;
  readonly #heapAt: number;

  constructor(memory: Buffer, rowsEnd: number, heapEnd: number, heapAt: number) {
    this.#memory = memory;
    this.rowsEnd = rowsEnd;
    this.heapEnd = heapEnd;
    this.#heapAt = heapAt;
  }

  /** `model` is its number, 0 if it has none; `key` is the hash of its id. */
  add(line: LineWithUsage, model: number, key: bigint): void {
    const { usage, messageId } = line;
    const at = this.rowsEnd;
    this.#double(at + rowOffsets.time, line.time);
    this.#memory.writeUInt32LE(line.line, at + rowOffsets.line);
    this.#memory.writeUInt32LE((flagsOf(line) | (model << 8)) >>> 0, at + rowOffsets.flags);
    this.#double(at + rowOffsets.inputTokens, usage.inputTokens);
    this.#double(at + rowOffsets.outputTokens, usage.outputTokens);
    this.#double(at + rowOffsets.cacheReadTokens, usage.cacheReadTokens);
    this.#double(at + rowOffsets.cacheWrite5mTokens, usage.cacheWrite5mTokens);
    this.#double(at + rowOffsets.cacheWrite1hTokens, usage.cacheWrite1hTokens);
    this.#double(at + rowOffsets.webSearches, usage.webSearches);
    this.#memory.writeBigUInt64LE(key, at + rowOffsets.key);
    this.#text(at + rowOffsets.messageId, messageId);
    this.#text(at + rowOffsets.requestId, line.requestId);
    // Only a line without a message id is identified by its uuid.
    this.#text(at + rowOffsets.uuid, messageId === undefined ? line.uuid : undefined);
    this.#text(at + rowOffsets.extra, extraOf(line, model));
    this.rowsEnd += rowBytes;
  }

  #double(at: number, value: number): void {
    this.#memory.writeDoubleLE(value, at);
  }

  #text(at: number, text: string | undefined): void {
    const length = text === undefined ? absent : this.#memory.write(text, this.heapEnd);
    this.#memory.writeUInt32LE(this.heapEnd - this.#heapAt, at);
    this.#memory.writeUInt32LE(length, at + 4);
    if (length !== absent) this.heapEnd += length;
  }
}

function flagsOf({ isSidechain, stopReason, isCopy, model, usage }: LineWithUsage): number {
  return (
    (isSidechain ? rowFlags.sidechain : 0) |
    (usage.fast ? rowFlags.fast : 0) |
    (stopReason === undefined ? 0 : rowFlags.stop) |
    (isCopy ? rowFlags.copy : 0) |
    (usage.usOnly ? rowFlags.usOnly : 0) |
    (usage.batch ? rowFlags.batch : 0) |
    (model === '<synthetic>' ? rowFlags.synthetic : 0)
  );
}

/** What few lines have: compactions, or a model without a number. */
function extraOf({ model, usage }: LineWithUsage, number: number): string | undefined {
  const hasName = model !== undefined && number === 0;
  if (!hasName && usage.compactions.length === 0) return undefined;
  return JSON.stringify({ ...(hasName && { model }), compactions: usage.compactions });
}

/** The most bytes that the texts of a row take. */
export function textBytesOf(line: LineWithUsage): number {
  const { messageId = '', requestId = '', uuid = '', model = '' } = line;
  return Buffer.byteLength(messageId + requestId + uuid) + Buffer.byteLength(extraOf(line, 0) ?? '') + model.length;
}

/** Rows and their ids as a part. */
export function packPart(rows: Buffer, heap: Buffer): Buffer {
  const part = Buffer.allocUnsafeSlow(paddedLength(headBytes + rows.length + heap.length));
  part.writeUInt32LE(rows.length, 0);
  part.writeUInt32LE(heap.length, 4);
  rows.copy(part, headBytes);
  heap.copy(part, headBytes + rows.length);
  part.fill(0, headBytes + rows.length + heap.length);
  return part;
}
