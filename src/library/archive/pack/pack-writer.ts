// Chunks and manifests → records at the end of the packs. Equal chunks are written once; a manifest is written only when
// all its chunks are on the disk, so that every listed session can be restored, whenever the writer was killed. What is
// on the disk is then committed.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { diskError, privateFileMode, syncFile, syncPath } from '../../../store/index.ts';
import { blockOf, ChunkTable, hashChunk } from './chunks.ts';
import { type Committed, type CommittedCopy, noPacks, writeCommitted } from './committed.ts';
import type { ArchiveContents } from './contents.ts';
import { contentHash, type Manifest, placeKey, serialiseManifest } from './manifest.ts';
import { packNumber, packPath } from './packs.ts';
import {
  type Block,
  bodyHash,
  codecs,
  defaultCodec,
  endOf,
  hashBytes,
  isRecord,
  makeRecord,
  OpenBlock,
  type RecordHeader,
  readBody,
  readRange,
} from './record.ts';

export interface WriterLimits {
  /** Raw bytes that are compressed together. */
  readonly blockBytes?: number;
  /** A pack that has this size gets no more records. */
  readonly packBytes?: number;
}

interface TitledManifest {
  readonly manifest: Manifest;
  readonly title: string;
}

export class PackWriter {
  readonly #contents: ArchiveContents;
  readonly #folder: string;
  readonly #limits: Required<WriterLimits>;
  readonly #isSound = new Map<Block, boolean>();
  readonly #table: ChunkTable;
  #next: number;
  #block: OpenBlock;
  #packIndex: number;
  #file: number | undefined;
  #fileSize = 0;
  #committed: Committed;
  /** Of the open pack. */
  #sum: Hash = createHash('sha256');
  #copies: CommittedCopy[] = [];
  /** Where it is in the committed list; -1 if it is new. */
  #entryAt = -1;
  /** Everything that must be written, in order; compression runs in parallel. */
  #tail: Promise<void> = Promise.resolve();
  readonly #waiting: Promise<void>[] = [];
  #manifests: TitledManifest[] = [];
  #storedBytes = 0;

  /** `contents`: settled, by the holder of the lock. */
  constructor(contents: ArchiveContents, limits: WriterLimits = {}) {
    this.#contents = contents;
    this.#folder = contents.folder;
    this.#limits = { blockBytes: limits.blockBytes ?? 4 << 20, packBytes: limits.packBytes ?? 16 << 20 };
    this.#table = readTable(contents);
    this.#committed = contents.committed ?? noPacks;
    this.#next = contents.next;
    this.#block = new OpenBlock(contents.next, this.#limits.blockBytes);
    this.#packIndex = firstIndex(contents);
  }

  /** Bytes that were added to the packs. */
  get storedBytes(): number {
    return this.#storedBytes;
  }

  /** The chunk's number. Its bytes are copied. */
  add(chunk: Buffer): number {
    const hash = hashChunk(chunk);
    const known = this.#table.get(hash);
    if (known !== undefined && this.#canRead(known)) return known;
    if (!this.#block.hasRoomFor(chunk)) this.#closeBlock();
    const number = this.#next++;
    this.#block.add(chunk, hash);
    this.#table.set(hash, 0, number);
    return number;
  }

  /** A chunk of a damaged block is written again. */
  #canRead(chunk: number): boolean {
    if (chunk >= this.#contents.next) return true;
    const block = blockOf(this.#contents.blocks, chunk);
    if (block === undefined) return false;
    const isSound = this.#isSound.get(block) ?? readBody(block, block.pack) !== undefined;
    this.#isSound.set(block, isSound);
    return isSound;
  }

  /** Waits while too many bytes in memory are not compressed yet. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 1) await this.#waiting[0];
  }

  /** A session whose chunks are all added. It is written with the block that holds its last one. */
  addManifest(manifest: Manifest, title: string): void {
    this.#manifests.push({ manifest, title });
  }

  /** Writes all that was added, makes it durable, and commits it. */
  async flush(): Promise<void> {
    this.#closeBlock();
    await this.#tail;
    if (this.#file !== undefined) await this.#commit(this.#file);
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

  async #appendManifests(manifests: readonly TitledManifest[], next: number): Promise<void> {
    // Also where this writer added no block: those of a writer that was killed may not be on the disk yet.
    await this.#sync(await this.#openPack());
    for (const { manifest, title } of manifests) {
      const raw = serialiseManifest(manifest);
      const body = await codecs[defaultCodec].compress(raw);
      const header = { kind: 'session', codec: defaultCodec, next, rawBytes: raw.length, ...checkOf(body) } as const;
      await this.#append(header, body);
      const content = contentHash(manifest);
      this.#copies.push({ session: placeKey(manifest), title, content, record: header.sha256 });
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
    this.#sum.update(record.subarray(0, record.indexOf(0x0a) + 1));
    this.#storedBytes += record.length;
  }

  /** The pack to append to. A full one is on the disk before the next begins. */
  async #openPack(): Promise<number> {
    if (this.#file !== undefined && this.#fileSize < this.#limits.packBytes) return this.#file;
    if (this.#file !== undefined) await this.#leavePack(this.#file);
    const pack = packPath(this.#folder, this.#packIndex);
    try {
      this.#file = openSync(pack, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, privateFileMode);
    } catch (error) {
      throw diskError(error, 'write', pack);
    }
    this.#fileSize = fstatSync(this.#file).size;
    if (this.#fileSize === 0) await syncPath(this.#folder);
    this.#continuePack(path.basename(pack));
    return this.#openPack();
  }

  async #leavePack(file: number): Promise<void> {
    await this.#commit(file);
    closeSync(file);
    this.#file = undefined;
    this.#packIndex += 1;
  }

  /** Continues the sum and the list of copies of the pack. */
  #continuePack(name: string): void {
    const { known } = this.#contents;
    this.#entryAt = known.findIndex(({ condition, file }) => condition === 'sound' && file?.name === name);
    const pack = known[this.#entryAt];
    this.#sum = createHash('sha256');
    for (const item of pack?.file?.items ?? [])
      if (isRecord(item) && endOf(item) <= (pack?.state.bytes ?? 0)) this.#sum.update(item.line);
    this.#copies = [...(pack?.entry.copies ?? [])];
  }

  /** After this, what the pack has is known independently of it. */
  async #commit(file: number): Promise<void> {
    await this.#sync(file);
    const name = path.basename(packPath(this.#folder, this.#packIndex));
    const entry = { name, bytes: this.#fileSize, sha256: this.#sum.copy().digest('hex'), copies: [...this.#copies] };
    const { packs } = this.#committed;
    const isNew = this.#entryAt < 0;
    this.#committed = { next: this.#next, packs: isNew ? [...packs, entry] : packs.with(this.#entryAt, entry) };
    if (isNew) this.#entryAt = packs.length;
    writeCommitted(this.#folder, this.#committed);
  }

  async #sync(file: number): Promise<void> {
    try {
      await syncFile(file);
    } catch (error) {
      throw diskError(error, 'write', packPath(this.#folder, this.#packIndex));
    }
  }
}

function checkOf(body: Buffer): { readonly bodyBytes: number; readonly sha256: string; readonly summed: true } {
  return { bodyBytes: body.length, sha256: bodyHash(body), summed: true };
}

/** Where to append: the last pack if nothing is wrong with it, else the one after all others. */
function firstIndex({ files, known }: ArchiveContents): number {
  const names = [...files.map(({ name }) => name), ...known.map(({ entry }) => entry.name)];
  const last = names.reduce((most, name) => Math.max(most, packNumber(name)), 0);
  const isSound = known.some(
    ({ condition, file, state }) =>
      condition === 'sound' && file?.bytes === state.bytes && packNumber(file.name) === last,
  );
  return isSound || last === 0 ? Math.max(1, last) : last + 1;
}

function readTable({ blocks }: ArchiveContents): ChunkTable {
  const table = new ChunkTable();
  for (const { pack, bodyOffset, header } of blocks) {
    const hashes = readRange(pack, bodyOffset, header.count * hashBytes);
    // A pack that was cut has fewer.
    const count = Math.min(header.count, Math.floor(hashes.length / hashBytes));
    for (let index = 0; index < count; index++) table.add(hashes, index * hashBytes, header.first + index);
  }
  return table;
}
