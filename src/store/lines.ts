// A file → its lines as bytes, with number and offset, in batches. Nothing is decoded and no line is joined to a
// string; a line longer than `maxLineBytes` is handed over by its first bytes only, so that one runaway line cannot
// exhaust memory.

import { closeSync, fstatSync, readSync } from 'node:fs';
import { openRegularFile } from '../base/files/index.ts';
import type { Bytes } from '../base/node/index.ts';
import { diskError } from './durable.ts';

/** A line of a file as bytes. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Of its first byte in the file. */
  readonly offset: number;
  /** On disk, without the newline. */
  readonly length: number;
  /** Without the newline; a carriage return before it stays. Shorter than `length` where the line is too long to hold. */
  readonly bytes: Bytes;
  /** Whether a newline follows; only the last line of a file may lack it. */
  readonly terminated: boolean;
}

/** Options of `readLines`. */
export interface LineOptions {
  /** Where to begin: the offset of a line's first byte and that line's number. */
  readonly from?: { readonly offset: number; readonly number: number };
  /** Where to stop, for a file that is still growing. */
  readonly endOffset?: number;
  readonly chunkBytes?: number;
  readonly maxLineBytes?: number;
  /** Called after every read from the disk with the number of bytes. */
  readonly onRead?: (bytes: number) => void;
}

export const maxLineBytes: number = 256 * 1024 * 1024;
const defaultChunkBytes = 1024 * 1024;
const newline = 0x0a;

/** Yields the lines of a file in batches. The bytes of a batch are valid until the next batch is requested. */
export function* readLineBatches(path: string, options: LineOptions = {}): Generator<readonly Line[]> {
  const text = textAt(path);
  if (text !== undefined) {
    yield* linesOfBytes(text, options);
    return;
  }
  const file = openRegularFile(path);
  const chunk = takeChunk(options.chunkBytes ?? defaultChunkBytes);
  try {
    yield* linesOf(file, chunk, options);
  } finally {
    spareChunk = chunk;
    closeSync(file);
  }
}

/** The lines of a whole file that is in memory, in one batch. */
export function* linesOfBytes(
  bytes: Buffer,
  { from, endOffset }: Pick<LineOptions, 'from' | 'endOffset'> = {},
): Generator<readonly Line[]> {
  const { offset, number } = from ?? { offset: 0, number: 1 };
  const buffer = bytes.subarray(offset, endOffset);
  const lines = splitLines({ buffer, searchFrom: 0, filled: buffer.length, offset, number });
  const last = lines.at(-1);
  const rest = last === undefined ? 0 : last.offset + last.length + 1 - offset;
  if (rest < buffer.length) lines.push(line(buffer, offset, number + lines.length, rest, buffer.length, false));
  if (lines.length > 0) yield lines;
}

/** Larger files are read in pieces. */
export const wholeFileBytes: number = 16 * 1024 * 1024;

/** All bytes of a file, or `undefined` if it is too large to keep. `allocate` may reuse memory. */
export function readWholeFile(
  path: string,
  allocate: (size: number) => Buffer = Buffer.allocUnsafeSlow,
): Buffer | undefined {
  const text = textAt(path);
  if (text !== undefined) return text;
  const file = openRegularFile(path);
  try {
    const { size } = fstatSync(file);
    if (size > wholeFileBytes) return undefined;
    const bytes = allocate(size).subarray(0, size);
    return bytes.subarray(0, readFully(file, bytes, 0, 0));
  } finally {
    closeSync(file);
  }
}

/** Yields the lines of a file in batches, each valid until the next is requested. Throws a `UserError` if it cannot read the file. */
export function* readLines(path: string, options: LineOptions = {}): Generator<readonly Line[]> {
  try {
    yield* readLineBatches(path, options);
  } catch (error) {
    throw diskError(error, 'read', path);
  }
}

// A library has thousands of files: a fresh megabyte for each keeps the garbage collector busy for half of the time.
let spareChunk: Buffer | undefined;

function takeChunk(size: number): Buffer {
  const spare = spareChunk;
  spareChunk = undefined;
  return spare?.length === size ? spare : Buffer.allocUnsafeSlow(size);
}

function* linesOf(file: number, buffer: Buffer, options: LineOptions): Generator<readonly Line[]> {
  const limit = options.maxLineBytes ?? maxLineBytes;
  const end = options.endOffset ?? Number.POSITIVE_INFINITY;
  let bufferOffset = options.from?.offset ?? 0;
  let number = options.from?.number ?? 1;
  let filled = 0;
  for (;;) {
    const room = Math.min(buffer.length - filled, end - bufferOffset - filled);
    const bytesRead = room > 0 ? readSync(file, buffer, filled, room, bufferOffset + filled) : 0;
    options.onRead?.(bytesRead);
    const searchFrom = filled;
    filled += bytesRead;
    const batch = splitLines({ buffer, searchFrom, filled, offset: bufferOffset, number });
    const last = batch.at(-1);
    const start = last === undefined ? 0 : last.offset + last.length + 1 - bufferOffset;
    number += batch.length;
    if (bytesRead === 0) {
      if (start < filled) batch.push(line(buffer, bufferOffset, number, start, filled, false));
      if (batch.length > 0) yield batch;
      return;
    }
    if (batch.length > 0) yield batch;
    buffer.copyWithin(0, start, filled);
    bufferOffset += start;
    filled -= start;
    if (filled < buffer.length) continue;
    // The buffer is one unfinished line: make room for it, or pass over it where it is too long to hold.
    const lineEnd = findNewline(file, bufferOffset + filled, end, options.onRead);
    const length = lineEnd.offset - bufferOffset;
    if (length > limit) {
      yield [
        {
          number: number++,
          offset: bufferOffset,
          length,
          bytes: buffer.subarray(0, filled),
          terminated: lineEnd.found,
        },
      ];
      if (!lineEnd.found) return;
      bufferOffset = lineEnd.offset + 1;
      filled = 0;
      continue;
    }
    const held = takeLarge(length);
    const larger = held.subarray(0, length);
    buffer.copy(larger, 0, 0, filled);
    const rest = readFully(file, larger, filled, bufferOffset + filled);
    options.onRead?.(rest);
    filled += rest;
    // The file may have been cut since its newline was found.
    const terminated = lineEnd.found && filled === length;
    yield [line(larger, bufferOffset, number++, 0, filled, terminated)];
    if (!terminated) return;
    if (held.length <= keptLargeBytes) spareLarge = held;
    bufferOffset = lineEnd.offset + 1;
    filled = 0;
  }
}

interface FilledBuffer {
  readonly buffer: Buffer;
  /** No newline is before it. */
  readonly searchFrom: number;
  readonly filled: number;
  /** In the file, of the first byte of the buffer. */
  readonly offset: number;
  /** Of the first line. */
  readonly number: number;
}

/** The lines that end in the buffer. Runs for every line, so it is a small function, which V8 compiles early. */
function splitLines({ buffer, searchFrom, filled, offset, number }: FilledBuffer): Line[] {
  const lines: Line[] = [];
  let start = 0;
  let end = buffer.indexOf(newline, searchFrom);
  while (end >= 0 && end < filled) {
    lines.push(line(buffer, offset, number + lines.length, start, end, true));
    start = end + 1;
    end = buffer.indexOf(newline, start);
  }
  return lines;
}

// Images make lines of a few megabytes: fresh memory for each causes page faults, which cost more than the reading.
let spareLarge: Buffer | undefined;
const keptLargeBytes = 8 * 1024 * 1024;

function takeLarge(size: number): Buffer {
  const spare = spareLarge;
  spareLarge = undefined;
  if (spare !== undefined && spare.length >= size) return spare;
  return Buffer.allocUnsafeSlow(size > keptLargeBytes ? size : Math.min(keptLargeBytes, 2 * size));
}

function line(
  buffer: Buffer,
  bufferOffset: number,
  number: number,
  start: number,
  end: number,
  terminated: boolean,
): Line {
  return { number, offset: bufferOffset + start, length: end - start, bytes: buffer.subarray(start, end), terminated };
}

let searchChunk: Buffer | undefined;

function findNewline(
  file: number,
  from: number,
  end: number,
  onRead: LineOptions['onRead'],
): { offset: number; found: boolean } {
  searchChunk ??= Buffer.allocUnsafeSlow(defaultChunkBytes);
  const chunk = searchChunk;
  for (let offset = from; ; ) {
    const bytesRead = readSync(file, chunk, 0, Math.min(chunk.length, Math.max(0, end - offset)), offset);
    onRead?.(bytesRead);
    if (bytesRead === 0) return { offset, found: false };
    const at = chunk.subarray(0, bytesRead).indexOf(newline);
    if (at >= 0) return { offset: offset + at, found: true };
    offset += bytesRead;
  }
}

function readFully(file: number, buffer: Buffer, start: number, position: number): number {
  let got = 0;
  while (start + got < buffer.length) {
    const bytesRead = readSync(file, buffer, start + got, buffer.length - start - got, position + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return got;
}

const texts = new Map<string, Buffer>();

/** From now on, reading lines or ranges of this path returns these bytes. No file may have the path. */
export function keepText(path: string, bytes: Buffer): void {
  texts.set(path, bytes);
}

function textAt(path: string): Buffer | undefined {
  return texts.size === 0 ? undefined : texts.get(path);
}

const defaultWindowBytes = 1024 * 1024;

export class RangeReader {
  readonly path: string;
  readonly #windowBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;
  readonly #isWhole: boolean;

  /** Use a small window for ranges that are far apart. `bytes`: the whole file, if it is in memory. */
  constructor(path: string, windowBytes: number = defaultWindowBytes, bytes?: Buffer) {
    this.path = path;
    this.#windowBytes = windowBytes;
    this.#isWhole = bytes !== undefined;
    if (bytes !== undefined) this.#window = bytes;
  }

  /** The bytes of [offset, offset + length), fewer if the file is shorter now. Valid until the next call. */
  read(offset: number, length: number): Buffer {
    const isInside = offset >= this.#start && offset + length <= this.#start + this.#window.length;
    if (!isInside && !this.#isWhole) this.#load(offset, length);
    return this.#window.subarray(offset - this.#start, offset - this.#start + length);
  }

  #load(offset: number, length: number): void {
    const text = textAt(this.path);
    if (text !== undefined) {
      [this.#window, this.#start] = [text, 0];
      return;
    }
    const file = openRegularFile(this.path);
    let buffer = Buffer.alloc(0);
    let filled = 0;
    try {
      // A short file needs only its size: ten thousand full windows would be ten gigabytes.
      const rest = Math.max(0, fstatSync(file).size - offset);
      buffer = Buffer.allocUnsafe(Math.min(rest, Math.max(length, this.#windowBytes)));
      while (filled < buffer.length) {
        const got = readSync(file, buffer, filled, buffer.length - filled, offset + filled);
        if (got === 0) break;
        filled += got;
      }
    } finally {
      closeSync(file);
    }
    this.#window = buffer.subarray(0, filled);
    this.#start = offset;
  }
}
