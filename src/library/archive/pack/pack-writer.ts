// Chunks and manifests → records at the end of the packs. Equal chunks are written once; a manifest is written only when
// all its chunks are on the disk, so that every listed session can be restored, whenever the writer was killed.
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { diskError, makeFolder, privateFileMode, syncFile, syncPath } from '../../../store/index.ts';
import { ChunkTable, hashChunk } from './chunks.ts';
import { type ArchiveContents, type Block, type Manifest, packPath, readBody, serialiseManifest } from './contents.ts';
import {
  bodyHash,
  codecs,
  defaultCodec,
  hashBytes,
  makeRecord,
  OpenBlock,
  type RecordHeader,
  readRange,
} from './record.ts';

export interface WriterLimits {
  /** Raw bytes that are compressed together. */
  readonly blockBytes?: number;
  /** A pack that has this size gets no more records. */
  readonly packBytes?: number;
}

export class PackWriter {
  readonly #folder: string;
  readonly #limits: Required<WriterLimits>;
  readonly #table: ChunkTable;
  #next: number;
  #block: OpenBlock;
  #packIndex: number;
  #file: number | undefined;
  #fileSize = 0;
  /** Everything that must be written, in order; compression runs in parallel. */
  #tail: Promise<void> = Promise.resolve();
  readonly #waiting: Promise<void>[] = [];
  #manifests: Manifest[] = [];
  #storedBytes = 0;

  private constructor(contents: ArchiveContents, table: ChunkTable, limits: WriterLimits) {
    this.#folder = contents.folder;
    this.#limits = { blockBytes: limits.blockBytes ?? 4 << 20, packBytes: limits.packBytes ?? 16 << 20 };
    this.#table = table;
    this.#next = contents.next;
    this.#block = new OpenBlock(contents.next, this.#limits.blockBytes);
    this.#packIndex = lastIndex(contents);
  }

  /** Removes what a killed writer left after the last whole record. The caller holds the lock. */
  static async open(contents: ArchiveContents, limits: WriterLimits = {}): Promise<PackWriter> {
    try {
      await makeFolder(contents.folder);
      const cut = firstBadByte(contents);
      if (cut !== undefined) cutPack(contents, cut);
      const sound = cut === undefined ? contents : withoutBytesFrom(contents, cut);
      return new PackWriter(sound, readTable(sound), limits);
    } catch (error) {
      throw diskError(error, 'write', contents.folder);
    }
  }

  /** Bytes that were added to the packs. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** The chunk's number. Its bytes are copied. */
  add(chunk: Buffer): number {
    const hash = hashChunk(chunk);
    const known = this.#table.get(hash);
    if (known !== undefined) return known;
    if (!this.#block.hasRoomFor(chunk)) this.#closeBlock();
    const number = this.#next++;
    this.#block.add(chunk, hash);
    this.#table.add(hash, 0, number);
    return number;
  }

  /** Waits while too many bytes in memory are not compressed yet. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 1) await this.#waiting[0];
  }

  /** A session whose chunks are all added. It is written with the block that holds its last one. */
  addManifest(manifest: Manifest): void {
    this.#manifests.push(manifest);
  }

  /** Writes all that was added and makes it durable. */
  async flush(): Promise<void> {
    this.#closeBlock();
    await this.#tail;
    if (this.#file !== undefined) await this.#sync(this.#file);
  }

  async close(): Promise<void> {
    await this.#tail.catch(() => undefined);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #closeBlock(): void {
    const block = this.#block;
    const manifests = this.#manifests;
    // A chunk of an earlier manifest may be in this block: both are written together.
    if (block.count === 0 && manifests.length === 0) return;
    this.#block = new OpenBlock(this.#next, this.#limits.blockBytes);
    this.#manifests = [];
    const raw = block.count === 0 ? undefined : block.raw();
    const compressed = raw && codecs[defaultCodec].compress(raw);
    // The code that awaits the tail handles the failure.
    compressed?.catch(() => undefined);
    const before = this.#tail;
    this.#tail = (async () => {
      await before;
      if (raw && compressed) await this.#appendChunks(block, raw.length, await compressed);
      block.release();
      if (manifests.length > 0) await this.#appendManifests(manifests, block.first + block.count);
      this.#waiting.shift();
    })();
    this.#waiting.push(this.#tail);
    this.#tail.catch(() => undefined);
  }

  async #appendChunks(block: OpenBlock, rawBytes: number, compressed: Buffer): Promise<void> {
    const body = Buffer.concat([block.hashes(), compressed]);
    const { first, count } = block;
    await this.#append({ kind: 'chunks', codec: defaultCodec, first, count, rawBytes, ...checkOf(body) }, body);
  }

  async #appendManifests(manifests: readonly Manifest[], next: number): Promise<void> {
    // Also where this writer added no block: those of a writer that was killed may not be on the disk yet.
    await this.#sync(await this.#openPack());
    for (const manifest of manifests) {
      const raw = serialiseManifest(manifest);
      const body = await codecs[defaultCodec].compress(raw);
      const header = { kind: 'session', codec: defaultCodec, next, rawBytes: raw.length, ...checkOf(body) } as const;
      await this.#append(header, body);
    }
  }

  async #append(header: RecordHeader, body: Buffer): Promise<void> {
    const file = await this.#openPack();
    const record = makeRecord(header, [body]);
    let written = 0;
    try {
      while (written < record.length) written += writeSync(file, record, written);
    } catch (error) {
      ftruncateSync(file, this.#fileSize);
      throw diskError(error, 'write', packPath(this.#folder, this.#packIndex));
    }
    this.#fileSize += record.length;
    this.#storedBytes += record.length;
  }

  /** The pack to append to. A full one is on the disk before the next begins. */
  async #openPack(): Promise<number> {
    if (this.#file !== undefined && this.#fileSize >= this.#limits.packBytes) {
      await this.#sync(this.#file);
      closeSync(this.#file);
      this.#file = undefined;
      this.#packIndex += 1;
    }
    if (this.#file !== undefined) return this.#file;
    const pack = packPath(this.#folder, this.#packIndex);
    try {
      this.#file = openSync(pack, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, privateFileMode);
    } catch (error) {
      throw diskError(error, 'write', pack);
    }
    this.#fileSize = fstatSync(this.#file).size;
    if (this.#fileSize === 0) await syncPath(this.#folder);
    return this.#fileSize >= this.#limits.packBytes ? this.#openPack() : this.#file;
  }

  async #sync(file: number): Promise<void> {
    try {
      await syncFile(file);
    } catch (error) {
      throw diskError(error, 'write', packPath(this.#folder, this.#packIndex));
    }
  }
}

function checkOf(body: Buffer): { readonly bodyBytes: number; readonly sha256: string } {
  return { bodyBytes: body.length, sha256: bodyHash(body) };
}

function lastIndex(contents: ArchiveContents): number {
  const last = contents.packs.at(-1);
  return last === undefined ? 1 : Number.parseInt(last.slice(contents.folder.length + 1), 10);
}

/** In the last pack, after the last sound session: where a record is torn, or is not what it says. */
function firstBadByte({ uncommitted, packs, tornAt }: ArchiveContents): number | undefined {
  const bad = uncommitted.find((record) => readBody(record, packs.at(-1) ?? '') === undefined);
  return bad === undefined ? tornAt : bad.offset;
}

function cutPack({ packs }: ArchiveContents, size: number): void {
  const file = openSync(packs.at(-1) ?? '', 'r+');
  try {
    ftruncateSync(file, size);
  } finally {
    closeSync(file);
  }
}

function withoutBytesFrom(contents: ArchiveContents, offset: number): ArchiveContents {
  const last = contents.packs.at(-1);
  const isCut = ({ pack, offset: start }: Block): boolean => pack === last && start >= offset;
  const first = contents.blocks.find(isCut)?.header.first;
  const blocks = contents.blocks.filter((block) => !isCut(block));
  return { ...contents, blocks, next: first ?? contents.next };
}

function readTable({ blocks }: ArchiveContents): ChunkTable {
  const table = new ChunkTable();
  for (const { pack, bodyOffset, header } of blocks) {
    const hashes = readRange(pack, bodyOffset, header.count * hashBytes);
    for (let index = 0; index < header.count; index++) table.add(hashes, index * hashBytes, header.first + index);
  }
  return table;
}
