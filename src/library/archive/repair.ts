// A damaged archive → one in which everything can be restored, for `clew fsck`: what was never committed is dropped, sums
// are written again only for what was read back, and damaged packs are kept aside whole before what is intact in them
// takes their place. The next `clew archive` copies the sessions again that are still on disk.
import path from 'node:path';
import { counted } from '../../base/text/index.ts';
import { diskError, type LockOptions, removeStaleTemps, withLock } from '../../store/index.ts';
import { archiveFolder } from './archive-folder.ts';
import { FileChecker } from './file-check.ts';
import {
  type ArchiveContents,
  type ArchivedFile,
  bodyHash,
  type Committed,
  type CommittedCopy,
  type CommittedPack,
  codecs,
  contentHash,
  defaultCodec,
  isRecord,
  type KnownPack,
  type Manifest,
  makeRecord,
  noPacks,
  type PackRecord,
  placeKey,
  readBody,
  readContents,
  readManifest,
  type ScannedPack,
  serialiseManifest,
  writeCommitted,
} from './pack/index.ts';
import { Quarantine } from './quarantine.ts';
import { replacePack } from './replace-pack.ts';
import { type ArchiveStep, settleArchive } from './settle.ts';
import { isDamaged, type Verification, verifyContents } from './verify.ts';

export interface RepairOptions extends LockOptions {
  readonly folder?: string;
  /** Only says what is wrong; writes nothing. */
  readonly isDryRun?: boolean;
}

export interface ArchiveRepair {
  /** What is wrong before the repair; every session with what can be restored of it. */
  readonly found: Verification;
  /** What was done, one line each; empty for a dry run. */
  readonly steps: readonly ArchiveStep[];
  /** What is wrong after it. */
  readonly left: Verification;
}

/** Reads the whole archive. Refuses an archive of a newer Clew. */
export async function repairArchive(options: RepairOptions = {}): Promise<ArchiveRepair> {
  const folder = options.folder ?? archiveFolder();
  const known = readContents(folder);
  const found = await verifyContents(known);
  if (options.isDryRun === true || isEmpty(known)) return { found, steps: [], left: found };
  return withLock(folder, options, async () => {
    try {
      await removeStaleTemps(folder, 0);
      const { contents, steps } = await settleArchive(folder);
      const settled = await verifyContents(contents);
      if (!isDamaged(settled)) return { found, steps, left: settled };
      const more = await setAside(contents, settled);
      return { found, steps: [...steps, ...more], left: await verifyContents(readContents(folder)) };
    } catch (error) {
      throw diskError(error, 'write', folder);
    }
  });
}

function isEmpty({ packs, sums }: ArchiveContents): boolean {
  return packs.length === 0 && sums === 'none';
}

/** The damaged packs are whole in the quarantine before the first one is replaced: a kill loses nothing. */
async function setAside(contents: ArchiveContents, verification: Verification): Promise<readonly ArchiveStep[]> {
  const { folder, known } = contents;
  const quarantine = new Quarantine(folder);
  const intact = await intactRecords(contents);
  const packs = [...known, ...neededPacks(contents)];
  const bad = packs.filter((pack) => pack.file === undefined || !isIntact(pack, pack.file, intact));
  const steps: ArchiveStep[] = [];
  const { damage, broken, verdicts } = verification;
  await quarantine.writeNote('damage.json', `${JSON.stringify({ damage, broken, verdicts }, undefined, 2)}\n`);
  await quarantine.copyFile(path.join(folder, 'committed'));
  for (const { file } of bad) if (file !== undefined) await quarantine.copyFile(file.path);
  let committed = listIntact(packs, contents.committed ?? noPacks, intact);
  for (const { file, entry } of bad) {
    const sessions = verdicts.filter(({ isRestorable }) => !isRestorable).map(({ session }) => session);
    if (file === undefined) {
      const message = `${entry.name} is missing; its copies are listed in ${quarantine.folder}`;
      steps.push({ kind: 'quarantined', file: path.join(folder, entry.name), message, sessions });
      continue;
    }
    committed = await keepIntact(folder, committed, file, intact);
    const message = `${file.path} keeps what is intact; the damaged pack is in ${quarantine.folder}`;
    steps.push({ kind: 'quarantined', file: file.path, message, sessions });
  }
  writeCommitted(folder, committed);
  const lost = verdicts.filter(({ isRestorable }) => !isRestorable);
  const message = `the latest copy of ${counted(lost.length, 'session')} is lost; the next \`clew archive\` copies what is on disk`;
  return lost.length === 0
    ? steps
    : [
        ...steps,
        { kind: 'quarantined', file: quarantine.folder, message, sessions: lost.map(({ session }) => session) },
      ];
}

/** Files of which nothing is committed, but which have what is missing elsewhere: they become packs. */
function neededPacks({ tails, known }: ArchiveContents): readonly KnownPack[] {
  const isKnown = new Set(known.map(({ file }) => file));
  return tails.flatMap(({ pack, isNeeded }): KnownPack[] => {
    if (!isNeeded || isKnown.has(pack)) return [];
    const entry = { name: pack.name, bytes: 0, sha256: '', copies: [] };
    return [{ entry, condition: 'altered', file: pack, state: entry }];
  });
}

/** By pack and offset. */
type IntactRecords = ReadonlyMap<string, IntactRecord>;

interface IntactRecord {
  /** Instead of the record: of a copy of which some files are damaged, the others. */
  readonly bytes: Buffer | undefined;
  /** Of a session; by the hash of its record as it was. */
  readonly copy: { readonly was: string; readonly now: CommittedCopy } | undefined;
}

function recordKey(pack: string, offset: number): string {
  return `${pack}\n${offset}`;
}

async function intactRecords(contents: ArchiveContents): Promise<IntactRecords> {
  const { files, blocks, titles } = contents;
  const checker = new FileChecker(contents);
  const intact = new Map<string, IntactRecord>();
  for (const block of blocks) {
    if (readBody(block, block.pack) === undefined) continue;
    intact.set(recordKey(block.pack, block.offset), { bytes: undefined, copy: undefined });
  }
  const seen = new Set<string>();
  for (const file of files) {
    for (const item of file.items) {
      if (!isRecord(item) || item.header.kind !== 'session' || seen.has(item.header.sha256)) continue;
      const manifest = manifestOf(file, item);
      const left = manifest === undefined ? undefined : await intactFiles(checker, manifest);
      if (manifest === undefined || left === undefined) continue;
      seen.add(item.header.sha256);
      const title = titles.get(placeKey(manifest)) ?? '';
      intact.set(recordKey(file.path, item.offset), await intactRecord(item, manifest, left, title));
    }
  }
  return intact;
}

function manifestOf(file: ScannedPack, item: PackRecord): Manifest | undefined {
  const body = readBody(item, file.path);
  const manifest = body === undefined ? undefined : readManifest(item.header, body);
  return typeof manifest === 'object' ? manifest : undefined;
}

/** `undefined` if none is. */
async function intactFiles(checker: FileChecker, manifest: Manifest): Promise<readonly ArchivedFile[] | undefined> {
  const files: ArchivedFile[] = [];
  for (const file of manifest.files) if ((await checker.findDamage(manifest, file)) === undefined) files.push(file);
  return files.length === 0 ? undefined : files;
}

async function intactRecord(
  { header }: PackRecord,
  manifest: Manifest,
  files: readonly ArchivedFile[],
  title: string,
): Promise<IntactRecord> {
  const kept = { ...manifest, files };
  const copy = { session: placeKey(manifest), title, content: contentHash(kept) };
  if (files.length === manifest.files.length || header.kind !== 'session')
    return { bytes: undefined, copy: { was: header.sha256, now: { ...copy, record: header.sha256 } } };
  const raw = serialiseManifest(kept);
  const body = await codecs[defaultCodec].compress(raw);
  const sha256 = bodyHash(body);
  const { next } = header;
  const sizes = { rawBytes: raw.length, bodyBytes: body.length };
  const bytes = makeRecord({ kind: 'session', codec: defaultCodec, next, ...sizes, sha256, summed: true }, [body]);
  return { bytes, copy: { was: header.sha256, now: { ...copy, record: sha256 } } };
}

function isIntact({ condition }: KnownPack, { path: pack, items }: ScannedPack, intact: IntactRecords): boolean {
  if (condition !== 'sound') return false;
  return items.every((item) => {
    const found = intact.get(recordKey(pack, item.offset));
    return found !== undefined && found.bytes === undefined;
  });
}

/** The copies keep their order, also those that were found in another pack than theirs. */
function listIntact(known: readonly KnownPack[], committed: Committed, intact: IntactRecords): Committed {
  const copies = [...intact.values()].flatMap(({ copy }) => copy ?? []);
  const now = new Map(copies.map((copy) => [copy.was, copy.now]));
  const isListed = new Set(committed.packs.flatMap((pack) => pack.copies.map(({ record }) => record)));
  const packs: CommittedPack[] = [];
  let waiting: CommittedCopy[] = [];
  for (const { file, entry, condition } of known) {
    const unlisted = (file?.items ?? [])
      .flatMap(({ offset }) => intact.get(recordKey(file?.path ?? '', offset))?.copy ?? [])
      .filter(({ was }) => !isListed.has(was));
    waiting.push(...unlisted.map((copy) => copy.now), ...entry.copies.flatMap(({ record }) => now.get(record) ?? []));
    if (file === undefined) continue;
    packs.push({ ...entry, name: condition === 'sound' ? file.name : entry.name, copies: waiting });
    waiting = [];
  }
  const last = packs.pop();
  if (last !== undefined) packs.push({ ...last, copies: [...last.copies, ...waiting] });
  return { next: committed.next, packs };
}

function keepIntact(
  folder: string,
  committed: Committed,
  { path: pack, name, items }: ScannedPack,
  intact: IntactRecords,
): Promise<Committed> {
  return replacePack(folder, committed, { name, items }, (item) => {
    const found = intact.get(recordKey(pack, item.offset));
    return found === undefined ? Buffer.alloc(0) : found.bytes;
  });
}
