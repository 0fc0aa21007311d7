// The path of a main transcript → where the session is and all its files, with what shows whether a file has changed.
// Everything in its side folder belongs to it, known kind or not, except what is reached through a link.
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors/index.ts';
import { realPath } from '../../base/files/index.ts';
import { ownerOf } from '../../session/load/index.ts';
import { compareNames, type DiskProblem, type LeftOut, ownedFiles, readProblem } from '../../store/index.ts';

export interface SessionPlace {
  readonly sessionId: string;
  readonly projects: string;
  readonly slug: string;
}

/** A file of a session. */
export interface SessionPath {
  /** Below the project folder, with `/`. */
  readonly name: string;
  readonly path: string;
  /** @internal */
  readonly stats: Stats;
}

export function sessionPlace(main: string): SessionPlace {
  const full = path.resolve(main);
  const folder = realPath(path.dirname(full));
  return {
    sessionId: path.basename(full, '.jsonl'),
    projects: path.dirname(folder),
    slug: path.basename(folder),
  };
}

export interface SessionPaths {
  /** The main transcript first, then the others by name. */
  readonly files: readonly SessionPath[];
  /** What is in its folder but is not its own, such as a link that leads out of the root. */
  readonly leftOut: readonly LeftOut[];
}

/** `isKnownAgent` answers for 2.0.x agents without opening them. */
export async function sessionPaths(
  main: string,
  problems: DiskProblem[],
  isKnownAgent: (name: string) => boolean | undefined = () => undefined,
): Promise<SessionPaths> {
  const full = path.resolve(main);
  const folder = path.dirname(full);
  const sessionId = path.basename(full, '.jsonl');
  const { files, leftOut } = ownedFiles(full, problems);
  const isOwn = (file: string): boolean =>
    path.dirname(file) !== folder || (isKnownAgent(path.basename(file)) ?? ownerOf(file) === sessionId);
  const found: SessionPath[] = [];
  for (const file of [full, ...files.filter(isOwn).sort(compareNames)]) {
    const stats = await statFile(file, problems);
    const name = path.relative(folder, file).split(path.sep).join('/');
    if (stats !== undefined) found.push({ name, path: file, stats });
  }
  return { files: found, leftOut };
}

/** Each as a line for the user. */
export function leftOutNotes(leftOut: readonly LeftOut[]): readonly string[] {
  return leftOut.map(({ path: file, reason }) => `left out: ${file} ${reason}`);
}

/** One that is gone by now is passed over. */
async function statFile(file: string, problems: DiskProblem[]): Promise<Stats | undefined> {
  try {
    const stats = await stat(file);
    const problem = readProblem(file, stats);
    if (problem !== undefined) problems.push(problem);
    return stats;
  } catch (error) {
    const code = systemErrorCode(error) ?? 'unknown';
    if (code !== 'ENOENT') problems.push({ path: file, code });
    return undefined;
  }
}
