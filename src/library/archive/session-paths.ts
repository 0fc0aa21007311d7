// The path of a main transcript → where the session lives and every file of it, with what tells whether the file has
// changed. All that stands in its side folder belongs to it, known kind or not: nothing is left behind.
import { realpathSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { ownerOf } from '../../session/agents.ts';
import { compareNames, type DiskProblem, listFolder } from '../../store/folders.ts';
import { sessionFiles } from '../../store/session-files.ts';

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

export function placeOf(main: string): SessionPlace {
  const full = path.resolve(main);
  const folder = realFolder(path.dirname(full));
  return {
    sessionId: path.basename(full, '.jsonl'),
    projects: path.dirname(folder),
    slug: path.basename(folder),
  };
}

/** The main transcript first, then the others by name. `isKnownAgent` answers for 2.0.x agents without opening them. */
export async function sessionPaths(
  main: string,
  problems: DiskProblem[],
  isKnownAgent: (name: string) => boolean | undefined = () => undefined,
): Promise<readonly SessionPath[]> {
  const files = await sessionFiles(main);
  problems.push(...files.problems);
  const folder = path.dirname(files.main);
  const flat = files.flatAgents.filter(
    (file) => isKnownAgent(path.basename(file)) ?? ownerOf(file) === files.sessionId,
  );
  const side = await filesBelow(files.folder, problems);
  const found: SessionPath[] = [];
  for (const file of [files.main, ...[...flat, ...side].sort(compareNames)]) {
    const stats = await statFile(file, problems);
    const name = path.relative(folder, file).split(path.sep).join('/');
    if (stats !== undefined) found.push({ name, path: file, stats });
  }
  return found;
}

async function filesBelow(folder: string, problems: DiskProblem[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await listFolder(folder, problems)) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await filesBelow(full, problems)));
    else if (entry.isFile() || entry.isSymbolicLink()) files.push(full);
  }
  return files;
}

/** A link that leads to a file counts as that file; one that leads elsewhere or nowhere is passed over. */
async function statFile(file: string, problems: DiskProblem[]): Promise<Stats | undefined> {
  try {
    const stats = await stat(file);
    return stats.isFile() ? stats : undefined;
  } catch (error) {
    const code = systemErrorCode(error) ?? 'unknown';
    if (code !== 'ENOENT') problems.push({ path: file, code });
    return undefined;
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
