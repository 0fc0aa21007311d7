// An archive that a killed run, another program or an older Clew left → one of which everything is committed, so that a
// writer can begin: whole sessions after the committed end are committed, what is torn is dropped, and an archive without
// committed sums gets them after every copy was read back. Damage to what is committed stays as it is.
import { closeSync, ftruncateSync, openSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { counted } from '../../base/text/index.ts';
import { diskError, makeFolder, syncFile } from '../../store/index.ts';
import { archivedTitle, shortTitle } from './archived-title.ts';
import { FileChecker } from './file-check.ts';
import {
  type ArchiveContents,
  type CommittedCopy,
  type CommittedPack,
  committedName,
  contentHash,
  endOf,
  isRecord,
  type KnownPack,
  type Manifest,
  noPacks,
  type PackRecord,
  type PackState,
  type PackTail,
  placeKey,
  readBody,
  readContents,
  readManifest,
  type ScannedPack,
  sumUpTo,
  writeCommitted,
} from './pack/index.ts';
import { Quarantine } from './quarantine.ts';

/** Something that was done to an archive, or would be, in one line. */
export interface ArchiveStep {
  readonly kind: 'committed' | 'dropped' | 'quarantined';
  readonly file: string;
  readonly message: string;
  /** The paths that the main transcripts of the sessions concerned had. */
  readonly sessions: readonly string[];
}

export interface SettledArchive {
  readonly contents: ArchiveContents;
  readonly steps: readonly ArchiveStep[];
}

/** Whether a writer can begin. */
export function isSettled({ sums, tails, known }: ArchiveContents): boolean {
  return (
    sums === 'read' &&
    tails.every(({ isNeeded, offset, soundEnd }) => isNeeded && soundEnd === offset) &&
    known.every((pack) => pack.condition !== 'sound' || isCurrent(pack))
  );
}

function isCurrent({ entry, file, state }: KnownPack): boolean {
  return file?.name === entry.name && state === entry && entry.becomes === undefined;
}

/** The caller holds the lock. */
export async function settleArchive(folder: string): Promise<SettledArchive> {
  const contents = readContents(folder);
  if (contents.isNewer)
    throw new UserError(
      `the archive ${folder} was written by a newer Clew; nothing was written to it`,
      'update Clew',
      exitCodes.refused,
    );
  if (isSettled(contents)) return { contents, steps: [] };
  try {
    const steps = contents.sums === 'read' ? [] : await commitVerified(contents);
    const summed = steps.length === 0 && contents.sums === 'read' ? contents : readContents(folder);
    steps.push(...(isSettled(summed) ? [] : await commitTails(summed)));
    return { contents: readContents(folder), steps };
  } catch (error) {
    throw diskError(error, 'write', folder);
  }
}

/** Only copies whose every file was read back and compared with its hash. */
async function commitVerified(contents: ArchiveContents): Promise<ArchiveStep[]> {
  const { folder, sums, files, tails } = contents;
  const file = path.join(folder, committedName);
  await makeFolder(folder);
  const steps: ArchiveStep[] = [];
  if (sums === 'damaged') {
    const kept = await new Quarantine(folder).move(file);
    steps.push({ kind: 'quarantined', file, message: `the damaged ${file} is now ${kept}`, sessions: [] });
  }
  if (files.length === 0) {
    writeCommitted(folder, noPacks);
    return steps;
  }
  const checker = new FileChecker(contents);
  const packs: CommittedPack[] = [];
  for (const pack of files) {
    const end = tails.find((tail) => tail.pack === pack)?.offset ?? lastRecordEnd(pack);
    const copies: CommittedCopy[] = [];
    for (const copy of recordsIn(pack, 0, end))
      if (await checker.isWhole(copy.manifest)) copies.push(committedCopy(contents, copy));
    packs.push({ name: pack.name, ...stateUpTo(pack, end), copies });
  }
  await syncPacks(files);
  writeCommitted(folder, { next: contents.next, packs });
  const copies = packs.reduce((sum, pack) => sum + pack.copies.length, 0);
  const was = sums === 'none' ? 'had no committed sums' : `had lost its committed sums, so copies may be missing`;
  const message = `the archive ${folder} ${was}; ${counted(copies, 'copy', 'copies')} were read back and committed`;
  steps.push({ kind: 'committed', file, message, sessions: [] });
  return steps;
}

function lastRecordEnd({ items }: ScannedPack): number {
  const last = items.findLast(isRecord);
  return last === undefined ? 0 : endOf(last);
}

async function commitTails(contents: ArchiveContents): Promise<readonly ArchiveStep[]> {
  const { folder, known, tails, committed = noPacks } = contents;
  const steps: ArchiveStep[] = [];
  for (const tail of tails) if (!tail.isNeeded) steps.push(...(await dropTorn(folder, tail)));
  await syncPacks(tails.map(({ pack }) => pack));
  const grown = (pack: ScannedPack, from: number, copies: readonly CommittedCopy[]): Omit<CommittedPack, 'name'> => {
    const end = tails.find((tail) => tail.pack === pack)?.soundEnd ?? from;
    const added = recordsIn(pack, from, end).map((copy) => committedCopy(contents, copy));
    return { ...stateUpTo(pack, end), copies: [...copies, ...added] };
  };
  const packs = known.map(({ entry, condition, file, state }): CommittedPack => {
    if (condition !== 'sound' || file === undefined) return entry;
    return { name: file.name, ...grown(file, state.bytes, entry.copies) };
  });
  const isKnown = new Set(known.map(({ file }) => file));
  const begun = tails.filter(({ pack, soundEnd }) => soundEnd > 0 && !isKnown.has(pack));
  packs.push(...begun.map(({ pack }) => ({ name: pack.name, ...grown(pack, 0, []) })));
  writeCommitted(folder, { next: Math.max(contents.next, committed.next), packs });
  return steps;
}

/** What was never committed and is not whole. What may be more than the end of a killed run is kept aside. */
async function dropTorn(folder: string, tail: PackTail): Promise<readonly ArchiveStep[]> {
  const { pack, soundEnd, isOdd, torn } = tail;
  const dropped = pack.bytes - soundEnd;
  if (dropped === 0) return [];
  const kept = isOdd ? await new Quarantine(folder).copy(pack.path, soundEnd, pack.bytes) : undefined;
  truncate(pack.path, soundEnd);
  const held = torn.length === 0 ? '' : ` with ${counted(torn.length, 'session')} (${torn.join(', ')})`;
  const what = `${dropped} bytes of ${pack.path} were never committed`;
  const message = kept === undefined ? `${what} and were dropped${held}` : `${what}${held}; they are now in ${kept}`;
  return [{ kind: kept === undefined ? 'dropped' : 'quarantined', file: pack.path, message, sessions: torn }];
}

function truncate(pack: string, bytes: number): void {
  const file = openSync(pack, 'r+');
  try {
    ftruncateSync(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** What is committed must be on the disk, whoever wrote it. */
async function syncPacks(packs: readonly ScannedPack[]): Promise<void> {
  for (const { path: pack } of packs) {
    const file = openSync(pack, 'r+');
    try {
      await syncFile(file);
    } finally {
      closeSync(file);
    }
  }
}

interface SessionRecord {
  readonly record: PackRecord;
  readonly manifest: Manifest;
}

function recordsIn(pack: ScannedPack, from: number, to: number): readonly SessionRecord[] {
  return pack.items.flatMap((record) => {
    if (!isRecord(record) || record.header.kind !== 'session' || record.offset < from || endOf(record) > to) return [];
    const body = readBody(record, pack.path);
    const manifest = body === undefined ? undefined : readManifest(record.header, body);
    return typeof manifest === 'object' ? [{ record, manifest }] : [];
  });
}

function committedCopy(contents: ArchiveContents, { record, manifest }: SessionRecord): CommittedCopy {
  const title = shortTitle(archivedTitle(contents, manifest));
  return { session: placeKey(manifest), title, content: contentHash(manifest), record: record.header.sha256 };
}

function stateUpTo(pack: ScannedPack, bytes: number): PackState {
  const sha256 = sumUpTo(pack.items, bytes);
  if (sha256 === undefined) throw new RangeError(`no record of ${pack.path} ends at ${bytes}`);
  return { bytes, sha256 };
}
