// The archive as a list, and the version that an argument names.
import { exitCodes, UserError } from '../../base/errors/errors.ts';
import { scanRecord } from '../../format/scan/scan.ts';
import { archiveFolder } from './archive.ts';
import { ArchiveDamaged, ChunkReader, readArchivedFile } from './pack/chunk-reader.ts';
import { type ArchiveContents, type ArchivedSession, readContents } from './pack/contents.ts';
import { contentKey, type Manifest } from './pack/manifest.ts';

/** Lists every session in the archive. */
export function listArchive(folder: string = archiveFolder()): readonly ArchivedSession[] {
  const sessions = [...readContents(folder).sessions.values()];
  return sessions.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * `argument`: a session id, a unique prefix of one, or the path that the main transcript had. `version` counts from 1,
 * the oldest; without it the latest is meant.
 */
export function findArchived(contents: ArchiveContents, argument: string, version?: number): Manifest {
  const { versions } = findArchivedSession(contents, argument);
  const found = versions.at(version === undefined ? -1 : version - 1);
  if (found !== undefined && (version === undefined || version >= 1)) return found;
  throw new UserError(
    `there is no version ${version} of session ${versions[0]?.sessionId} in the archive`,
    `there are ${versions.length}; 1 is the oldest`,
  );
}

function findArchivedSession({ sessions, folder, damage }: ArchiveContents, argument: string): ArchivedSession {
  const byPath = sessions.get(argument);
  if (byPath !== undefined) return byPath;
  const wanted = argument.trim().toLowerCase();
  const all = [...sessions.values()].filter((session) => wanted !== '' && idOf(session).startsWith(wanted));
  const exact = all.filter((session) => idOf(session) === wanted);
  const matches = exact.length > 0 ? exact : all;
  const ids = [...new Set(matches.map(idOf))].sort();
  if (ids.length > 1) {
    const more = ids.length > 5 ? ` and ${ids.length - 5} more` : '';
    throw new UserError(
      `"${argument}" fits ${ids.length} archived sessions: ${ids.slice(0, 5).join(', ')}${more}`,
      'give more of the id',
    );
  }
  const [newest, ...others] = matches.sort((a, b) => archivedAt(b) - archivedAt(a));
  if (newest === undefined) {
    const but = damage.length > 0 ? ', but a part of it is damaged' : '';
    throw new UserError(
      `no session "${argument}" in the archive ${folder}${but}`,
      'run `clew archive --list` to see what is there',
    );
  }
  if (others.every((other) => sameContent(other, newest))) return newest;
  const paths = matches.map((session) => session.key).join(' and ');
  throw new UserError(`session ${newest.versions[0]?.sessionId} was archived from ${paths}`, 'give the path');
}

function idOf(session: ArchivedSession): string {
  return (session.versions[0]?.sessionId ?? '').toLowerCase();
}

function archivedAt(session: ArchivedSession): number {
  return session.versions.at(-1)?.archivedAtMs ?? 0;
}

function sameContent(a: ArchivedSession, b: ArchivedSession): boolean {
  const [one, two] = [a.versions.at(-1), b.versions.at(-1)];
  return one !== undefined && two !== undefined && contentKey(one) === contentKey(two);
}

/** A failure of the archive itself, for the user. */
export function damagedError(manifest: Manifest, name: string, reason: string): UserError {
  return new UserError(
    `the archived copy of ${name} of session ${manifest.sessionId} cannot be read: ${reason}`,
    'run `clew archive --verify` to see what is damaged',
    exitCodes.failed,
  );
}

/** The first folder that a line of an archived session names; `undefined` where none does, or its bytes are damaged. */
export function archivedFolder(contents: ArchiveContents, manifest: Manifest): string | undefined {
  const [main] = manifest.files;
  if (main === undefined) return undefined;
  try {
    for (const line of readArchivedFile(new ChunkReader(contents), manifest, main)) {
      const cwd = scanRecord(line)?.cwd;
      if (cwd !== undefined) return cwd;
    }
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveDamaged) return undefined;
    throw error;
  }
}
