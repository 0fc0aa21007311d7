// Single copies in the archive, for the undo of `clew archive SESSION`: which copy a run added, and its removal, which is
// refused while the copy holds bytes that are nowhere else.
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import { diskError } from '../../store/index.ts';
import { contentHash, type Manifest, placeKey, readContents } from './pack/index.ts';
import { purgeVersions } from './purge.ts';

/** One version of a session in an archive. */
export interface ArchivedCopy {
  readonly folder: string;
  /** The path that the main transcript had. */
  readonly session: string;
  /** A hash of the names and bytes of its files. */
  readonly content: string;
}

/** All copies of these sessions. */
export function archivedCopies(folder: string, sessions: readonly string[]): readonly ArchivedCopy[] {
  const { sessions: known } = readContents(folder);
  return sessions.flatMap((session) =>
    (known.get(session)?.versions ?? []).map((manifest) => ({ folder, session, content: contentHash(manifest) })),
  );
}

/** Those that an earlier list does not have. */
export function newCopies(before: readonly ArchivedCopy[], after: readonly ArchivedCopy[]): readonly ArchivedCopy[] {
  return after.filter(
    ({ session, content }) => !before.some((copy) => copy.session === session && copy.content === content),
  );
}

/** Removes a copy; does nothing if it is not there. */
export async function forgetCopy(copy: ArchivedCopy): Promise<void> {
  const { folder, session, content } = copy;
  // Under the lock of the purge, so that the files are read right before the copy goes.
  const isUnwanted = async (each: Manifest): Promise<boolean> => {
    if (placeKey(each) !== session || contentHash(each) !== content) return false;
    await refuseOnlyCopy(copy);
    return true;
  };
  await purgeVersions(isUnwanted, { folder });
}

/** Refuses unless the files on disk still begin with the archived bytes: a session only grows. */
export async function refuseOnlyCopy({ folder, session, content }: ArchivedCopy): Promise<void> {
  const manifest = readContents(folder)
    .sessions.get(session)
    ?.versions.find((each) => contentHash(each) === content);
  if (manifest === undefined) return;
  const { projects, slug, sessionId, files } = manifest;
  for (const { path: name, sizeBytes, sha256 } of files) {
    const file = path.join(projects, slug, ...name.split('/'));
    if ((await hashStart(file, sizeBytes)) === sha256) continue;
    throw new UserError(
      `the archive has the only copy of ${name} of session ${sessionId}, so it stays`,
      `restore it first: \`clew restore ${sessionId}\``,
      exitCodes.refused,
    );
  }
}

async function hashStart(file: string, sizeBytes: number): Promise<string | undefined> {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size < sizeBytes) return undefined;
    const hash = createHash('sha256');
    if (sizeBytes > 0) for await (const bytes of createReadStream(file, { end: sizeBytes - 1 })) hash.update(bytes);
    return hash.digest('hex');
  } catch (error) {
    throw diskError(error, 'read', file);
  }
}
