// Archives named sessions, as an operation: undo removes the copies that it added, unless they are the only ones.
import {
  type ArchiveOptions,
  type ArchiveReport,
  archivedCopies,
  archiveFolder,
  archiveSessions,
  newCopies,
} from '../../library/archive/index.ts';
import type { PlannedSource } from '../journal/index.ts';
import { type LogOptions, logOperation } from '../journal/index.ts';

export interface ArchivedByName extends ArchiveReport {
  /** For undo; `undefined` if the archive has not changed. */
  readonly operation: string | undefined;
}

/** `isDryRun` says what would be archived. */
export async function archiveByName(
  sessions: readonly PlannedSource[],
  options: LogOptions & ArchiveOptions = {},
): Promise<ArchivedByName> {
  const folder = options.folder ?? archiveFolder(options.env);
  if (options.isDryRun === true)
    return { ...(await archiveSessions(sessions, { ...options, folder })), operation: undefined };
  const mains = sessions.map(({ path }) => path);
  let report: ArchiveReport | undefined;
  const operation = await logOperation(options, async () => {
    const before = archivedCopies(folder, mains);
    // Only adds to the archive: a kill before the record leaves a copy more, and nothing else.
    report = await archiveSessions(sessions, { ...options, folder });
    const copies = newCopies(before, archivedCopies(folder, mains));
    if (copies.length === 0) return undefined;
    const from = sessions.filter(({ path }) => copies.some(({ session }) => session === path));
    return { operation: 'archive', words: [], from, to: [], files: [], copies };
  });
  if (report === undefined) throw new TypeError('nothing was archived');
  return { ...report, operation };
}
