// A folder → the repository it is in, its worktrees and its commits.
import path from 'node:path';
import type { Environment } from '../../base/node/index.ts';
import { Git } from './git.ts';

export interface Repository {
  readonly git: Git;
  /** The folder with the checked-out files. */
  readonly root: string;
  /** The folders of all its worktrees, `root` included. */
  readonly worktrees: readonly string[];
  /** Its oldest commits are missing. */
  readonly isShallow: boolean;
}

/** `undefined` outside of a repository, in a bare one, and if git is missing. */
export async function openRepository(folder: string, env: Environment): Promise<Repository | undefined> {
  const here = new Git(folder, env);
  const root = await here.line(['rev-parse', '--show-toplevel']);
  if (root === undefined || root === '') return undefined;
  const git = new Git(root, env);
  const [listed, shallow] = await Promise.all([
    git.run(['worktree', 'list', '--porcelain']),
    git.line(['rev-parse', '--is-shallow-repository']),
  ]);
  const worktrees = (listed?.toString('utf8') ?? '')
    .split('\n')
    .flatMap((line) => (line.startsWith('worktree ') ? line.slice('worktree '.length) : []));
  return { git, root, worktrees: [...new Set([root, ...worktrees])], isShallow: shallow === 'true' };
}

/** The full hash of a commit; `undefined` if there is none of this name. */
export async function findCommit({ git }: Repository, name: string): Promise<string | undefined> {
  const hash = await git.line(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return hash !== undefined && /^[0-9a-f]{40,64}$/.test(hash) ? hash : undefined;
}

/** `A..B` or one commit → hashes, oldest first; `undefined` if a name is unknown. */
export async function listCommits(repository: Repository, range: string): Promise<readonly string[] | undefined> {
  const [from, to] = range.includes('..') ? range.split(/\.{2,3}/) : [undefined, range];
  const last = await findCommit(repository, to === undefined || to === '' ? 'HEAD' : to);
  if (last === undefined) return undefined;
  if (from === undefined) return [last];
  const first = await findCommit(repository, from === '' ? 'HEAD' : from);
  if (first === undefined) return undefined;
  const listed = await repository.git.line(['rev-list', '--reverse', '--topo-order', `${first}..${last}`]);
  return (listed ?? '').split('\n').filter((hash) => hash !== '');
}

export interface CommitFacts {
  readonly hash: string;
  readonly subject: string;
  readonly author: string;
  /** When it was written, in milliseconds since 1970. */
  readonly time: number;
  /** Files with added lines, as the commit names them. A merge has those that differ from all its parents. */
  readonly files: readonly string[];
}

export async function commitFacts({ git }: Repository, hash: string): Promise<CommitFacts | undefined> {
  const output = await git.run([
    'show',
    '-z',
    '--no-ext-diff',
    '--no-textconv',
    '--raw',
    '--no-abbrev',
    '-M',
    '--format=%s%x02%an%x02%at%x02',
    hash,
    '--',
  ]);
  if (output === undefined) return undefined;
  const text = output.toString('utf8');
  const [subject = '', author = '', time = '', rest = ''] = text.split('\x02');
  return { hash, subject, author, time: Number(time) * 1000, files: filesIn(rest) };
}

function filesIn(raw: string): readonly string[] {
  const files: string[] = [];
  const fields = raw.split('\0');
  for (let i = 0; i < fields.length; i++) {
    const head = /^\s*:+[\d ]+ [0-9a-f ]+ ([A-Z]+)\d*$/.exec(fields[i] as string);
    if (head === null) continue;
    const isRename = /[RC]/.test(head[1] as string);
    const file = fields[i + (isRename ? 2 : 1)];
    if (file !== undefined && head[1] !== 'D' && !files.includes(file)) files.push(file);
    i += isRename ? 2 : 1;
  }
  return files;
}

/** The end of an absolute path below a folder, with `/`; `undefined` if it is not below it. */
export function pathBelow(folder: string, file: string): string | undefined {
  const relative = path.relative(folder, file);
  const isBelow =
    relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
  return isBelow ? relative.split(path.sep).join('/') : undefined;
}
