// Resolves the path that Glob and Grep search. Results inside the project are relative to it, others are absolute.
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isWithin } from '../../../base/files/real-path.ts';
import type { CallContext, Workspace } from '../../contract/tool.ts';
import { refuseElsewhere } from '../files/pinned-folder.ts';
import { ToolFailure } from '../shared/define.ts';
import { describeMissing, resolvePath } from '../shared/paths.ts';

export interface SearchPlace {
  readonly absolute: string;
  /** The path after following links. */
  readonly realPath: string;
  readonly isFolder: boolean;
  /** Empty for the project folder, so that ripgrep prints no `./`. */
  readonly args: readonly string[];
}

/** Searches hidden files, but neither files in .gitignore nor those in .git. */
export const visibilityArgs: readonly string[] = ['--hidden', '--glob', '!.git'];

/** Excludes files that may not be read. A file that the call names was checked before. */
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
    // A trailing blank of a pattern would be dropped.
    const name = (isBelow ? relative : file).replace(/[*?[\]{}\\!# ]/g, '\\$&');
    return isBelow ? `--glob=!/${name}` : `--glob=!**${name}`;
  });
}

export async function findPlace(context: CallContext, given: string | undefined): Promise<SearchPlace> {
  const { workspace } = context;
  const absolute = resolvePath(workspace, given ?? '.');
  const stats = await stat(absolute).catch(() => undefined);
  if (stats === undefined) throw new ToolFailure(await describeMissing(workspace, absolute));
  // A pipe would block the search forever.
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
