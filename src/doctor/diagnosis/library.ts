// Roots → a diagnosis of every session below them, one after the other, so that memory is that of the largest; and what
// is wrong with the folders themselves, which no session shows.
import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { largeFileBytes, preferSmallMemory } from '../../base/process/index.ts';
import { isUuid } from '../../base/text/index.ts';
import { type JudgedSession, verdictState } from '../../library/index/index.ts';
import { findExpiring } from '../../library/session-files/index.ts';
import { makeSession } from '../../session/load/index.ts';
import { loadTranscript, reloadTranscript } from '../../session/transcript/index.ts';
import {
  agentIdOf,
  type DiskProblem,
  type FoundSession,
  ProjectListings,
  type ProjectsFolder,
  sessionFiles,
} from '../../store/index.ts';
import { type Finding, type FolderOptions, makeFinding, nested, screenSession } from '../checks/index.ts';
import { type Diagnosis, diagnoseSession, verdictOf } from './diagnose.ts';

export interface LibraryDiagnosis {
  readonly session: FoundSession;
  /** For the index; `undefined` where there is no verdict. */
  readonly judged: JudgedSession | undefined;
  /** `undefined` where the file is another program's, or cannot be read. */
  readonly diagnosis: Diagnosis | undefined;
  /** Files and folders of the session that could not be read. */
  readonly problems: readonly DiskProblem[];
}

export async function* diagnoseLibrary(
  sessions: readonly FoundSession[],
  { folders, nowMs }: { readonly folders: readonly ProjectsFolder[]; readonly nowMs: number },
): AsyncGenerator<LibraryDiagnosis> {
  const left = new Map(findExpiring(sessions, nowMs).map(({ session, daysLeft }) => [session, daysLeft]));
  if (sessions.some(({ sizeBytes }) => sizeBytes > largeFileBytes)) preferSmallMemory();
  const listings = new ProjectListings();
  for (const session of sessions) {
    try {
      const options = { folders, daysLeft: left.get(session) };
      const state = verdictState(session.path);
      const { diagnosis, problems } = await diagnoseFile(session.path, listings, options);
      const isWhole = diagnosis !== undefined && state !== undefined && problems.length === 0;
      const judged = isWhole ? { path: session.path, state, verdict: verdictOf(diagnosis) } : undefined;
      yield { session, judged, diagnosis, problems };
    } catch (error) {
      const code = systemErrorCode(error);
      if (code === undefined) throw error;
      yield {
        session,
        judged: undefined,
        diagnosis: undefined,
        problems: [{ path: pathOf(error) ?? session.path, code }],
      };
    }
  }
}

/** By the heads of the lines; every byte is read only where something points to damage inside. */
async function diagnoseFile(
  file: string,
  listings: ProjectListings,
  options: FolderOptions,
): Promise<Pick<LibraryDiagnosis, 'diagnosis' | 'problems'>> {
  const files = sessionFiles(file, listings);
  const session = makeSession(files, loadTranscript(file));
  const { problems } = files;
  if (session.transcript.foreign !== undefined) return { diagnosis: undefined, problems };
  const screening = screenSession(session);
  const read = screening.isDamagedInside
    ? makeSession(files, reloadTranscript(session.transcript, { strict: true }))
    : session;
  return { diagnosis: await diagnoseSession(read, { ...options, screening }), problems };
}

/** The file that a system error is about. */
function pathOf(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}

/** Sessions one folder too deep, and side folders whose session is gone. */
export function findFolderDamage(folders: readonly ProjectsFolder[]): readonly Finding[] {
  return folders.flatMap(({ projects }) =>
    entriesOf(projects)
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) => inProject(path.join(projects, entry.name))),
  );
}

function inProject(project: string): readonly Finding[] {
  const entries = entriesOf(project);
  const names = new Set(entries.map((entry) => entry.name));
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const folder = path.join(project, name);
      const inside = entriesOf(folder);
      const tooDeep = inside
        .filter((entry) => isTranscript(entry))
        .map((entry) => nested(path.join(folder, entry.name)));
      const isLeft = isUuid(name) && !names.has(`${name}.jsonl`) && inside.some(isSideFolder);
      return isLeft ? [...tooDeep, mainGone(folder)] : tooDeep;
    });
}

function isTranscript(entry: Dirent): boolean {
  return (
    entry.isFile() &&
    entry.name.endsWith('.jsonl') &&
    agentIdOf(entry.name) === undefined &&
    isUuid(entry.name.slice(0, -'.jsonl'.length))
  );
}

function isSideFolder(entry: Dirent): boolean {
  return entry.isDirectory() && (entry.name === 'subagents' || entry.name === 'tool-results');
}

function mainGone(folder: string): Finding {
  const message = 'sub-agents and tool results of a session whose transcript is not there';
  const effect = 'the session is not listed and cannot be resumed';
  return makeFinding('F-main-gone', 'loss', { file: folder }, message, effect);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // discovery has reported the folders that cannot be read
  }
}
