// Runs git for Clew with the repository settings that start programs switched off: an unpacked repository may come with
// a configuration that another person wrote.
import { execFile } from 'node:child_process';
import type { Environment } from '../../base/node/node-types.ts';
import { pathOutside } from '../../base/process/find-program.ts';

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
