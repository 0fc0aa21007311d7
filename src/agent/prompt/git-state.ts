// The branch, changes and last commits of a folder, read once at the start of a session. Without a repository or git,
// or if git is slow, there is no state.
import { runGit } from '../access/git.ts';

export interface GitState {
  readonly topFolder: string;
  readonly branch: string;
  /** `git status --short`, limited to some lines. */
  readonly status: readonly string[];
  readonly moreChanges: number;
  readonly commits: readonly string[];
}

const maxStatusLines = 40;

export async function readGitState(cwd: string, env: NodeJS.ProcessEnv): Promise<GitState | undefined> {
  const topFolder = (await runGit(cwd, env, ['rev-parse', '--show-toplevel']))?.trim();
  if (topFolder === undefined || topFolder === '') return undefined;
  const filters = await neutralFilters(cwd, env);
  const git = (...args: readonly string[]): Promise<string | undefined> => runGit(cwd, env, [...filters, ...args]);
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

/** `status` would run a filter of the repository on every changed file. */
async function neutralFilters(cwd: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const names = await runGit(cwd, env, [
    'config',
    '--local',
    '--includes',
    '--name-only',
    '--get-regexp',
    '^filter\\.',
  ]);
  const commands = splitLines(names).filter((name) => /\.(?:clean|process|smudge|required)$/.test(name));
  return commands.flatMap((name) => ['-c', `${name}=${name.endsWith('.required') ? 'false' : ''}`]);
}

function splitLines(text: string | undefined): readonly string[] {
  return (text ?? '').split('\n').filter((line) => line !== '');
}
