// Restores a session from the archive or a store to its place, as an operation: undo removes the files that it created, and restores
// those that it replaced.
import path from 'node:path';
import {
  archivedSource,
  type Restored,
  type RestoreOptions,
  type RestoreSource,
  restoreFrom,
} from '../../library/archive/index.ts';
import { type FileChange, type LogOptions, logOperation, stateOf } from '../engine/index.ts';

export type RestoredWithUndo = Restored & {
  /** For undo; `undefined` if nothing was written, and for another folder. */
  readonly operation: string | undefined;
};

/** `session`: one to restore from, or an archived one as `restoreSession` names it. */
export async function restoreWithUndo(
  session: RestoreSource | string,
  options: LogOptions & RestoreOptions = {},
): Promise<RestoredWithUndo> {
  const source = typeof session === 'string' ? archivedSource(session, options) : session;
  if (options.isDryRun === true || options.to !== undefined)
    return { ...(await restoreFrom(source, options)), operation: undefined };
  let planned: Restored | undefined;
  const done = await logOperation(options, async (folder) => {
    const backups = path.join(folder, 'backup');
    planned = await restoreFrom(source, { ...options, backups, isDryRun: true });
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
      write: () => restoreFrom(source, { ...options, backups }),
    };
  });
  const restored = done?.value ?? planned;
  if (restored === undefined) throw new TypeError('nothing was planned');
  return { ...restored, operation: done?.id };
}
