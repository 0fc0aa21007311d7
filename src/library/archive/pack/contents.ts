// The folder of an archive → what is in it: the blocks of chunks, every version of every session, and what is damaged.
// Read by scanning the headers of the packs; there is no index that could disagree with them.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../../base/errors/index.ts';
import { asObject, asString, isArray, type JsonValue, parseJson } from '../../../base/json/index.ts';
import { diskError } from '../../../store/index.ts';
import {
  bodyHash,
  type ChunksHeader,
  codecs,
  isCodecName,
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

/** A missing folder is an empty archive. */
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

/** The body of a block, if it matches its header. */
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
      else this.#damage.push({ pack, offset: item.offset, message: `${item.bytes} bytes are not a record` });
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
  return parseManifest(codecs[codec].decompress(body, rawBytes)) ?? 'the record of a session is not a manifest';
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

/** A file of an archived session. */
export interface ArchivedFile {
  /** Below the project folder, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly mode: number;
  readonly sha256: string;
  /** The numbers of its groups. */
  readonly groups: readonly number[];
}

/** One archived version of a session. */
export interface Manifest {
  readonly sessionId: string;
  /** The folder of the project folders, and the name of the session's project folder. */
  readonly projects: string;
  readonly slug: string;
  readonly archivedAtMs: number;
  /** The main transcript is the first. */
  readonly files: readonly ArchivedFile[];
}

/** What makes it the same session: equal ids in different folders are different sessions. */
export function placeKey({ projects, slug, sessionId }: Pick<Manifest, 'projects' | 'slug' | 'sessionId'>): string {
  return path.join(projects, slug, `${sessionId}.jsonl`);
}

/** Equal for two versions whose files have the same names and bytes. */
export function contentKey({ files }: Manifest): string {
  return JSON.stringify(files.map((file) => [file.path, file.sha256]));
}

export function totalBytes({ files }: Manifest): number {
  return files.reduce((sum, file) => sum + file.sizeBytes, 0);
}

/** Groups as steps: the numbers of a large file grow evenly, which compresses to almost nothing. */
export function serialiseManifest(manifest: Manifest): Buffer {
  const files = manifest.files.map((file) => ({
    ...file,
    groups: file.groups.map((group, index) => group - (file.groups[index - 1] ?? 0)),
  }));
  return Buffer.from(JSON.stringify({ ...manifest, files }));
}

/** `undefined` for anything that is not a manifest, and if a path leads out of the project folder. */
function parseManifest(bytes: Buffer): Manifest | undefined {
  const value = asObject(parseJson(bytes.toString('utf8')));
  const sessionId = asString(value?.sessionId);
  const projects = asString(value?.projects);
  const slug = asString(value?.slug);
  if (sessionId === undefined || projects === undefined || slug === undefined || !isArray(value?.files))
    return undefined;
  const files: ArchivedFile[] = [];
  for (const each of value.files) {
    const file = parseFile(each);
    if (file === undefined) return undefined;
    files.push(file);
  }
  if (!isInside(slug) || slug.includes('/') || files.length === 0) return undefined;
  return { sessionId, projects, slug, archivedAtMs: Number(value.archivedAtMs), files };
}

function parseFile(value: JsonValue): ArchivedFile | undefined {
  const file = asObject(value);
  const name = asString(file?.path);
  const sha256 = asString(file?.sha256);
  if (file === undefined || name === undefined || sha256 === undefined || !isArray(file.groups)) return undefined;
  if (!isInside(name)) return undefined;
  const groups: number[] = [];
  for (const step of file.groups) groups.push((groups.at(-1) ?? 0) + Number(step));
  const { sizeBytes, mtimeMs, mode } = file;
  return { path: name, sizeBytes: Number(sizeBytes), mtimeMs: Number(mtimeMs), mode: Number(mode), sha256, groups };
}

function isInside(name: string): boolean {
  const parts = name.split('/');
  return !path.isAbsolute(name) && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}
