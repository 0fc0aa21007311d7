// Restores a session from the archive to its place, as an operation: undo removes the files that it created, and restores
// those that it replaced.
import path from 'node:path';
import { type Restored, type RestoreOptions, restoreSession } from '../../library/archive/index.ts';
import { type FileChange, type LogOptions, logOperation, stateOf } from '../engine/index.ts';

export type RestoredWithUndo = Restored & {
  /** For undo; `undefined` if nothing was written, and for another folder. */
  readonly operation: string | undefined;
};

/** `id`: see `restoreSession`. */
export async function restoreWithUndo(
  id: string,
  options: LogOptions & RestoreOptions = {},
): Promise<RestoredWithUndo> {
  if (options.isDryRun === true || options.to !== undefined)
    return { ...(await restoreSession(id, options)), operation: undefined };
  let planned: Restored | undefined;
  const done = await logOperation(options, async (folder) => {
    const backups = path.join(folder, 'backup');
    planned = await restoreSession(id, { ...options, backups, isDryRun: true });
    const { sessionId, path: main, files } = planned;
    const changes: FileChange[] = [];
    for (const file of files) {
      const after = { sizeBytes: file.sizeBytes, sha256: file.sha256 };
      if (file.outcome === 'restored') changes.push({ path: file.path, kind: 'made', after });
      else if (file.backup !== undefined) {
        const backup = path.relative(folder, file.backup);
        changes.push({ path: file.path, kind: 'replaced', backup, before: await stateOf(file.path), after });
      }
    }
    if (changes.length === 0) return undefined;
    return {
      change: { operation: 'restore', words: [], from: [], to: [{ sessionId, path: main }], files: changes },
      write: () => restoreSession(id, { ...options, backups }),
    };
  });
  const restored = done?.value ?? planned;
  if (restored === undefined) throw new TypeError('nothing was planned');
  return { ...restored, operation: done?.id };
}
