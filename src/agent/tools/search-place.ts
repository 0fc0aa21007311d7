// Where Glob and Grep look: the path they were given, as ripgrep should be told, so that results are named as the model
// would name them — below the project relative to it, elsewhere absolute.
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithin } from '../../base/real-path.ts';
import type { CallContext, Workspace } from '../tool.ts';
import { ToolFailure } from './define.ts';
import { describeMissing, resolvePath } from './paths.ts';
import { refuseElsewhere } from './pinned-folder.ts';

export interface SearchPlace {
  readonly absolute: string;
  /** Where links lead: this is searched. */
  readonly realPath: string;
  readonly isFolder: boolean;
  /** Nothing where it is the project folder itself: ripgrep then prints no `./`. */
  readonly args: readonly string[];
}

/** Hidden files are searched, files that .gitignore names are not, and git's own never. */
export const visibilityArgs: readonly string[] = ['--hidden', '--glob', '!.git'];

/** What may not be read is left out; a file that the call itself names was judged before. */
export function hiddenArgs(
  { sandbox }: Workspace,
  { absolute, realPath, isFolder }: SearchPlace,
  from: string,
): readonly string[] {
  if (!isFolder) return [];
  return sandbox.hiddenBelow(realPath).map((file) => {
    if (file === realPath)
      throw new ToolFailure(`${absolute} may not be read: a rule denies it, or it may hold credentials.`);
    const relative = path.relative(from, file);
    const isBelow = isWithin(from, file);
    // A blank at the end of a pattern would be left out.
    const name = (isBelow ? relative : file).replace(/[*?[\]{}\\!# ]/g, '\\$&');
    return isBelow ? `--glob=!/${name}` : `--glob=!**${name}`;
  });
}

export async function findPlace(context: CallContext, given: string | undefined): Promise<SearchPlace> {
  const { workspace } = context;
  const absolute = resolvePath(workspace, given ?? '.');
  const stats = await stat(absolute).catch(() => undefined);
  if (stats === undefined) throw new ToolFailure(await describeMissing(workspace, absolute));
  // A pipe would block the search for ever.
  if (!stats.isFile() && !stats.isDirectory()) throw new ToolFailure(`${absolute} is neither a file nor a folder.`);
  const [realPath, top] = await Promise.all([realpath(absolute), realpath(workspace.projectDir)]);
  refuseElsewhere(context, 'read', absolute, realPath);
  const relative = path.relative(top, realPath);
  return {
    absolute,
    realPath,
    isFolder: stats.isDirectory(),
    args: relative === '' ? [] : [isWithin(top, realPath) ? relative : realPath],
  };
}
