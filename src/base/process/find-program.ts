// Finds programs in the PATH.
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { realPath } from '../files/index.ts';

/** The first program of that name in the PATH. Relative folders are not searched. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : [''];
  return folders.flatMap((folder) => endings.map((ending) => path.join(folder, `${name}${ending}`))).find(isProgram);
}

/** A PATH without relative folders and without `folders`: a project that can write there could replace git or bash. */
export function pathOutside(env: NodeJS.ProcessEnv, folders: readonly string[]): string {
  const { PATH = '', VIRTUAL_ENV, CONDA_PREFIX } = env;
  // An active Python environment is trusted: the user has already run its code.
  const active = [VIRTUAL_ENV, CONDA_PREFIX].flatMap((folder) => (folder ? [path.join(folder, 'bin')] : []));
  const places = [...folders, ...folders.map(realPath)].map((folder) => `${path.resolve(folder)}${path.sep}`);
  const isOutside = (folder: string): boolean =>
    path.isAbsolute(folder) &&
    ![path.resolve(folder), realPath(folder)].some((each) =>
      places.some((place) => `${each}${path.sep}`.startsWith(place)),
    );
  const isKept = (folder: string): boolean => active.includes(folder) || isOutside(folder);
  return PATH.split(path.delimiter).filter(isKept).join(path.delimiter);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
