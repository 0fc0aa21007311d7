// The folder of an archive → what is in it: the blocks of chunks, every version of every session, and what is damaged.
// Read by scanning the headers of the packs; there is no index that could disagree with them.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../../base/errors/errors.ts';
import { diskError } from '../../../store/disk.ts';
import { codecs, isCodecName } from './codec.ts';
import { contentKey, type Manifest, parseManifest, placeKey } from './manifest.ts';
import {
  bodyHash,
  type ChunksHeader,
  isRecord,
  type PackRecord,
  type RecordHeader,
  readRange,
  scanPack,
} from './record.ts';

export interface Block {
  readonly pack: string;
  readonly offset: number;
  readonly bodyOffset: number;
  readonly header: ChunksHeader;
}

export interface ArchiveDamage {
  readonly pack: string;
  readonly offset: number;
  readonly message: string;
}

/** A session in the archive, with all versions of it. */
export interface ArchivedSession {
  /** The path of the main transcript as it was. */
  readonly key: string;
  /** The oldest first. */
  readonly versions: readonly Manifest[];
}

export interface ArchiveContents {
  readonly folder: string;
  /** Paths, in the order in which they were written. */
  readonly packs: readonly string[];
  /** By their first chunk. */
  readonly blocks: readonly Block[];
  readonly sessions: ReadonlyMap<string, ArchivedSession>;
  /** The number for the next chunk. */
  readonly next: number;
  readonly damage: readonly ArchiveDamage[];
  /** Where in the last pack the bytes begin that no whole record holds: what a killed writer left. */
  readonly tornAt: number | undefined;
  /** What is after the last sound session in the last pack: written, but perhaps not yet on the disk. */
  readonly uncommitted: readonly PackRecord[];
}

/** A folder that is not there is an empty archive. */
export function readContents(folder: string): ArchiveContents {
  const found = new Found();
  const packs = listPacks(folder);
  for (const [index, pack] of packs.entries()) {
    try {
      found.readPack(pack, index === packs.length - 1);
    } catch (error) {
      throw diskError(error, 'read', pack);
    }
  }
  return { folder, packs, ...found.result() };
}

export function packPath(folder: string, index: number): string {
  return path.join(folder, `${String(index).padStart(6, '0')}.pack`);
}

/** The body of a block, where it is what its header says. */
export function readBody(record: Pick<PackRecord, 'header' | 'bodyOffset'>, pack: string): Buffer | undefined {
  const body = readRange(pack, record.bodyOffset, record.header.bodyBytes);
  return bodyHash(body) === record.header.sha256 ? body : undefined;
}

class Found {
  readonly #blocks: Block[] = [];
  readonly #sessions = new Map<string, { key: string; versions: Manifest[] }>();
  readonly #damage: ArchiveDamage[] = [];
  #uncommitted: PackRecord[] = [];
  #next = 0;
  #tornAt: number | undefined;

  readPack(pack: string, isLast: boolean): void {
    this.#uncommitted = [];
    for (const item of scanPack(pack)) {
      if (isRecord(item)) this.#addRecord(pack, item);
      else if (isLast && item.isTail) this.#tornAt = item.offset;
      else this.#damage.push({ pack, offset: item.offset, message: `${item.bytes} bytes are no record` });
    }
  }

  result(): Omit<ArchiveContents, 'folder' | 'packs'> {
    return {
      blocks: this.#blocks.sort((a, b) => a.header.first - b.header.first),
      sessions: this.#sessions,
      next: this.#next,
      damage: this.#damage,
      tornAt: this.#tornAt,
      uncommitted: this.#uncommitted,
    };
  }

  #addRecord(pack: string, record: PackRecord): void {
    const { header, offset, bodyOffset } = record;
    if (header.kind === 'chunks') {
      this.#blocks.push({ pack, offset, bodyOffset, header });
      this.#uncommitted.push(record);
      this.#next = Math.max(this.#next, header.first + header.count);
      return;
    }
    this.#next = Math.max(this.#next, header.next);
    const body = readBody(record, pack);
    if (body === undefined) {
      this.#uncommitted.push(record);
      this.#damage.push({ pack, offset, message: 'the record of a session is damaged' });
      return;
    }
    this.#uncommitted = [];
    const manifest = readManifest(header, body);
    if (typeof manifest === 'string') this.#damage.push({ pack, offset, message: manifest });
    else this.#addVersion(manifest);
  }

  #addVersion(manifest: Manifest): void {
    const key = placeKey(manifest);
    const known = this.#sessions.get(key);
    if (known === undefined) {
      this.#sessions.set(key, { key, versions: [manifest] });
      return;
    }
    const last = known.versions.at(-1);
    // Only the times differ: the same version, seen again.
    if (last !== undefined && contentKey(last) === contentKey(manifest)) known.versions.pop();
    known.versions.push(manifest);
  }
}

/** The manifest in the body of a record, or why there is none. */
export function readManifest({ codec, rawBytes }: RecordHeader, body: Buffer): Manifest | string {
  if (!isCodecName(codec)) return `a session is written with "${codec}", which this Clew does not know`;
  return parseManifest(codecs[codec].decompress(body, rawBytes)) ?? 'the record of a session is no manifest';
}

function listPacks(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^\d{6,}\.pack$/.test(name));
    return names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).map((name) => path.join(folder, name));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw diskError(error, 'read', folder);
  }
}
