// Restores a session from the archive or a store to its place, as an operation: undo removes the files that it created, and restores
// those that it replaced.
import path from 'node:path';
import {
  archivedSource,
  type Restored,
  type RestoredFile,
  type RestoreOptions,
  type RestoreSource,
  restoreFrom,
} from '../../library/archive/index.ts';
import { readFileState, writeNewFile } from '../../store/index.ts';
import { type FileChange, type LogOptions, logOperation, missingFolders } from '../journal/index.ts';

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
  let restored: Restored | undefined;
  const operation = await logOperation(options, async (folder) => {
    const planned = await restoreFrom(source, { ...options, isDryRun: true });
    const files: FileChange[] = [];
    const done: RestoredFile[] = [];
    for (const file of planned.files) {
      const backup = path.join('backup', String(files.length));
      if (file.outcome !== 'present')
        files.push(await stageFile(source, { file, folder, backup, place: files.length }));
      done.push(file.outcome === 'replaced' ? { ...file, backup: path.join(folder, backup) } : file);
    }
    restored = { ...planned, files: done };
    if (files.length === 0) return undefined;
    const { sessionId, path: main } = planned;
    const madeFolders = [...new Set(files.flatMap((file) => missingFolders(file.path)))];
    const to = [{ sessionId, path: main }];
    return { operation: 'restore', words: [], from: [], to, files, madeFolders, isFromElsewhere: true };
  });
  if (restored === undefined) throw new TypeError('nothing was planned');
  return { ...restored, operation };
}

interface Staging {
  readonly file: RestoredFile;
  /** Of the operation. */
  readonly folder: string;
  readonly backup: string;
  readonly place: number;
}

async function stageFile(source: RestoreSource, { file, folder, backup, place }: Staging): Promise<FileChange> {
  const { path: target, sizeBytes, sha256 } = file;
  const project = path.join(source.projects, source.slug);
  const wanted = source.files.find((each) => path.join(project, ...each.path.split('/')) === target);
  if (wanted === undefined) throw new TypeError(`${target} is not of this session`);
  const staged = path.join('staged', String(place));
  await writeNewFile(path.join(folder, staged), source.content(wanted));
  const { mode, mtimeMs } = wanted;
  const own = { path: target, staged, after: { sizeBytes, sha256 }, mode, mtimeMs };
  if (file.outcome === 'restored') return { kind: 'made', ...own };
  return { kind: 'replaced', ...own, backup, before: await readFileState(target) };
}
