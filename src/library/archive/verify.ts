// Reads the archive back: every file of every version is put together again and compared with the hash of what was
// archived, and the packs are compared with what was committed. Says for each session what can be restored.
import path from 'node:path';
import { archiveFolder } from './archive-folder.ts';
import { archivedTitle, shortTitle } from './archived-title.ts';
import { FileChecker } from './file-check.ts';
import {
  type ArchiveContents,
  type ArchiveDamage,
  isLost,
  type LostCopy,
  type Manifest,
  readBody,
  readContents,
} from './pack/index.ts';

export interface VerifyOptions {
  readonly folder?: string;
  readonly onStart?: (totalBytes: number) => void;
  readonly onRead?: (bytes: number) => void;
}

export interface BrokenFile {
  readonly sessionId: string;
  /** The path of the session's main transcript as it was. */
  readonly session: string;
  readonly version: number;
  /** Empty if the list of its files is lost. */
  readonly file: string;
  readonly reason: string;
}

/** What can be restored of one session. */
export interface SessionVerdict {
  readonly sessionId: string;
  /** The path of its main transcript as it was. */
  readonly session: string;
  readonly title: string;
  /** Whether every file of its latest copy can be restored. */
  readonly isRestorable: boolean;
  readonly copies: number;
  /** The numbers of its copies that can be restored whole. */
  readonly restorable: readonly number[];
}

/** Bytes that were written to a pack and not committed. This is not damage. */
export interface UncommittedBytes {
  readonly pack: string;
  readonly offset: number;
  readonly bytes: number;
  /** Of these, whole records: the next run commits them. */
  readonly soundBytes: number;
  /** The sessions of which a part is among the rest, as far as that can be read. */
  readonly torn: readonly string[];
}

export interface Verification {
  readonly sessions: number;
  readonly versions: number;
  readonly files: number;
  readonly sizeBytes: number;
  readonly damage: readonly ArchiveDamage[];
  readonly broken: readonly BrokenFile[];
  /** `read`: the committed sums were compared; `none`: the archive has none yet, so nothing says what is missing. */
  readonly sums: ArchiveContents['sums'];
  readonly uncommitted: readonly UncommittedBytes[];
  readonly verdicts: readonly SessionVerdict[];
}

/** Whether something that was archived cannot be restored, or the archive is not what was committed. */
export function isDamaged({ damage, broken }: Verification): boolean {
  return damage.length + broken.length > 0;
}

export async function verifyArchive(options: VerifyOptions = {}): Promise<Verification> {
  return verifyContents(readContents(options.folder ?? archiveFolder()), options);
}

export async function verifyContents(contents: ArchiveContents, options: VerifyOptions = {}): Promise<Verification> {
  const damage = [...contents.damage, ...damagedBlocks(contents)];
  const all = [...contents.sessions.values()].flatMap(({ versions }) => versions.flatMap(({ files }) => files));
  options.onStart?.(all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const checker = new FileChecker(contents);
  const broken: BrokenFile[] = [];
  const verdicts: SessionVerdict[] = [];
  for (const [session, copies] of contents.copies) {
    const restorable: number[] = [];
    for (const [index, copy] of copies.entries()) {
      const found = await brokenFiles(checker, { session, copy, version: index + 1 }, options);
      if (found.length === 0) restorable.push(index + 1);
      broken.push(...found);
    }
    const sessionId = path.basename(session, '.jsonl');
    const isRestorable = restorable.at(-1) === copies.length;
    const title = titleOf(contents, session, copies);
    verdicts.push({ sessionId, session, title, isRestorable, copies: copies.length, restorable });
  }
  return {
    sessions: contents.sessions.size,
    versions: [...contents.sessions.values()].reduce((sum, { versions }) => sum + versions.length, 0),
    files: all.length,
    sizeBytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    damage,
    broken,
    sums: contents.sums,
    uncommitted: contents.tails.map(({ pack, offset, soundEnd, torn }) => {
      return { pack: pack.path, offset, bytes: pack.bytes - offset, soundBytes: soundEnd - offset, torn };
    }),
    verdicts,
  };
}

function damagedBlocks({ blocks }: ArchiveContents): readonly ArchiveDamage[] {
  return blocks.flatMap((block) => {
    if (readBody(block, block.pack) !== undefined) return [];
    const message = `a block of ${block.header.count} chunks is damaged`;
    return { pack: block.pack, offset: block.offset, message };
  });
}

interface NumberedCopy {
  readonly session: string;
  readonly copy: Manifest | LostCopy;
  readonly version: number;
}

async function brokenFiles(
  checker: FileChecker,
  { session, copy, version }: NumberedCopy,
  { onRead }: VerifyOptions,
): Promise<readonly BrokenFile[]> {
  const { sessionId } = copy;
  if (isLost(copy)) return [{ sessionId, session, version, file: '', reason: copy.reason }];
  const broken: BrokenFile[] = [];
  for (const file of copy.files) {
    const reason = await checker.findDamage(copy, file);
    if (reason !== undefined) broken.push({ sessionId, session, version, file: file.path, reason });
    onRead?.(file.sizeBytes);
  }
  return broken;
}

/** As it was committed, else from its lines. */
function titleOf(contents: ArchiveContents, session: string, copies: readonly (Manifest | LostCopy)[]): string {
  const committed = contents.titles.get(session);
  if (committed !== undefined && committed !== '') return committed;
  const last = copies.findLast((copy): copy is Manifest => !isLost(copy));
  return last === undefined ? '' : shortTitle(archivedTitle(contents, last));
}
