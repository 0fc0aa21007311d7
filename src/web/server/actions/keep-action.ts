// The actions that keep sessions: archive, restore, delete; and export, which is a download and writes nothing.
import { counted, formatBytes } from '../../../base/text/index.ts';
import { removeSession, restoreSession } from '../../../library/archive/index.ts';
import { leftOutNotes, sessionPaths } from '../../../library/session-files/index.ts';
import { identify } from '../../../store/index.ts';
import { archiveByName, removeWithUndo, restoreWithUndo } from '../../../surgery/keep/index.ts';
import { Refusal } from '../protocol/index.ts';
import { type ActionAsked, maxFiles, nothingPlanned, type PreparedAction, type Ran } from './prepared.ts';

export type KeepingAction = 'archive' | 'restore' | 'delete' | 'export';

export async function prepareKeeping(
  action: KeepingAction,
  asked: ActionAsked,
  roots: readonly string[],
): Promise<PreparedAction> {
  switch (action) {
    case 'archive':
      return prepareArchive(asked);
    case 'restore':
      return prepareRestore(asked);
    case 'delete':
      return prepareDelete(asked, roots);
    case 'export':
      return prepareExport(asked);
  }
}

async function prepareArchive({ session }: ActionAsked): Promise<PreparedAction> {
  const place = { sessionId: session.id, path: session.path };
  return {
    state: await filesNow(session.path),
    dryRun: async () => {
      const { outcome, sizeBytes, files, leftOut } = await archiveOne(place, { isDryRun: true });
      const isNoop = outcome === 'unchanged';
      return {
        ...nothingPlanned,
        isNoop,
        summary: isNoop
          ? 'the archive has this state of the session already'
          : `copies ${counted(files, 'file')} (${formatBytes(sizeBytes)}) into the archive`,
        sizeBytes: { before: sizeBytes, after: sizeBytes },
        notes: leftOutNotes(leftOut),
      };
    },
    run: async (group): Promise<Ran> => {
      const { operation, leftOut } = await archiveOne(place, group === undefined ? {} : { group });
      const summary = operation === undefined ? 'the archive has this state of the session already' : 'archived';
      return { operation, summary, to: [place], notes: leftOutNotes(leftOut) };
    },
  };
}

async function archiveOne(place: Ran['to'][number], options: Parameters<typeof archiveByName>[1]) {
  const { operation, sessions } = await archiveByName([place], options);
  const [session] = sessions;
  if (session === undefined || session.problem !== undefined)
    throw new Refusal(409, session?.problem ?? 'nothing was archived', 'check the permissions');
  return { ...session, operation };
}

async function prepareRestore({ session }: ActionAsked): Promise<PreparedAction> {
  // By its path: ids may occur twice in the archive.
  const planned = await restoreSession(session.path, { isDryRun: true });
  const written = planned.files.filter(({ outcome }) => outcome !== 'present');
  const sizeBytes = written.reduce((sum, file) => sum + file.sizeBytes, 0);
  return {
    state: planned.files.map(({ path, sha256, outcome }) => [path, sha256, outcome]),
    dryRun: async () => ({
      ...nothingPlanned,
      isNoop: written.length === 0,
      summary:
        written.length === 0
          ? 'the session is on disk already, just as it was archived'
          : `restores ${counted(written.length, 'file')} (${formatBytes(sizeBytes)}) to their place`,
      files: written.slice(0, maxFiles).map(({ path }) => ({ path, kind: 'made' })),
      filesTotal: written.length,
      sizeBytes: { before: 0, after: sizeBytes },
    }),
    run: async (group): Promise<Ran> => {
      const restored = await restoreWithUndo(session.path, group === undefined ? {} : { group });
      const { operation, sessionId, path } = restored;
      const summary = operation === undefined ? 'the session is on disk already' : 'restored';
      return { operation, summary, to: [{ sessionId, path }], notes: [] };
    },
  };
}

async function prepareDelete({ session }: ActionAsked, roots: readonly string[]): Promise<PreparedAction> {
  return {
    state: await filesNow(session.path),
    dryRun: async () => {
      const { files, sizeBytes, leftOut } = await removeSession(session.path, { isDryRun: true, roots });
      return {
        ...nothingPlanned,
        summary: `archives and deletes ${counted(files.length, 'file')} (${formatBytes(sizeBytes)})`,
        files: files.slice(0, maxFiles).map((path) => ({ path, kind: 'removed' })),
        filesTotal: files.length,
        sizeBytes: { before: sizeBytes, after: 0 },
        notes: leftOutNotes(leftOut),
      };
    },
    run: async (group): Promise<Ran> => {
      const removed = await removeWithUndo(session.path, { roots, ...(group === undefined ? {} : { group }) });
      const summary = 'deleted; the copy in the archive can be restored';
      return { operation: removed.operation, summary, to: [], notes: leftOutNotes(removed.leftOut) };
    },
  };
}

async function prepareExport({ session, options }: ActionAsked): Promise<PreparedAction> {
  return {
    state: null,
    dryRun: async () => ({
      ...nothingPlanned,
      summary: `downloads the session as ${options.format}; nothing is written on this side`,
    }),
    run: () => {
      throw new Refusal(400, 'an export is a download', `GET /api/sessions/${session.key}/export`);
    },
  };
}

/** The identity of every file of a session. */
async function filesNow(main: string): Promise<unknown> {
  const { files } = await sessionPaths(main, []);
  return files.map(({ path }) => [path, identify(path)]);
}
