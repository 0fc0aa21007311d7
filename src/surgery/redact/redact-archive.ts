// After a session was redacted in place: removes its copies with a secret from the archive, and archives it again. Other
// sessions with the same lines, such as forks, keep theirs.
import { type ArchiveOptions, archiveFolder, archiveSessions } from '../../library/archive/archive.ts';
import { ArchiveDamaged, ChunkReader, readArchivedFile } from '../../library/archive/pack/chunk-reader.ts';
import { type ArchiveContents, readContents } from '../../library/archive/pack/contents.ts';
import type { Manifest } from '../../library/archive/pack/manifest.ts';
import { purgeVersions } from '../../library/archive/purge.ts';
import { sessionPlace } from '../../library/session-files/session-paths.ts';
import type { Redactor } from './redactor.ts';
import { inspectContent } from './survey.ts';

/** Returns the number of removed copies. */
export async function redactArchive(main: string, redactor: Redactor, options: ArchiveOptions = {}): Promise<number> {
  const folder = options.folder ?? archiveFolder();
  const isUnwanted = (manifest: Manifest, contents: ArchiveContents): boolean =>
    isOf(manifest, main) && holdsSecret(manifest, new ChunkReader(contents), redactor);
  const { versions } = await purgeVersions(isUnwanted, { ...options, folder });
  if (versions > 0) await archiveSessions([{ path: main }], { ...options, folder });
  return versions;
}

/** Whether copies of other sessions hold a value in plain text. Reads the whole archive. */
export function isInArchive(redactor: Redactor, folder: string): boolean {
  const contents = readContents(folder);
  const reader = new ChunkReader(contents);
  for (let chunk = 0; chunk < contents.next; chunk++) if (holdsPlain(chunk, reader, redactor)) return true;
  return false;
}

function holdsPlain(chunk: number, reader: ChunkReader, redactor: Redactor): boolean {
  try {
    return redactor.holdsPlain(reader.read(chunk));
  } catch (error) {
    if (error instanceof ArchiveDamaged) return false; // unreadable
    throw error;
  }
}

/** The number of copies that `redactArchive` would remove. */
export function countArchived(main: string, redactor: Redactor, folder: string): number {
  const contents = readContents(folder);
  const reader = new ChunkReader(contents);
  const versions = [...contents.sessions.values()].flatMap((session) => session.versions);
  return versions.filter((manifest) => isOf(manifest, main) && holdsSecret(manifest, reader, redactor)).length;
}

/** In any folder: a moved session has the same id. */
function isOf(manifest: Manifest, main: string): boolean {
  return manifest.sessionId === sessionPlace(main).sessionId;
}

/** An unreadable copy counts as one with a secret. */
function holdsSecret(manifest: Manifest, reader: ChunkReader, redactor: Redactor): boolean {
  try {
    return manifest.files.some((file) => {
      if (redactor.holdsValue(Buffer.from(file.path))) return true;
      const pieces = [...readArchivedFile(reader, manifest, file)];
      return inspectContent(Buffer.concat(pieces), file.path, redactor).length > 0;
    });
  } catch (error) {
    if (error instanceof ArchiveDamaged) return true;
    throw error;
  }
}
