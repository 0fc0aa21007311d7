// The hash of a chunk → its number. Typed arrays, because a library has millions of lines: 20 bytes a slot, where a
// `Map` takes over a hundred.
import { createHash, hash } from 'node:crypto';
import type { ArchivedFile, Manifest } from './manifest.ts';
import { readGroup } from './pieces.ts';
import { type Block, chunkStarts, codecs, hashBytes, isCodecName, readBody } from './record.ts';

/** SHA-256, cut to 16 bytes: two different lines with one hash would need 2^64 attempts. */
export function hashChunk(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, hashBytes);
}

const wordsPerSlot = 5;

export class ChunkTable {
  #slots: Uint32Array = new Uint32Array(wordsPerSlot * 4096);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** The number for the hash that is in `hashes` at `at`. */
  get(hashes: Buffer, at = 0): number | undefined {
    const number = this.#slots[this.#slotOf(hashes, at) + 4] ?? 0;
    return number === 0 ? undefined : number - 1;
  }

  /** A hash that is known keeps its number. */
  add(hashes: Buffer, at: number, number: number): void {
    if (this.get(hashes, at) === undefined) this.set(hashes, at, number);
  }

  set(hashes: Buffer, at: number, number: number): void {
    if ((this.#count + 1) * wordsPerSlot * 3 > this.#slots.length * 2) this.#grow();
    const slot = this.#slotOf(hashes, at);
    const isNew = this.#slots[slot + 4] === 0;
    for (let word = 0; word < 4; word++) this.#slots[slot + word] = hashes.readUInt32LE(at + word * 4);
    this.#slots[slot + 4] = number + 1;
    if (isNew) this.#count += 1;
  }

  /** The slot of the hash, or the free slot for it. */
  #slotOf(hashes: Buffer, at: number): number {
    const slots = this.#slots;
    const [a, b] = [hashes.readUInt32LE(at), hashes.readUInt32LE(at + 4)];
    const [c, d] = [hashes.readUInt32LE(at + 8), hashes.readUInt32LE(at + 12)];
    const places = slots.length / wordsPerSlot;
    for (let place = a % places; ; place = (place + 1) % places) {
      const slot = place * wordsPerSlot;
      if (slots[slot + 4] === 0) return slot;
      if (slots[slot] === a && slots[slot + 1] === b && slots[slot + 2] === c && slots[slot + 3] === d) return slot;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#count = 0;
    const hashes = Buffer.from(old.buffer);
    for (let slot = 0; slot < old.length; slot += wordsPerSlot) {
      const number = old[slot + 4] ?? 0;
      if (number !== 0) this.#addWords(hashes, slot, number);
    }
  }

  #addWords(hashes: Buffer, slot: number, number: number): void {
    // Typed arrays are in the machine's order; every machine that Node runs on is little-endian, as the hashes are read.
    const target = this.#slotOf(hashes, slot * 4);
    for (let word = 0; word < 4; word++) this.#slots[target + word] = hashes.readUInt32LE((slot + word) * 4);
    this.#slots[target + 4] = number;
    this.#count += 1;
  }
}

/** The archive lists something that cannot be read back. */
export class ArchiveDamaged extends Error {}

export class ChunkReader {
  readonly #blocks: readonly Block[];
  /** By the order of their last use, the latest last. */
  readonly #unpacked = new Map<Block, UnpackedBlock>();

  constructor(contents: { readonly blocks: readonly Block[] }) {
    this.#blocks = contents.blocks;
  }

  read(chunk: number): Buffer {
    const block = blockOf(this.#blocks, chunk);
    if (block === undefined) throw new ArchiveDamaged(`chunk ${chunk} is missing`);
    const { bytes, starts } = this.#unpack(block);
    const index = chunk - block.header.first;
    return bytes.subarray(starts[index], starts[index + 1]);
  }

  #unpack(block: Block): UnpackedBlock {
    const known = this.#unpacked.get(block);
    const unpacked = known ?? unpackBlock(block);
    this.#unpacked.delete(block);
    this.#unpacked.set(block, unpacked);
    const [oldest] = this.#unpacked.keys();
    if (oldest !== undefined && this.#unpacked.size > keptBlocks) this.#unpacked.delete(oldest);
    return unpacked;
  }
}

/** The bytes of an archived file. Throws `ArchiveDamaged` at the end if they differ from those that were archived. */
export function* readArchivedFile(reader: ChunkReader, manifest: Manifest, file: ArchivedFile): Generator<Buffer> {
  const hash = createHash('sha256');
  try {
    for (const group of file.groups) {
      for (const line of readGroup(reader.read(group), manifest.sessionId, (chunk) => reader.read(chunk))) {
        hash.update(line);
        yield line;
      }
    }
  } catch (error) {
    throw error instanceof RangeError ? new ArchiveDamaged(error.message) : error;
  }
  if (hash.digest('hex') !== file.sha256) throw new ArchiveDamaged('its bytes are not those that were archived');
}

const keptBlocks = 4;

export interface UnpackedBlock {
  readonly bytes: Buffer;
  readonly starts: Float64Array;
}

/** The chunks of a block. Throws `ArchiveDamaged`. */
export function unpackBlock(block: Block): UnpackedBlock {
  const { codec, count, first, rawBytes } = block.header;
  if (!isCodecName(codec)) throw new ArchiveDamaged(`"${codec}" is a codec that this Clew does not know`);
  const body = readBody(block, block.pack);
  if (body === undefined) throw new ArchiveDamaged(`the block of chunk ${first} in ${block.pack} is damaged`);
  try {
    const bytes = codecs[codec].decompress(body.subarray(count * hashBytes), rawBytes);
    return { bytes, starts: chunkStarts(bytes, count) };
  } catch {
    // The body has its hash, but is not what its header says.
    throw new ArchiveDamaged(`the block of chunk ${first} in ${block.pack} cannot be unpacked`);
  }
}

/** The block with this chunk; `blocks` are sorted by their first one. */
export function blockOf(blocks: readonly Block[], chunk: number): Block | undefined {
  const block = blocks[lastAtOrBefore(blocks, chunk)];
  return block === undefined || chunk >= block.header.first + block.header.count ? undefined : block;
}

function lastAtOrBefore(blocks: readonly Block[], chunk: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.header.first ?? 0) <= chunk) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
