// The folder of an archive → what is in it: the blocks of chunks, every version of every session, what is missing of what
// was committed, and what was written but not committed. Read by scanning the headers of the packs.
import path from 'node:path';
import { ArchiveDamaged, ChunkReader, readArchivedFile } from './chunks.ts';
import { type Committed, type CommittedCopy, type CommittedFile, committedName, readCommitted } from './committed.ts';
import { contentHash, type Manifest, placeKey, readManifest } from './manifest.ts';
import { type KnownPack, matchPacks, type ScannedPack, scanCarefully, scanPacks } from './packs.ts';
import { type Block, endOf, isRecord, type PackGap, type PackRecord, readBody } from './record.ts';

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

/** A copy that was committed, and whose record cannot be read any more. */
export interface LostCopy {
  readonly session: string;
  readonly sessionId: string;
  readonly title: string;
  readonly reason: string;
}

/** Bytes of a pack that are not committed: a killed writer, or another program, wrote them. */
export interface PackTail {
  readonly pack: ScannedPack;
  readonly offset: number;
  /** Up to here the records are whole, and the next run commits them; it drops what follows. */
  readonly soundEnd: number;
  /** Sessions of the part that is dropped, as far as their records can be read. */
  readonly torn: readonly string[];
  /** Dropping may lose what only this file holds, so it is kept aside. */
  readonly isOdd: boolean;
  /** What is committed can be read only from here, because its own place is damaged: it is not dropped. */
  readonly isNeeded: boolean;
}

export interface ArchiveContents {
  readonly folder: string;
  /** Paths, in the order in which they were written. */
  readonly packs: readonly string[];
  readonly files: readonly ScannedPack[];
  /** By their first chunk. */
  readonly blocks: readonly Block[];
  readonly sessions: ReadonlyMap<string, ArchivedSession>;
  /** All copies of a session, also those that are lost: their place is their number. */
  readonly copies: ReadonlyMap<string, readonly (Manifest | LostCopy)[]>;
  /** By the path of the main transcript: the title of the latest copy, if it is committed. */
  readonly titles: ReadonlyMap<string, string>;
  /** The number for the next chunk. */
  readonly next: number;
  readonly damage: readonly ArchiveDamage[];
  /** `missing`: the records say that there was one. */
  readonly sums: CommittedFile['kind'] | 'missing';
  readonly committed: Committed | undefined;
  /** The packs that are committed; empty without sums. */
  readonly known: readonly KnownPack[];
  readonly tails: readonly PackTail[];
  /** A newer Clew wrote to it: this one must not. */
  readonly isNewer: boolean;
}

export function isLost(copy: Manifest | LostCopy): copy is LostCopy {
  return 'reason' in copy;
}

/** A missing folder is an empty archive. */
export function readContents(folder: string): ArchiveContents {
  for (let attempts = 1; ; attempts++) {
    const sums = readCommitted(folder);
    const contents = new Found(folder, sums).read(scanPacks(folder));
    // What looks like damage may be a pack that was replaced while it was read.
    if (contents.damage.length === 0 || attempts === 5 || isSame(sums, readCommitted(folder))) return contents;
  }
}

function isSame(a: CommittedFile, b: CommittedFile): boolean {
  return a.kind === 'read' && b.kind === 'read' ? a.sum === b.sum : a.kind === b.kind;
}

interface FoundCopy extends CommittedCopy {
  readonly manifest: Manifest;
}

class Found {
  readonly #folder: string;
  readonly #sums: CommittedFile;
  readonly #blocks: Block[] = [];
  readonly #damage: ArchiveDamage[] = [];
  readonly #tails: PackTail[] = [];
  /** By the record, which counts where it is first. */
  readonly #found = new Map<string, FoundCopy>();
  /** Records of sessions that are there and cannot be read. */
  readonly #unreadable = new Map<string, string>();
  #next = 0;
  #isSummed = false;
  #isNewer = false;

  constructor(folder: string, sums: CommittedFile) {
    this.#folder = folder;
    this.#sums = sums;
    this.#isNewer = sums.kind === 'newer';
  }

  read(files: readonly ScannedPack[]): ArchiveContents {
    const committed = this.#sums.kind === 'read' ? this.#sums.committed : undefined;
    const { known, others } = committed === undefined ? { known: [], others: [] } : matchPacks(committed, files);
    const unsummed = committed === undefined ? files.map(withoutGaps) : [];
    for (const file of unsummed) this.#readUnsummed(file, file === unsummed.at(-1));
    this.#next = Math.max(this.#next, committed?.next ?? 0);
    for (const pack of known) if (pack.condition === 'sound') this.#readSound(pack);
    for (const pack of known) if (pack.condition !== 'sound') this.#readDamaged(pack);
    const earlier = this.#orderCopies(committed);
    for (const { file, state, condition } of known)
      if (file !== undefined && condition === 'sound') this.#readTail(file, state.bytes);
    for (const file of others) this.#readTail(file, 0);
    const isEarlier = new Set(earlier.map(({ record }) => record));
    const later = [...this.#found.values()].filter(({ record }) => !isEarlier.has(record));
    this.#findSums();
    const order = [...known.flatMap(({ file }) => file ?? []), ...unsummed, ...others];
    return {
      ...this.#numberCopies([...earlier, ...later]),
      folder: this.#folder,
      packs: order.map((file) => file.path),
      files: order,
      blocks: this.#blocks,
      next: this.#next,
      damage: this.#damage,
      sums: this.#sums.kind === 'none' && this.#isSummed ? 'missing' : this.#sums.kind,
      committed,
      known,
      tails: this.#tails,
      isNewer: this.#isNewer,
    };
  }

  /** Without sums every record counts, and only the end of the last pack can be told from damage. */
  #readUnsummed(file: ScannedPack, isLast: boolean): void {
    const end = (isLast ? tornEnd(file) : undefined) ?? file.bytes;
    for (const item of file.items) if (endOf(item) <= end) this.#addItem(file, item);
    if (end < file.bytes) this.#readTail(file, end);
  }

  #readSound({ file, state, entry }: KnownPack): void {
    if (file === undefined) return;
    if (file.name !== entry.name) this.#note(file.path, 0, `it is the pack ${entry.name} under another name`);
    for (const item of file.items) if (endOf(item) <= state.bytes) this.#addItem(file, item);
  }

  #readDamaged({ file, state, entry }: KnownPack): void {
    const pack = file?.path ?? path.join(this.#folder, entry.name);
    const bytes = `${state.bytes} bytes`;
    if (file === undefined) this.#note(pack, 0, `the pack is missing; ${bytes} of it are committed`);
    else if (file.bytes < state.bytes)
      this.#note(pack, file.bytes, `${state.bytes - file.bytes} of ${bytes} are missing`);
    else this.#note(pack, 0, 'its records are not those that were committed');
    for (const item of file?.items ?? []) if (isRecord(item)) this.#addRecord(pack, item);
  }

  #addItem(file: ScannedPack, item: PackRecord | PackGap): void {
    if (isRecord(item)) {
      const problem = this.#addRecord(file.path, item);
      if (problem !== undefined) this.#note(file.path, item.offset, problem);
      return;
    }
    if (item.isNewer) this.#isNewer = true;
    const what = item.isNewer ? 'were written by a newer Clew' : 'are not a record';
    this.#note(file.path, item.offset, `${item.bytes} bytes ${what}`);
  }

  /** Why a record of a session cannot be read. */
  #addRecord(pack: string, record: PackRecord): string | undefined {
    const { header } = record;
    this.#isSummed ||= header.summed === true;
    if (header.kind === 'chunks') {
      this.#addBlock({ pack, offset: record.offset, bodyOffset: record.bodyOffset, header });
      return undefined;
    }
    this.#next = Math.max(this.#next, header.next);
    const manifest = readSession(record, pack);
    if (typeof manifest === 'string') this.#unreadable.set(header.sha256, manifest);
    else if (!this.#found.has(header.sha256)) this.#found.set(header.sha256, copyOf(manifest, header.sha256));
    return typeof manifest === 'string' ? manifest : undefined;
  }

  /** Returns whether its chunks are new. Of two blocks with the same chunks, the first whose bytes are whole counts. */
  #addBlock(block: Block): boolean {
    const { first, count } = block.header;
    this.#next = Math.max(this.#next, first + count);
    const last = this.#blocks.at(-1);
    if (last === undefined || last.header.first + last.header.count <= first) {
      this.#blocks.push(block);
      return true;
    }
    const at = this.#blocks.findIndex(({ header }) => header.first + header.count > first);
    const other = this.#blocks[at];
    if (other !== undefined && other.header.first < first + count) {
      const isSame = other.header.sha256 === block.header.sha256;
      if (isSame && readBody(other, other.pack) === undefined) this.#blocks[at] = block;
      return false;
    }
    this.#blocks.splice(at, 0, block);
    return true;
  }

  /** The copies that are not listed, which were never verified, then those that are, in their order. */
  #orderCopies(committed: Committed | undefined): readonly CommittedCopy[] {
    const listed = (committed?.packs ?? []).flatMap(({ copies }) => copies);
    const isListed = new Set(listed.map(({ record }) => record));
    return [...[...this.#found.values()].filter(({ record }) => !isListed.has(record)), ...listed];
  }

  /** Whole sessions after what is committed count; from the first record that is not whole on, nothing does. */
  #readTail(pack: ScannedPack, from: number): void {
    const items = pack.items.filter((item) => item.offset >= from);
    if (items.length === 0) return;
    let soundEnd = from;
    for (const item of items) {
      if (!isRecord(item) || !this.#addFromTail(pack.path, item)) break;
      soundEnd = endOf(item);
    }
    const torn: string[] = [];
    let isOdd = false;
    let isNeeded = false;
    for (const item of items.filter(({ offset }) => offset >= soundEnd)) {
      if (!isRecord(item)) {
        isOdd ||= !item.isTorn;
        if (!item.isNewer) continue;
        this.#isNewer = true;
        this.#note(pack.path, item.offset, `${item.bytes} bytes were written by a newer Clew`);
      } else if (this.#replaces(pack.path, item)) isNeeded = true;
      else if (item.header.kind === 'session') {
        isOdd = true;
        const manifest = readSession(item, pack.path);
        if (typeof manifest === 'object') torn.push(placeKey(manifest));
      }
    }
    this.#tails.push({ pack, offset: from, soundEnd, torn, isOdd, isNeeded });
  }

  /** Whether the record is committed, and its own place damaged: then it is read from here. */
  #replaces(pack: string, record: PackRecord): boolean {
    const { header } = record;
    const committed = this.#sums.kind === 'read' ? this.#sums.committed : undefined;
    if (committed === undefined) return false;
    if (header.kind === 'session') {
      if (this.#found.has(header.sha256)) return false;
      if (!committed.packs.some(({ copies }) => copies.some((copy) => copy.record === header.sha256))) return false;
      return this.#addRecord(pack, record) === undefined;
    }
    if (header.first + header.count > committed.next || readBody(record, pack) === undefined) return false;
    const block = { pack, offset: record.offset, bodyOffset: record.bodyOffset, header };
    return this.#addBlock(block) || this.#blocks.includes(block);
  }

  #addFromTail(pack: string, record: PackRecord): boolean {
    const { header } = record;
    this.#isSummed ||= header.summed === true;
    if (header.kind === 'chunks') {
      const block = { pack, offset: record.offset, bodyOffset: record.bodyOffset, header };
      return readBody(record, pack) !== undefined && this.#addBlock(block);
    }
    const manifest = readSession(record, pack);
    if (typeof manifest === 'string' || this.#found.has(header.sha256)) return false;
    if (!isWhole(manifest, this.#blocks)) return false;
    this.#next = Math.max(this.#next, header.next);
    this.#found.set(header.sha256, copyOf(manifest, header.sha256));
    return true;
  }

  #findSums(): void {
    const file = path.join(this.#folder, committedName);
    const sums = this.#sums;
    if (sums.kind === 'damaged') this.#note(file, 0, `the committed sums cannot be read: ${sums.reason}`);
    if (sums.kind === 'newer') this.#note(file, 0, 'the committed sums were written by a newer Clew');
    if (sums.kind === 'none' && this.#isSummed) this.#note(file, 0, 'the committed sums are missing');
  }

  #note(pack: string, offset: number, message: string): void {
    this.#damage.push({ pack, offset, message });
  }

  #numberCopies(order: readonly CommittedCopy[]): Pick<ArchiveContents, 'sessions' | 'copies' | 'titles'> {
    const copies = new Map<string, (Manifest | LostCopy)[]>();
    const contents = new Map<string, string>();
    const titles = new Map<string, string>();
    for (const { session, content, record, title } of order) {
      const list = copies.get(session) ?? [];
      copies.set(session, list);
      const last = list.at(-1);
      const copy = this.#found.get(record)?.manifest ?? this.#lost(session, title, record);
      // Only the times differ: the same version, seen again.
      if (last === undefined || contents.get(session) !== content) list.push(copy);
      else if (!isLost(copy) || isLost(last)) list[list.length - 1] = copy;
      contents.set(session, content);
      if (title !== '') titles.set(session, title);
    }
    const sessions = new Map<string, ArchivedSession>();
    for (const [key, list] of copies) {
      const versions = list.filter((copy): copy is Manifest => !isLost(copy));
      if (versions.length > 0) sessions.set(key, { key, versions });
    }
    return { sessions, copies, titles };
  }

  #lost(session: string, title: string, record: string): LostCopy {
    const reason = this.#unreadable.get(record) ?? 'its record is gone';
    return { session, sessionId: path.basename(session, '.jsonl'), title, reason };
  }
}

/** If there are gaps, bytes may be missing before them. */
function withoutGaps(file: ScannedPack): ScannedPack {
  return file.items.every(isRecord) ? file : scanCarefully(file);
}

/** After the last sound session: where a record is torn, or is not what it says. */
function tornEnd({ path: pack, items }: ScannedPack): number | undefined {
  const isSound = (item: PackRecord | PackGap): boolean => isRecord(item) && readBody(item, pack) !== undefined;
  const last = items.findLastIndex((item) => isRecord(item) && item.header.kind === 'session' && isSound(item));
  const torn = items.slice(last + 1).find((item) => !isSound(item));
  return torn === undefined || (!isRecord(torn) && torn.isNewer) ? undefined : torn.offset;
}

function readSession(record: PackRecord, pack: string): Manifest | string {
  const body = readBody(record, pack);
  return body === undefined ? 'the record of a session is damaged' : readManifest(record.header, body);
}

function copyOf(manifest: Manifest, record: string): FoundCopy {
  return { session: placeKey(manifest), content: contentHash(manifest), record, manifest, title: '' };
}

/** Whether every file of it can be restored. */
function isWhole(manifest: Manifest, blocks: readonly Block[]): boolean {
  const reader = new ChunkReader({ blocks });
  try {
    for (const file of manifest.files) for (const _ of readArchivedFile(reader, manifest, file));
    return true;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return false;
    throw error;
  }
}
