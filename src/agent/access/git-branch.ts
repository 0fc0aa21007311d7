// The checked-out branch, which the client writes on every line. It is read from git's files, because starting git for
// every prompt would be slow.
import { statSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../base/files/regular-file.ts';

/** The branch name, `HEAD` if none is checked out, or empty outside a repository. */
export function readGitBranch(cwd: string): string {
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const head = readHead(path.join(folder, '.git'));
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head.trim())?.[1] ?? 'HEAD';
    if (folder === path.dirname(folder)) return '';
  }
}

/** In a worktree or submodule `.git` is a file that names the folder. */
function readHead(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return readRegularText(path.join(git, 'HEAD'));
    const named = /^gitdir: (.+)$/m.exec(readRegularText(git))?.[1];
    return named === undefined
      ? undefined
      : readRegularText(path.join(path.resolve(path.dirname(git), named.trim()), 'HEAD'));
  } catch {
    return undefined;
  }
}
