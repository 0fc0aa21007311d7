// Versions of sessions that must not be kept → an archive without them. Everything else only appends to packs; a purge
// writes each pack again to a file next to it, which then replaces it: first without the records of those versions, then
// with empty chunks where no remaining version needs them. Numbers of chunks do not change. If a purge is killed at any
// point, the remaining versions can be read, and the file `purging` makes the next purge clear the rest.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { diskError, type LockOptions, removeStaleTemps, withLock, writeNewFile } from '../../store/index.ts';
import { archiveFolder } from './archive-folder.ts';
import {
  type ArchiveContents,
  ArchiveDamaged,
  type Block,
  bodyHash,
  ChunkReader,
  type Committed,
  chunksOfGroup,
  codecs,
  contentKey,
  defaultCodec,
  hashBytes,
  isRecord,
  lengthBytes,
  type Manifest,
  makeRecord,
  noPacks,
  type PackRecord,
  placeKey,
  readBody,
  readContents,
  readManifest,
  readRange,
  scanPack,
  type UnpackedBlock,
  unpackBlock,
  writeCommitted,
} from './pack/index.ts';
import { type PackChange, replacePack } from './replace-pack.ts';
import { settleArchive } from './settle.ts';

export interface PurgeOptions extends LockOptions {
  readonly folder?: string;
}

export interface Purged {
  /** Versions that were taken out. */
  readonly versions: number;
  /** Chunks that are empty now. */
  readonly chunks: number;
}

/** Removes every version for which `isUnwanted` returns true. */
export async function purgeVersions(
  isUnwanted: (manifest: Manifest, contents: ArchiveContents) => boolean | Promise<boolean>,
  options: PurgeOptions = {},
): Promise<Purged> {
  const folder = options.folder ?? archiveFolder();
  if (readContents(folder).packs.length === 0) return { versions: 0, chunks: 0 };
  const marker = path.join(folder, 'purging');
  return withLock(folder, options, async () => {
    const { contents } = await settleArchive(folder);
    const unwanted = new Set<string>();
    for (const manifest of [...contents.sessions.values()].flatMap(({ versions }) => versions))
      if (await isUnwanted(manifest, contents)) unwanted.add(versionKey(manifest));
    if (unwanted.size === 0 && !existsSync(marker)) return { versions: 0, chunks: 0 };
    const isGone = (manifest: Manifest): boolean => unwanted.has(versionKey(manifest));
    refuseDamaged(contents);
    const used = markUsed(contents, isGone);
    let committed = withoutCopies(contents, isGone);
    try {
      if (!existsSync(marker)) await writeNewFile(marker, Buffer.from('a purge has begun\n'));
      await removeStaleTemps(folder, 0);
      for (const pack of contents.packs) committed = await dropVersions(pack, isGone, committed);
      let chunks = 0;
      for (const pack of contents.packs) {
        const emptied = await emptyUnused(pack, used, committed);
        chunks += emptied.chunks;
        committed = emptied.committed;
      }
      writeCommitted(folder, committed);
      await rm(marker);
      return { versions: unwanted.size, chunks };
    } catch (error) {
      throw diskError(error, 'write', folder);
    }
  });
}

/** A pack that is not what was committed must not be committed again. */
function refuseDamaged({ known }: ArchiveContents): void {
  const bad = known.find(({ condition }) => condition !== 'sound');
  if (bad !== undefined) throw unreadable(`${bad.entry.name} is ${bad.condition}`);
}

/** They leave the lists before their records leave the packs: after a kill in between they are not missing. */
function withoutCopies(contents: ArchiveContents, isGone: (manifest: Manifest) => boolean): Committed {
  const { next, packs } = contents.committed ?? noPacks;
  const gone = new Set<string>();
  for (const pack of contents.packs)
    for (const { record, manifest } of manifestsOf(pack))
      if (manifest !== undefined && isGone(manifest)) gone.add(record.header.sha256);
  return {
    next,
    packs: packs.map((pack) => ({ ...pack, copies: pack.copies.filter(({ record }) => !gone.has(record)) })),
  };
}

function versionKey(manifest: Manifest): string {
  return `${placeKey(manifest)}\n${contentKey(manifest)}`;
}

/** Every chunk of the remaining versions. If that cannot be determined, nothing may be cleared. */
function markUsed(contents: ArchiveContents, isGone: (manifest: Manifest) => boolean): Uint8Array {
  const used = new Uint8Array(contents.next);
  const reader = new ChunkReader(contents);
  for (const pack of contents.packs) {
    for (const { manifest, problem } of manifestsOf(pack)) {
      if (manifest === undefined) throw unreadable(problem ?? 'a record is damaged');
      if (isGone(manifest)) continue;
      for (const group of manifest.files.flatMap((file) => file.groups)) markGroup(group, reader, used);
    }
  }
  return used;
}

function markGroup(group: number, reader: ChunkReader, used: Uint8Array): void {
  if (used[group] === groupMark) return;
  try {
    for (const { start, count } of chunksOfGroup(reader.read(group)))
      for (let chunk = start; chunk < start + count; chunk++) used[chunk] ||= chunkMark;
  } catch (error) {
    if (error instanceof ArchiveDamaged || error instanceof RangeError) throw unreadable(error.message);
    throw error;
  }
  used[group] = groupMark;
}

const chunkMark = 1;
const groupMark = 2;

function unreadable(reason: string): UserError {
  return new UserError(
    `the archive is damaged (${reason}), so nothing was taken out of it`,
    'run `clew archive --verify`',
    exitCodes.failed,
  );
}

function* manifestsOf(pack: string): Generator<{ record: PackRecord; manifest?: Manifest; problem?: string }> {
  for (const item of scanPack(pack)) {
    if (!isRecord(item) || item.header.kind !== 'session') continue;
    const body = readBody(item, pack);
    const manifest = body === undefined ? 'the record of a session is damaged' : readManifest(item.header, body);
    yield typeof manifest === 'string' ? { record: item, problem: manifest } : { record: item, manifest };
  }
}

async function dropVersions(
  pack: string,
  isGone: (manifest: Manifest) => boolean,
  committed: Committed,
): Promise<Committed> {
  const dropped = new Set<number>();
  for (const { record, manifest } of manifestsOf(pack))
    if (manifest !== undefined && isGone(manifest)) dropped.add(record.offset);
  if (dropped.size === 0) return committed;
  const change: PackChange = (item) => (dropped.has(item.offset) ? Buffer.alloc(0) : undefined);
  return replacePack(path.dirname(pack), committed, { name: path.basename(pack), items: scanPack(pack) }, change);
}

async function emptyUnused(
  pack: string,
  used: Uint8Array,
  committed: Committed,
): Promise<{ readonly chunks: number; readonly committed: Committed }> {
  const emptied = new Set<number>();
  let chunks = 0;
  for (const item of scanPack(pack)) {
    if (!isRecord(item) || item.header.kind !== 'chunks') continue;
    const { first, count } = item.header;
    if (used.subarray(first, first + count).every((mark) => mark !== 0)) continue;
    const unpacked = tryUnpack({ ...item, pack, header: item.header });
    const unused = unpacked === undefined ? 0 : countUnused(unpacked, first, count, used);
    if (unpacked === undefined || unused === 0) continue;
    emptied.add(item.offset);
    chunks += unused;
  }
  if (emptied.size === 0) return { chunks, committed };
  const change: PackChange = (item) =>
    isRecord(item) && emptied.has(item.offset) ? emptyBlock(item, pack, used) : undefined;
  const old = { name: path.basename(pack), items: scanPack(pack) };
  return { chunks, committed: await replacePack(path.dirname(pack), committed, old, change) };
}

/** Nothing can be read from a damaged block. */
function tryUnpack(block: Block): UnpackedBlock | undefined {
  try {
    return unpackBlock(block);
  } catch (error) {
    if (error instanceof ArchiveDamaged) return undefined;
    throw error;
  }
}

function countUnused({ starts }: UnpackedBlock, first: number, count: number, used: Uint8Array): number {
  let unused = 0;
  for (let i = 0; i < count; i++)
    if (used[first + i] === 0 && (starts[i + 1] as number) > (starts[i] as number)) unused++;
  return unused;
}

/** The block with the same numbers, without the bytes and hashes of unused chunks. */
async function emptyBlock({ header, offset, bodyOffset }: PackRecord, pack: string, used: Uint8Array): Promise<Buffer> {
  if (header.kind !== 'chunks') throw new TypeError('only blocks of chunks are emptied');
  const { first, count } = header;
  const block = unpackBlock({ pack, offset, bodyOffset, header });
  const hashes = Buffer.from(readRange(pack, bodyOffset, count * hashBytes));
  const lengths = Buffer.alloc(count * lengthBytes);
  const kept: Buffer[] = [];
  for (let i = 0; i < count; i++) {
    if (used[first + i] === 0) {
      hashes.fill(0, i * hashBytes, (i + 1) * hashBytes);
      continue;
    }
    const chunk = block.bytes.subarray(block.starts[i], block.starts[i + 1]);
    lengths.writeUInt32LE(chunk.length, i * lengthBytes);
    kept.push(chunk);
  }
  const raw = Buffer.concat([...kept, lengths]);
  const body = Buffer.concat([hashes, await codecs[defaultCodec].compress(raw)]);
  return makeRecord(
    {
      kind: 'chunks',
      codec: defaultCodec,
      first,
      count,
      rawBytes: raw.length,
      bodyBytes: body.length,
      sha256: bodyHash(body),
      summed: true,
    },
    [body],
  );
}
