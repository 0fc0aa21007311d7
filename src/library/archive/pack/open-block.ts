// Chunks that wait to be compressed together. Buffers are used again: four fresh megabytes for each block would keep the
// garbage collector busy and the memory full.
import { hashBytes } from './chunks.ts';

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
