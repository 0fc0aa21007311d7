// Rows of usage as bytes: what the scanner writes, what the state of usage keeps on the disk, and back to lines for the
// counting rule. A part begins with two lengths (u32): of its rows, and of the heap that holds their ids.
import { noUsage, type TokenCounts } from '../../format/entry/index.ts';
import type { UsageLine } from '../../session/usage/index.ts';

/** As in format/scan/scan.as.ts. */
export const rowBytes = 104;
export const absent = 0xffff_ffff;
export const rowFlags = { sidechain: 1, fast: 2, stop: 4, copy: 8, usOnly: 16, batch: 32, synthetic: 64 } as const;
/** Offsets in a row. The last four are references into the heap: offset and length. */
export const rowOffsets = {
  time: 0,
  line: 8,
  /** The flags, and the number of the model from bit 8. */
  flags: 12,
  inputTokens: 16,
  outputTokens: 24,
  cacheReadTokens: 32,
  cacheWrite5mTokens: 40,
  cacheWrite1hTokens: 48,
  webSearches: 56,
  /** A hash of the message id, or of the uuid of a line without one; 0 if it has neither. */
  key: 64,
  messageId: 72,
  requestId: 80,
  uuid: 88,
  /** JSON: compactions, and the name of a model without a number. */
  extra: 96,
} as const;

/** The rows of a part. A part starts at a multiple of 8, so that its numbers can be read in place. */
export class PackedRows {
  readonly bytes: Buffer;
  readonly count: number;
  /** All numbers of the rows: 13 (`f64`) or 26 (`u32`) in each. */
  readonly doubles: Float64Array;
  readonly words: Uint32Array;
  readonly #heapAt: number;

  /** Throws a `RangeError` if the lengths do not fit. */
  constructor(bytes: Buffer) {
    const rows = bytes.readUInt32LE(0);
    if (rows % rowBytes !== 0 || headBytes + rows + bytes.readUInt32LE(4) > bytes.length)
      throw new RangeError('not a part');
    this.bytes = bytes;
    this.count = rows / rowBytes;
    this.doubles = new Float64Array(bytes.buffer, bytes.byteOffset + headBytes, rows / 8);
    this.words = new Uint32Array(bytes.buffer, bytes.byteOffset + headBytes, rows / 4);
    this.#heapAt = headBytes + rows;
  }

  /** The two halves of the key of a row; both are 0 if it has none. */
  lowKeyOf(row: number): number {
    return this.words[(row * rowBytes + rowOffsets.key) / 4] as number;
  }

  highKeyOf(row: number): number {
    return this.words[(row * rowBytes + rowOffsets.key) / 4 + 1] as number;
  }

  flagsOf(row: number): number {
    return this.words[(row * rowBytes + rowOffsets.flags) / 4] as number;
  }

  hasExtra(row: number): boolean {
    return this.words[(row * rowBytes + rowOffsets.extra) / 4 + 1] !== absent;
  }

  /** Adds the rows to `lines`. A stop reason is restored as `yes`: only its presence matters. */
  unpack(names: PackedNames, lines: UsageLine[]): void {
    const { file, sessionId, models } = names;
    for (let row = 0; row < this.count; row++) {
      const at = (row * rowBytes) / 8;
      const flags = this.flagsOf(row);
      const has = (flag: number): boolean => (flags & flag) !== 0;
      const number = (offset: number): number => this.doubles[at + offset / 8] as number;
      const extra = this.#extra(row);
      lines.push({
        file,
        sessionId,
        line: this.words[(row * rowBytes + rowOffsets.line) / 4] as number,
        uuid: this.#text(row, rowOffsets.uuid),
        isSidechain: has(rowFlags.sidechain),
        messageId: this.#text(row, rowOffsets.messageId),
        requestId: this.#text(row, rowOffsets.requestId),
        model: extra?.model ?? (flags >>> 8 === 0 ? undefined : models[flags >>> 8]),
        stopReason: has(rowFlags.stop) ? 'yes' : undefined,
        time: number(rowOffsets.time),
        usage: {
          inputTokens: number(rowOffsets.inputTokens),
          outputTokens: number(rowOffsets.outputTokens),
          cacheReadTokens: number(rowOffsets.cacheReadTokens),
          cacheWrite5mTokens: number(rowOffsets.cacheWrite5mTokens),
          cacheWrite1hTokens: number(rowOffsets.cacheWrite1hTokens),
          webSearches: number(rowOffsets.webSearches),
          fast: has(rowFlags.fast),
          usOnly: has(rowFlags.usOnly),
          batch: has(rowFlags.batch),
          compactions: extra?.compactions ?? noUsage.compactions,
        },
        isCopy: has(rowFlags.copy),
      });
    }
  }

  #extra(row: number): { readonly model?: string; readonly compactions: readonly TokenCounts[] } | undefined {
    return this.hasExtra(row) ? JSON.parse(this.#text(row, rowOffsets.extra) ?? '') : undefined; // written by RowWriter
  }

  #text(row: number, offset: number): string | undefined {
    const at = (row * rowBytes + offset) / 4;
    const length = this.words[at + 1] as number;
    if (length === absent) return undefined;
    const start = this.#heapAt + (this.words[at] as number);
    return this.bytes.toString('utf8', start, start + length);
  }
}

export interface PackedNames {
  readonly file: string;
  readonly sessionId: string;
  /** By number; there is none with the number 0. */
  readonly models: readonly (string | undefined)[];
}

export const headBytes = 8;

/** Several parts of a file as one. */
export function joinParts(parts: readonly PackedRows[]): Buffer {
  const rows = parts.reduce((sum, part) => sum + part.count * rowBytes, 0);
  const heaps = parts.map((part) => part.bytes.readUInt32LE(4));
  const heap = heaps.reduce((sum, length) => sum + length, 0);
  const joined = Buffer.alloc(paddedLength(headBytes + rows + heap));
  joined.writeUInt32LE(rows, 0);
  joined.writeUInt32LE(heap, 4);
  let rowsTo = headBytes;
  let heapTo = 0;
  for (const [i, part] of parts.entries()) {
    const size = part.count * rowBytes;
    part.bytes.copy(joined, rowsTo, headBytes, headBytes + size);
    part.bytes.copy(joined, headBytes + rows + heapTo, headBytes + size, headBytes + size + (heaps[i] as number));
    for (let row = rowsTo; row < rowsTo + size; row += rowBytes) {
      for (const offset of [rowOffsets.messageId, rowOffsets.requestId, rowOffsets.uuid, rowOffsets.extra])
        joined.writeUInt32LE((joined.readUInt32LE(row + offset) + heapTo) >>> 0, row + offset);
    }
    rowsTo += size;
    heapTo += heaps[i] as number;
  }
  return joined;
}

/** Parts end at a multiple of 8, so that the next one starts there. */
export function paddedLength(length: number): number {
  return Math.ceil(length / 8) * 8;
}
