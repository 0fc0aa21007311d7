// Runs git for Clew with the repository settings that start programs switched off: an unpacked repository may come with
// a configuration that another person wrote.
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../../base/files/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { pathOutside } from '../../base/process/index.ts';

const safeSettings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat', 'log.showSignature=false'];

export interface GitLimits {
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** The output of git; `undefined` if git is missing, slow or fails. */
export function runGit(
  cwd: string,
  env: Environment,
  args: readonly string[],
  { timeoutMs = 5000, maxBytes = 4 * 1024 * 1024 }: GitLimits = {},
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      'git',
      [...safeSettings.flatMap((setting) => ['-c', setting]), ...args],
      {
        cwd,
        env: { ...env, PATH: pathOutside(env, [cwd]), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxBytes,
      },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}

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
