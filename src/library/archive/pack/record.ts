// The packs of an archive: files of records, each a line of text that says what follows and how to check it, then the
// body. Records are only ever appended, so that a program killed at any moment leaves whole records and at most one
// torn one at the end.
import { hash } from 'node:crypto';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegularFile } from '../../../base/files/regular-file.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../../base/json/json.ts';

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
}

export interface SessionHeader {
  readonly kind: 'session';
  readonly codec: string;
  /** A number above those of all chunks that the session is made of. */
  readonly next: number;
  readonly rawBytes: number;
  readonly bodyBytes: number;
  readonly sha256: string;
}

export type RecordHeader = ChunksHeader | SessionHeader;

export interface PackRecord {
  readonly header: RecordHeader;
  readonly offset: number;
  readonly bodyOffset: number;
}

/** Bytes of a pack that are no record; `isTail`: nothing readable follows. */
export interface PackGap {
  readonly offset: number;
  readonly bytes: number;
  readonly isTail: boolean;
}

export function makeRecord(header: RecordHeader, body: readonly Buffer[]): Buffer {
  const text = JSON.stringify(header);
  return Buffer.concat([Buffer.from(`${magic}${headerHash(text)} ${text}\n`), ...body]);
}

/** The hash that a header holds of its body. */
export function bodyHash(body: Buffer): string {
  return hash('sha256', body, 'hex').slice(0, 32);
}

/** Every record of a pack, and the gaps between them. Only headers are read. */
export function* scanPack(path: string): Generator<PackRecord | PackGap> {
  const file = openRegularFile(path);
  try {
    const size = fstatSync(file).size;
    for (let offset = 0; offset < size; ) {
      const record = readHeader(file, offset, size);
      if (record !== undefined) {
        yield record;
        offset = record.bodyOffset + record.header.bodyBytes;
        continue;
      }
      const end = findHeader(file, offset + 1, size);
      yield { offset, bytes: (end ?? size) - offset, isTail: end === undefined };
      offset = end ?? size;
    }
  } finally {
    closeSync(file);
  }
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
  return header === undefined || bodyOffset + header.bodyBytes > size ? undefined : { header, offset, bodyOffset };
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
