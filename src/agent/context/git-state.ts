// A folder → what git says of it: branch, what is changed, the last commits. Asked once at the start of a session; a folder
// that is no repository, a missing git and a slow one are all the same answer: nothing.
import { execFile } from 'node:child_process';

export interface GitState {
  readonly topFolder: string;
  readonly branch: string;
  /** `git status --short`, a limited number of lines. */
  readonly status: readonly string[];
  readonly moreChanges: number;
  readonly commits: readonly string[];
}

const maxStatusLines = 40;

export async function readGitState(cwd: string, env: NodeJS.ProcessEnv): Promise<GitState | undefined> {
  const git = (...args: readonly string[]): Promise<string | undefined> => runGit(cwd, env, args);
  const topFolder = (await git('rev-parse', '--show-toplevel'))?.trim();
  if (topFolder === undefined || topFolder === '') return undefined;
  const [branch, status, log] = await Promise.all([
    git('symbolic-ref', '--short', '-q', 'HEAD'),
    git('status', '--short', '--no-renames', '--ignore-submodules=all'),
    git('log', '-5', '--format=%h %s'),
  ]);
  const lines = splitLines(status);
  return {
    topFolder,
    branch: branch?.trim() || 'no branch (detached HEAD)',
    status: lines.slice(0, maxStatusLines),
    moreChanges: Math.max(0, lines.length - maxStatusLines),
    commits: splitLines(log).map((line) => line.slice(0, 120)),
  };
}

function splitLines(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}

function runGit(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<string | undefined> {
  // The configuration of a repository that came as an archive is its author's: it must not start programs of its own.
  const safe = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.pager=cat'];
  return new Promise((resolve) => {
    execFile(
      'git',
      [...safe, ...args],
      {
        cwd,
        env: { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
        timeout: 5000,
        killSignal: 'SIGKILL',
        maxBuffer: 4 * 1024 * 1024,
      },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}
