// The copies of a session's secrets that Clew made elsewhere: listed for a dry run, or deleted and replaced, and then
// searched again.

import { counted } from '../../base/text/index.ts';
import { archiveFolder } from '../../library/archive/index.ts';
import type { Session } from '../../session/load/index.ts';
import { stateFolder } from '../../store/index.ts';
import {
  countArchived,
  findStateCopies,
  isInArchive,
  type Redactor,
  redactArchive,
  type StateCopies,
  type StateCopy,
} from '../../surgery/redact/index.ts';
import { deleteHeldBatch, findBatches, tracePlaces } from '../../trace/state/index.ts';

export interface CleanedCopies {
  readonly notes: readonly string[];
  /** Copies that remain, as sentences. */
  readonly problems: readonly string[];
}

export interface CopiesOptions {
  readonly session: Session;
  readonly redactor: Redactor;
  readonly env: NodeJS.ProcessEnv;
  readonly onWait: (holder: string) => void;
}

/** What `cleanArchive` would do. */
export function planArchive({ session, redactor, env }: CopiesOptions, isInPlace: boolean): readonly string[] {
  const held = countArchived(session.files.main, redactor, archiveFolder(env));
  if (held === 0) return [];
  const copies = counted(held, 'copy', 'copies');
  return [isInPlace ? `${copies} in the archive would be replaced` : `${copies} in the archive also hold them`];
}

export async function cleanArchive({ session, redactor, env, onWait }: CopiesOptions): Promise<CleanedCopies> {
  try {
    const folder = archiveFolder(env);
    const gone = await redactArchive(session.files.main, redactor, { folder, onWait });
    const copies = counted(gone, 'copy', 'copies');
    return {
      notes: gone === 0 ? [] : [`${copies} in the archive held them and were replaced by the redacted one`],
      problems: [],
    };
  } catch (error) {
    return { notes: [], problems: [`the archive (${archiveFolder(env)}) still holds them: ${messageOf(error)}`] };
  }
}

const otherSessions =
  'the archive still holds them for other sessions: `clew redact --check --all` finds the sessions that still exist';

export async function planState(options: CopiesOptions): Promise<readonly string[]> {
  const { found, kept, problems } = await findCopies(options, false);
  return [...found.map(({ action, what }) => `would ${action} ${what}`), ...kept, ...problems];
}

/** A failure does not stop the rest. */
export async function cleanState(options: CopiesOptions): Promise<CleanedCopies> {
  const { found } = await findCopies(options, true);
  const notes: string[] = [];
  const failed = new Map<string, string>();
  for (const { action, what, clean } of found) {
    try {
      await clean();
      notes.push(`${action === 'delete' ? 'deleted' : 'redacted'} ${what}`);
    } catch (error) {
      failed.set(what, messageOf(error));
    }
  }
  const left = await findCopies(options, true);
  const problems = left.found
    .filter(({ what, isRebuilt }) => failed.has(what) || isRebuilt !== true)
    .map(({ what }) => `${what} still holds them (${failed.get(what) ?? 'it was written again'}): delete it`);
  return { notes: [...notes, ...left.kept], problems: [...problems, ...left.problems] };
}

/** `isCleaned`: the copies of this session have been removed from the archive. */
async function findCopies({ session, redactor, env }: CopiesOptions, isCleaned: boolean): Promise<StateCopies> {
  const sessionId = session.id;
  const state = await findStateCopies({ state: stateFolder(env), sessionId, redactor });
  const batches = findBatches(tracePlaces(env), (bytes) => redactor.holdsValue(bytes));
  const own = batches.filter((batch) => batch.sessionId === sessionId);
  const others = batches.length - own.length;
  const copy: StateCopy = {
    action: 'delete',
    what: `${counted(own.length, 'batch', 'batches')} of unsent traces`,
    clean: async () => own.forEach(deleteHeldBatch),
  };
  return {
    found: [...state.found, ...(own.length === 0 ? [] : [copy])],
    kept: [
      ...state.kept,
      ...(isCleaned && isInArchive(redactor, archiveFolder(env)) ? [otherSessions] : []),
      ...(others === 0 ? [] : [`traces of other sessions also hold them (${counted(others, 'batch', 'batches')})`]),
    ],
    problems: state.problems,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
