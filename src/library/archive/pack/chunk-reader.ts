// Numbers of chunks → their bytes, and a manifest's file → its bytes again, checked. A few unpacked blocks are kept, so
// that the lines of a session, which stand close together, cost one decompression a block.
import { createHash } from 'node:crypto';
import { hashBytes } from './chunks.ts';
import { codecs, isCodecName } from './codec.ts';
import { type ArchiveContents, type Block, readBody } from './contents.ts';
import { readGroup } from './group.ts';
import type { ArchivedFile, Manifest } from './manifest.ts';
import { chunkStarts } from './open-block.ts';

/** What the archive says is there cannot be read back. */
export class ArchiveDamaged extends Error {}

export class ChunkReader {
  readonly #blocks: readonly Block[];
  /** By the order of their last use, the latest last. */
  readonly #unpacked = new Map<Block, UnpackedBlock>();

  constructor(contents: Pick<ArchiveContents, 'blocks'>) {
    this.#blocks = contents.blocks;
  }

  read(chunk: number): Buffer {
    const block = this.#blocks[lastAtOrBefore(this.#blocks, chunk)];
    if (block === undefined || chunk >= block.header.first + block.header.count)
      throw new ArchiveDamaged(`chunk ${chunk} is missing`);
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

/** The bytes of an archived file. Throws `ArchiveDamaged` at the end unless they are those that were archived. */
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
  const bytes = codecs[codec].decompress(body.subarray(count * hashBytes), rawBytes);
  return { bytes, starts: chunkStarts(bytes, count) };
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
