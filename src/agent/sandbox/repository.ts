// The git repository of a project: the folders that git needs outside the project, and whether it tracks hidden files.
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isWithin, realPath } from '../../base/files/real-path.ts';

/** The top of the repository if the project is below it; for a worktree, the repository that it belongs to. */
export function repositoryFolders(
  project: string,
  home: string,
  isHidden: (file: string) => boolean,
): readonly string[] {
  for (let top = project; top !== path.dirname(top); top = path.dirname(top)) {
    const stats = lstatSync(path.join(top, '.git'), { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.uid !== process.getuid?.() || isWithin(top, home)) return [];
    const git = path.join(top, '.git');
    const common = stats.isFile() ? commonFolder(git) : [];
    const isBare = [git, ...common].some((each) => tracksHidden(each, isHidden));
    return [...(top === project ? [] : [top]), ...(isBare ? [] : common)];
  }
  return [];
}

/** Only if that repository knows this worktree: the file could name any folder. */
function commonFolder(gitFile: string): readonly string[] {
  const gitDir = namedFolder(gitFile);
  const isKnown = realPath(path.resolve(gitDir, readText(path.join(gitDir, 'gitdir')))) === realPath(gitFile);
  const common = realPath(path.resolve(gitDir, readText(path.join(gitDir, 'commondir'))));
  return isKnown && isWithin(common, gitDir) && existsSync(path.join(common, 'objects')) ? [common] : [];
}

function namedFolder(gitFile: string): string {
  return realPath(path.resolve(path.dirname(gitFile), readText(gitFile).replace(/^gitdir: /, '')));
}

/** git reads tracked files from its objects (`git show :.env`), which no mount can cover one by one, so a repository that
 *  tracks a hidden file is hidden completely. */
export function tracksHidden(git: string, isHidden: (file: string) => boolean): boolean {
  const gitDir = lstatSync(git, { throwIfNoEntry: false })?.isFile() === true ? namedFolder(git) : git;
  const index = readBytes(path.join(gitDir, 'index'));
  if (index === undefined) return false;
  const version = index.length < 12 ? 0 : index.readUInt32BE(4);
  // Other versions compress the names, so the tracked files are unknown.
  if (version !== 2 && version !== 3) return true;
  const top = path.dirname(git);
  for (let left = index.readUInt32BE(8), at = 12; left > 0; left--) {
    if (at + 62 > index.length) return true;
    const start = at + ((index.readUInt16BE(at + 60) & 0x4000) === 0 ? 62 : 64);
    const end = index.indexOf(0, start);
    const file = path.join(top, index.toString('utf8', start, end < 0 ? start : end));
    if (isHidden(file)) return true;
    at += Math.floor((end - at + 8) / 8) * 8;
  }
  return false;
}

function readText(file: string): string {
  return readBytes(file)?.toString('utf8').trim() ?? '';
}

function readBytes(file: string): Buffer | undefined {
  try {
    return statSync(file).isFile() ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  }
}
