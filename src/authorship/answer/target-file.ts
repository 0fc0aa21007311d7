// A path that the user names → the repository it is in, and the file there, as it is on the disk.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { findCommit, isBinary, mostFileBytes, openRepository, pathBelow, type Repository } from '../history/index.ts';
import { linesOf } from '../lines/index.ts';
import type { Target } from './answer-files.ts';

export interface FoundFile {
  readonly repository: Repository | undefined;
  readonly target: Target;
}

export async function findTarget(file: string, env: Environment): Promise<FoundFile> {
  const folder = path.dirname(file);
  const real = path.join(realpathSync(folder), path.basename(file));
  const bytes = readText(file);
  const lines = linesOf(bytes.toString('utf8'));
  const repository = await openRepository(path.dirname(real), env);
  const name = repository === undefined ? undefined : pathBelow(repository.root, real);
  if (repository === undefined || name === undefined || (await isIgnored(repository, name)))
    return { repository: undefined, target: { path: real, commit: undefined, lines } };
  const commit = await findCommit(repository, 'HEAD');
  const nameInCommit = commit === undefined ? undefined : await oldName(repository, name, lines);
  return {
    repository,
    target: { path: name, commit, lines, ...(nameInCommit === undefined ? {} : { nameInCommit }) },
  };
}

/** Git has no states of a file that it ignores. */
async function isIgnored({ git }: Repository, name: string): Promise<boolean> {
  return (await git.run(['check-ignore', '-q', '--', name])) !== undefined;
}

function readText(file: string): Buffer {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new UserError(`there is no file ${file}`, 'give the path of a file');
  if (!stats.isFile()) throw new UserError(`${file} is not a regular file`, 'give the path of a file');
  if (stats.size > mostFileBytes) throw new UserError(`${file} is larger than 8 MB`, 'give a smaller file');
  const bytes = readFileSync(file);
  if (isBinary(bytes)) throw new UserError(`${file} is not a text`, 'give a file with lines');
  return bytes;
}

/** The name in the last commit of a file that was renamed since. */
async function oldName({ git, root }: Repository, name: string, lines: readonly string[]): Promise<string | undefined> {
  const inCommit = await git.run(['ls-tree', '-z', '--name-only', 'HEAD', '--', name]);
  if (inCommit === undefined || inCommit.length > 0) return undefined;
  const staged = await git.run([
    'diff',
    '--cached',
    '-M',
    '-z',
    '--no-ext-diff',
    '--name-status',
    '--diff-filter=R',
    'HEAD',
    '--',
  ]);
  const fields = staged?.toString('utf8').split('\0') ?? [];
  for (let i = 0; i + 2 < fields.length; i += 3) if (fields[i + 2] === name) return fields[i + 1];
  const gone = await git.run(['diff', '-z', '--no-ext-diff', '--name-only', '--diff-filter=D', 'HEAD', '--']);
  const names = (gone?.toString('utf8').split('\0') ?? []).filter(
    (each) => each !== '' && !existsSync(path.join(root, each)),
  );
  return mostAlike(git, names.slice(0, mostCompared), lines);
}

const mostCompared = 50;

/** As git: at least half of the lines are the same. */
async function mostAlike(
  git: Repository['git'],
  names: readonly string[],
  lines: readonly string[],
): Promise<string | undefined> {
  let best: { name: string; share: number } | undefined;
  for (const name of names) {
    const old = linesOf((await git.run(['show', '--no-textconv', `HEAD:${name}`]))?.toString('utf8') ?? '');
    const known = new Set(old);
    const share = lines.filter((line) => known.has(line)).length / Math.max(old.length, lines.length, 1);
    if (share >= 0.5 && share > (best?.share ?? 0)) best = { name, share };
  }
  return best?.name;
}
