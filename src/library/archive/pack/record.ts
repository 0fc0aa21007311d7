// The packs of an archive: files of records, each a line of text that says what follows and how to check it, then the
// body. Records are only ever appended, so that a program killed at any moment leaves whole records and at most one
// torn one at the end.
import { hash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { brotliCompress, brotliDecompressSync, constants, gunzipSync, gzip } from 'node:zlib';
import { openRegularFile } from '../../../base/files/index.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../../base/json/index.ts';

/** Of the hash of a chunk. */
export const hashBytes = 16;

export interface ChunksHeader {
  readonly kind: 'chunks';
  readonly codec: string;
  /** The number of the first chunk; the others follow. */
  readonly first: number;
  readonly count: number;
  readonly rawBytes: number;
  readonly bodyBytes: number;
  /** Of the body: SHA-256, the first 32 hex digits. */
  readonly sha256: string;
  /** Written into an archive with a file of committed sums: if that file is missing, it was lost. */
  readonly summed?: true;
}

export interface SessionHeader {
  readonly kind: 'session';
  readonly codec: string;
  /** A number above those of all chunks that the session is made of. */
  readonly next: number;
  readonly rawBytes: number;
  readonly bodyBytes: number;
  readonly sha256: string;
  readonly summed?: true;
}

export type RecordHeader = ChunksHeader | SessionHeader;

export interface PackRecord {
  readonly header: RecordHeader;
  readonly offset: number;
  readonly bodyOffset: number;
  /** The header as it is in the pack, with its newline: the sum of a pack is one of these lines. */
  readonly line: Buffer;
}

/** Bytes of a pack that are not a record; `isTail`: nothing readable follows. */
export interface PackGap {
  readonly offset: number;
  readonly bytes: number;
  readonly isTail: boolean;
  /** Such as a killed writer leaves: the beginning of a record, or zeros. */
  readonly isTorn: boolean;
  /** A record that a newer Clew wrote. */
  readonly isNewer: boolean;
}

export function makeRecord(header: RecordHeader, body: readonly Buffer[]): Buffer {
  const text = JSON.stringify(header);
  return Buffer.concat([Buffer.from(`${magic}${headerHash(text)} ${text}\n`), ...body]);
}

/** The hash that a header holds of its body. */
export function bodyHash(body: Buffer): string {
  return hash('sha256', body, 'hex').slice(0, 32);
}

/** A record of chunks and where it is. */
export interface Block {
  readonly pack: string;
  readonly offset: number;
  readonly bodyOffset: number;
  readonly header: ChunksHeader;
}

/** The body of a record, if it matches its header. */
export function readBody(record: Pick<PackRecord, 'header' | 'bodyOffset'>, pack: string): Buffer | undefined {
  const body = readRange(pack, record.bodyOffset, record.header.bodyBytes);
  return bodyHash(body) === record.header.sha256 ? body : undefined;
}

/**
 * Every record of a pack, and the gaps between them. Only headers are read, unless it is `isCareful`: then a record whose
 * body is not what its header says is a gap, because the next one may begin inside it, where bytes were cut.
 */
export function* scanPack(path: string, isCareful = false): Generator<PackRecord | PackGap> {
  const file = openRegularFile(path);
  try {
    const size = fstatSync(file).size;
    for (let offset = 0; offset < size; ) {
      const record = readHeader(file, offset, size);
      if (record !== undefined && !(isCareful && readBody(record, path) === undefined)) {
        yield record;
        offset = record.bodyOffset + record.header.bodyBytes;
        continue;
      }
      const end = findHeader(file, offset + 1, size);
      yield { offset, bytes: (end ?? size) - offset, isTail: end === undefined, ...kindOfGap(file, offset, size) };
      offset = end ?? size;
    }
  } finally {
    closeSync(file);
  }
}

export function endOf(item: PackRecord | PackGap): number {
  return isRecord(item) ? item.bodyOffset + item.header.bodyBytes : item.offset + item.bytes;
}

export function isRecord(item: PackRecord | PackGap): item is PackRecord {
  return 'header' in item;
}

/** The bytes of [offset, offset + length), fewer where the file ends. */
export function readRange(path: string, offset: number, length: number): Buffer {
  const file = openRegularFile(path);
  try {
    return readAt(file, offset, length);
  } finally {
    closeSync(file);
  }
}

const magic = 'clew-archive 1 ';
const longestHeader = 512;

function headerHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

/** `undefined` where no whole record is at `offset`. */
function readHeader(file: number, offset: number, size: number): PackRecord | undefined {
  const bytes = readAt(file, offset, Math.min(longestHeader, size - offset));
  const end = bytes.indexOf(0x0a);
  if (end < 0 || bytes.toString('latin1', 0, magic.length) !== magic) return undefined;
  const text = bytes.toString('latin1', magic.length + 17, end);
  if (bytes.toString('latin1', magic.length, magic.length + 17) !== `${headerHash(text)} `) return undefined;
  const header = asHeader(asObject(parseJson(text)));
  const bodyOffset = offset + end + 1;
  return header === undefined || bodyOffset + header.bodyBytes > size
    ? undefined
    : { header, offset, bodyOffset, line: bytes.subarray(0, end + 1) };
}

/** A record of another version, or a whole header that this Clew cannot use, is not torn: a newer one wrote it. */
function kindOfGap(file: number, offset: number, size: number): Pick<PackGap, 'isTorn' | 'isNewer'> {
  const bytes = readAt(file, offset, Math.min(longestHeader, size - offset));
  const text = bytes.toString('latin1');
  const [, version, sum, json = ''] = /^clew-archive (\d+) (?:([0-9a-f]{16}) ([^\n]*)\n)?/.exec(text) ?? [];
  const isUnknown = headerHash(json) === sum && asHeader(asObject(parseJson(json))) === undefined;
  const isNewer = Number(version) > 1 || isUnknown;
  const isBegun = text.startsWith(magic.slice(0, text.length)) || bytes.every((byte) => byte === 0);
  return { isNewer, isTorn: isBegun && !isNewer };
}

function asHeader(value: JsonObject | undefined): RecordHeader | undefined {
  if (value === undefined) return undefined;
  const { kind, codec, sha256, first, count, next, rawBytes, bodyBytes } = value;
  if (asString(codec) === undefined || asString(sha256) === undefined) return undefined;
  const numbers = [rawBytes, bodyBytes, ...(kind === 'chunks' ? [first, count] : [next])];
  if (!numbers.every((number) => Number.isSafeInteger(number) && Number(number) >= 0)) return undefined;
  return kind === 'chunks' || kind === 'session' ? (value as object as RecordHeader) : undefined;
}

const searchBytes = 1024 * 1024;

function findHeader(file: number, from: number, size: number): number | undefined {
  for (let start = from; start < size; start += searchBytes) {
    const window = readAt(file, start, Math.min(searchBytes + magic.length, size - start));
    for (let at = window.indexOf(magic); at >= 0; at = window.indexOf(magic, at + 1)) {
      if (readHeader(file, start + at, size) !== undefined) return start + at;
    }
  }
  return undefined;
}

function readAt(file: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const got = readSync(file, buffer, filled, length - filled, offset + filled);
    if (got === 0) break;
    filled += got;
  }
  return buffer.subarray(0, filled);
}

interface Codec {
  compress(bytes: Buffer): Promise<Buffer>;
  decompress(bytes: Buffer, rawBytes: number): Buffer;
}

export type CodecName = 'brotli' | 'gzip';

/** Smaller and faster than gzip on every corpus (docs/decisions.md). */
export const defaultCodec: CodecName = 'brotli';

/** Of brotli: half of the CPU of quality 5 for 2 to 7 % more bytes (docs/decisions.md). */
const quality = 4;

export const codecs: Readonly<Record<CodecName, Codec>> = {
  brotli: {
    compress: (bytes) =>
      new Promise((resolve, reject) => {
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: quality,
          [constants.BROTLI_PARAM_LGWIN]: 22,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        brotliCompress(bytes, { params }, (error, result) => (error ? reject(error) : resolve(result)));
      }),
    // A damaged record must not unpack to more than it says.
    decompress: (bytes, rawBytes) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, rawBytes) }),
  },
  gzip: {
    compress: (bytes) =>
      new Promise((resolve, reject) => {
        gzip(bytes, { level: 6 }, (error, result) => (error ? reject(error) : resolve(result)));
      }),
    decompress: (bytes, rawBytes) => gunzipSync(bytes, { maxOutputLength: Math.max(1, rawBytes) }),
  },
};

export function isCodecName(name: unknown): name is CodecName {
  return typeof name === 'string' && Object.hasOwn(codecs, name);
}

export class OpenBlock {
  readonly first: number;
  readonly #limit: number;
  #bytes: Buffer;
  #lengths: number[] = [];
  #hashes: Buffer[] = [];
  #filled = 0;

  constructor(first: number, limit: number) {
    this.first = first;
    this.#limit = limit;
    const spare = spares.pop();
    this.#bytes = spare !== undefined && spare.length >= limit ? spare : Buffer.allocUnsafeSlow(limit);
  }

  get count(): number {
    return this.#lengths.length;
  }

  /** Whether the chunk belongs here; a block takes at least one, however large. */
  hasRoomFor(chunk: Buffer): boolean {
    return this.count === 0 || this.#filled + chunk.length + (this.count + 1) * lengthBytes <= this.#limit;
  }

  add(chunk: Buffer, hash: Buffer): void {
    const needed = this.#filled + chunk.length + (this.count + 1) * lengthBytes;
    if (needed > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes.subarray(0, this.#filled)], needed);
    chunk.copy(this.#bytes, this.#filled);
    this.#filled += chunk.length;
    this.#lengths.push(chunk.length);
    this.#hashes.push(hash);
  }

  hashes(): Buffer {
    return Buffer.concat(this.#hashes, this.count * hashBytes);
  }

  /** The bytes of the chunks, then the length of each. */
  raw(): Buffer {
    let at = this.#filled;
    for (const length of this.#lengths) at = this.#bytes.writeUInt32LE(length, at);
    return this.#bytes.subarray(0, at);
  }

  /** The block is compressed: its buffer may serve another. */
  release(): void {
    if (spares.length < 2) spares.push(this.#bytes);
    this.#bytes = Buffer.alloc(0);
  }
}

export const lengthBytes = 4;
const spares: Buffer[] = [];

/** Where each chunk begins in an unpacked block, and where the last one ends. */
export function chunkStarts(raw: Buffer, count: number): Float64Array {
  const lengths = raw.length - count * lengthBytes;
  const starts = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) {
    starts[index + 1] = (starts[index] ?? 0) + raw.readUInt32LE(lengths + index * lengthBytes);
  }
  return starts;
}
