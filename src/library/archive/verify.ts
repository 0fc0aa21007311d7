// Reads the archive back: every file of every version is put together again and compared with the hash of what was
// archived. Files that cannot be restored are reported.
import { setImmediate } from 'node:timers/promises';
import { archiveFolder } from './archive.ts';
import {
  type ArchiveDamage,
  ArchiveDamaged,
  type ArchivedFile,
  ChunkReader,
  type Manifest,
  readArchivedFile,
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
  readonly file: string;
  readonly reason: string;
}

export interface Verification {
  readonly sessions: number;
  readonly versions: number;
  readonly files: number;
  readonly sizeBytes: number;
  readonly damage: readonly ArchiveDamage[];
  readonly broken: readonly BrokenFile[];
}

export async function verifyArchive(options: VerifyOptions = {}): Promise<Verification> {
  const contents = readContents(options.folder ?? archiveFolder());
  const damage = [...contents.damage];
  for (const block of contents.blocks) {
    if (readBody(block, block.pack) === undefined)
      damage.push({
        pack: block.pack,
        offset: block.offset,
        message: `a block of ${block.header.count} chunks is damaged`,
      });
  }
  const all = [...contents.sessions.values()].flatMap(({ key, versions }) =>
    versions.flatMap((manifest, index) => manifest.files.map((file) => ({ key, version: index + 1, manifest, file }))),
  );
  const distinct = new Set<string>();
  options.onStart?.(all.reduce((sum, { file }) => sum + file.sizeBytes, 0));
  const reader = new ChunkReader(contents);
  const broken: BrokenFile[] = [];
  for (const { key, version, manifest, file } of all) {
    const sameFile = JSON.stringify([manifest.sessionId, file.sha256, file.groups]);
    const reason = distinct.has(sameFile) ? undefined : await damageOf(reader, manifest, file);
    if (reason === undefined) distinct.add(sameFile);
    else broken.push({ sessionId: manifest.sessionId, session: key, version, file: file.path, reason });
    options.onRead?.(file.sizeBytes);
  }
  return {
    sessions: contents.sessions.size,
    versions: [...contents.sessions.values()].reduce((sum, { versions }) => sum + versions.length, 0),
    files: all.length,
    sizeBytes: all.reduce((sum, { file }) => sum + file.sizeBytes, 0),
    damage,
    broken,
  };
}

/** Why the file cannot be restored; `undefined` if it can. */
export async function damageOf(
  reader: ChunkReader,
  manifest: Manifest,
  file: ArchivedFile,
): Promise<string | undefined> {
  let unawaited = 0;
  try {
    for (const piece of readArchivedFile(reader, manifest, file)) {
      unawaited += piece.length;
      if (unawaited < breathBytes) continue;
      unawaited = 0;
      await setImmediate();
    }
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return error.message;
    throw error;
  }
}

const breathBytes = 4 << 20;
