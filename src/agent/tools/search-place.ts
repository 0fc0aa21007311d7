// Where Glob and Grep look: the path they were given, as ripgrep should be told, so that results are named as the model
// would name them — below the project relative to it, elsewhere absolute.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Workspace } from '../tool.ts';
import { ToolFailure } from './define.ts';
import { describeMissing, resolvePath } from './paths.ts';

export interface SearchPlace {
  readonly absolute: string;
  readonly isFolder: boolean;
  /** Nothing where it is the project folder itself: ripgrep then prints no `./`. */
  readonly args: readonly string[];
}

/** Hidden files are searched, files that .gitignore names are not, and git's own never. */
export const visibilityArgs: readonly string[] = ['--hidden', '--glob', '!.git'];

/** What may not be read is left out; a file that the call itself names was judged before. */
export function hiddenArgs(
  { sandbox }: Workspace,
  { absolute, isFolder }: SearchPlace,
  from: string,
): readonly string[] {
  if (!isFolder) return [];
  return sandbox.hiddenBelow(absolute).map((file) => {
    const relative = path.relative(from, file);
    const name = (relative.startsWith('..') ? file : relative).replace(/[*?[\]{}\\!]/g, '\\$&');
    return relative.startsWith('..') ? `--glob=!**${name}` : `--glob=!/${name}`;
  });
}

export async function findPlace(workspace: Workspace, given: string | undefined): Promise<SearchPlace> {
  const absolute = resolvePath(workspace, given ?? '.');
  const stats = await stat(absolute).catch(() => undefined);
  if (stats === undefined) throw new ToolFailure(await describeMissing(workspace, absolute));
  // A pipe would block the search for ever.
  if (!stats.isFile() && !stats.isDirectory()) throw new ToolFailure(`${absolute} is neither a file nor a folder.`);
  const relative = path.relative(workspace.projectDir, absolute);
  const isBelow = !relative.startsWith('..') && !path.isAbsolute(relative);
  return {
    absolute,
    isFolder: stats.isDirectory(),
    args: relative === '' ? [] : [isBelow ? relative : absolute],
  };
}
