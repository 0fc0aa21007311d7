// Deletes a session whose every byte is in the archive, as an operation: undo restores the files from there, with their
// modes and times.
import { keepSession, type RemovedSession, type RemoveOptions, removeSession } from '../../library/archive/index.ts';
import { type LogOptions, logOperation } from '../engine/index.ts';

export type RemovedWithUndo = RemovedSession & {
  /** For undo; `undefined` for a dry run and without the archive. */
  readonly operation: string | undefined;
};

export async function removeWithUndo(main: string, options: LogOptions & RemoveOptions = {}): Promise<RemovedWithUndo> {
  if (options.isDryRun === true || options.withoutArchive === true)
    return { ...(await removeSession(main, options)), operation: undefined };
  const done = await logOperation(options, async () => {
    const kept = await keepSession(main, options);
    const { sessionId, path } = kept.removed;
    const files = kept.files.map(({ path: file, sizeBytes, archived }) => {
      return { path: file, kind: 'removed' as const, before: { sizeBytes, sha256: archived.sha256 }, archived };
    });
    return {
      change: { operation: 'rm', words: [], from: [{ sessionId, path }], to: [], files },
      write: async () => {
        await kept.delete();
        return { ...kept.removed, isArchived: true };
      },
    };
  });
  if (done === undefined) throw new TypeError('nothing was planned');
  return { ...done.value, operation: done.id };
}
