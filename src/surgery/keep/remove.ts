// Deletes a session whose every byte is in the archive, as an operation: undo restores the files from there, with their
// modes and times.
import path from 'node:path';
import { keepSession, type RemovedSession, type RemoveOptions, removeSession } from '../../library/archive/index.ts';
import { type LogOptions, logOperation } from '../journal/index.ts';

export type RemovedWithUndo = RemovedSession & {
  /** For undo; `undefined` for a dry run and without the archive. */
  readonly operation: string | undefined;
};

export async function removeWithUndo(main: string, options: LogOptions & RemoveOptions = {}): Promise<RemovedWithUndo> {
  if (options.isDryRun === true || options.withoutArchive === true)
    return { ...(await removeSession(main, options)), operation: undefined };
  let removed: RemovedSession | undefined;
  const operation = await logOperation(options, async () => {
    const kept = await keepSession(main, options);
    removed = kept.removed;
    const { sessionId, path: file } = removed;
    const files = kept.files.map(({ path: each, sizeBytes, archived }) => {
      return { path: each, kind: 'removed' as const, before: { sizeBytes, sha256: archived.sha256 }, archived };
    });
    return { operation: 'rm', words: [], from: [{ sessionId, path: file }], to: [], files, tops: [path.dirname(file)] };
  });
  if (removed === undefined) throw new TypeError('nothing was planned');
  return { ...removed, isArchived: true, operation };
}
