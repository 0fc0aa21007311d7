// The path of a call → the file of the repository that it means. A call may have been made in another worktree or in a
// clone that is gone by now: then its states of the file must be states that the repository knows.
import { existsSync, realpathSync } from 'node:fs';
import type { FileEdit } from '../calls/index.ts';
import { pathBelow, type Repository, type Version } from '../history/index.ts';
import { linesOf, squeezed } from '../lines/index.ts';
import { addedLines, introducedBy } from '../replay/index.ts';
import { endsWithName } from '../sources/index.ts';

export interface CheckoutOptions {
  readonly repository: Repository | undefined;
  readonly names: readonly string[];
  readonly versions: readonly Version[];
}

/** The folder that a call worked in: its path without the name of the file. */
export function rootOfEdit({ path: file }: FileEdit, names: readonly string[]): string {
  const name = endsWithName(file, names) ?? '';
  return file.slice(0, Math.max(0, file.length - name.length - 1));
}

/** The calls that were made on this file, and not on another of the same name. */
export async function ownEdits(edits: readonly FileEdit[], options: CheckoutOptions): Promise<readonly FileEdit[]> {
  const { names, repository } = options;
  const named = edits.filter(({ path: file }) => endsWithName(file, names) !== undefined);
  if (repository === undefined) return named;
  const isOwn = new Map<string, boolean>();
  for (const edit of named) {
    const root = rootOfEdit(edit, names);
    if (isOwn.has(root)) continue;
    const group = named.filter((each) => rootOfEdit(each, names) === root);
    isOwn.set(root, isWorktree(root, repository) || (await isCopyOf(root, group, { ...options, repository })));
  }
  return named.filter((edit) => isOwn.get(rootOfEdit(edit, names)) === true);
}

function isWorktree(root: string, { worktrees }: Repository): boolean {
  return worktrees.includes(root) || worktrees.includes(realFolder(root));
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // gone
  }
}

const leastLines = 3;

/** A worktree that was removed: most lines that were written there are in the history. */
function isGoneAlike(root: string, edits: readonly FileEdit[], versions: readonly Version[]): boolean {
  const [first] = edits;
  // A name without a folder, such as README.md, is in every project.
  const hasFolder = first?.path.slice(root.length + 1).includes('/') ?? false;
  if (!hasFolder || existsSync(root)) return false;
  const added = addedLines(versions);
  const all = [...added];
  const wrote = edits.map(introducedBy);
  const lines = wrote.flatMap((each) => [...each.lines.keys()]);
  const parts = wrote.flatMap((each) => each.parts.map(squeezed));
  const found = [
    ...lines.filter((line) => added.has(line)),
    ...parts.filter((part) => all.some((line) => line.includes(part))),
  ];
  return found.length > 0 && found.length >= (lines.length + parts.length) / 2;
}

async function isCopyOf(
  root: string,
  edits: readonly FileEdit[],
  { repository, versions }: CheckoutOptions & { readonly repository: Repository },
): Promise<boolean> {
  const states = new Set(
    versions.filter(({ lines }) => lines.length >= leastLines).map(({ lines }) => lines.join('\n')),
  );
  const isKnown = (text: string | undefined): boolean => text !== undefined && states.has(linesOf(text).join('\n'));
  const isAlike = edits.some(
    ({ before, after, seen, action }) =>
      isKnown(before) || isKnown(after) || isKnown(seen) || (action.kind === 'content' && isKnown(action.text)),
  );
  if (!isAlike && !isGoneAlike(root, edits, versions)) return false;
  // `packages/a/index.ts` is not `index.ts` in another place.
  for (const { path: file } of edits) {
    const name = pathBelow(repository.root, file);
    if (name === undefined || root === '') continue;
    const other = await repository.git.line(['log', '-1', '--format=%H', 'HEAD', '--', name]);
    if (other !== undefined && other !== '') return false;
  }
  return true;
}
