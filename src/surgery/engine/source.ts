// A session to operate on, with all its files, read-only. The identity of each file is taken before it is read, so that
// concurrent changes are noticed.
import path from 'node:path';
import { UnreadableError } from '../../base/errors/errors.ts';
import { type SessionPath, sessionPaths } from '../../library/session-files/session-paths.ts';
import { loadSession, makeSession, type Session } from '../../session/load/session.ts';
import { refuseOtherFile, type SessionFileOptions } from '../../session/transcript/recognise.ts';
import { loadTranscript, type Transcript } from '../../session/transcript/transcript.ts';
import { type FileIdentity, identify } from '../../store/append.ts';
import { diskError } from '../../store/disk.ts';
import type { DiskProblem } from '../../store/folders.ts';
import type { LeftOut } from '../../store/owned-files.ts';

/** A session to operate on, with all its files. */
export interface Source {
  readonly session: Session;
  /** The project folder. */
  readonly folder: string;
  /** All its files, the main transcript first. */
  readonly files: readonly SourceFile[];
  /** @internal */
  readonly identities: ReadonlyMap<string, FileIdentity>;
  /** Files in its folder that it does not own, such as a link that leads out of the root. */
  readonly leftOut: readonly LeftOut[];
}

/** A file of a session to operate on. */
export interface SourceFile extends SessionPath {
  /** Present if the file is the main transcript or a sub-agent's. */
  readonly transcript?: Transcript;
}

/** Loads a session with all its files, to operate on it. Refuses files that are not sessions of Claude Code. */
export function loadSource(main: string, options: SessionFileOptions = {}): Promise<Source> {
  return sourceOf(main, options);
}

/** `loaded`: the session, if it is loaded, and the identity that its file had before. */
export async function sourceOf(
  main: string,
  options: SessionFileOptions,
  loaded?: { readonly session: Session; readonly identity: FileIdentity },
): Promise<Source> {
  refuseOtherFile(main, options);
  const problems: DiskProblem[] = [];
  const { files: paths, leftOut } = await sessionPaths(main, problems);
  const [problem] = problems;
  if (problem !== undefined) throw new UnreadableError(problem.path, problem.code, 'check the permissions');
  const identities = new Map<string, FileIdentity>();
  for (const file of paths) identities.set(file.path, identify(file.path));
  if (loaded !== undefined) identities.set(path.resolve(main), loaded.identity);
  try {
    const session = loaded?.session ?? (await loadSession(main));
    const files = paths.map((file, i): SourceFile => {
      if (i === 0) return { ...file, transcript: session.transcript };
      return isAgentName(file.name) ? { ...file, transcript: loadTranscript(file.path, { strict: true }) } : file;
    });
    return { session, folder: path.dirname(path.resolve(main)), files, identities, leftOut };
  } catch (error) {
    throw diskError(error, 'read', main);
  }
}

/** The session itself, or the transcript of a sub-agent as a session of its own. */
export function sessionOf({ session, files }: Source, file: SourceFile): Session {
  if (file === files[0] || file.transcript === undefined) return session;
  return makeSession({ ...session.files, main: file.path, agents: [], flatAgents: [] }, file.transcript);
}

/** The session id of most of its lines. */
export function idInside(session: Session): string | undefined {
  const counts = new Map<string, number>();
  for (const { sessionId } of session.transcript.nodes)
    if (sessionId !== undefined) counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function isAgentName(name: string): boolean {
  return /^agent-.+\.jsonl$/.test(path.posix.basename(name));
}
