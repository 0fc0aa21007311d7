// Programs on this machine: by their name in the PATH, or by their path.
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/** The first program of that name in the PATH. Folders that depend on where one is are not searched. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : [''];
  return folders.flatMap((folder) => endings.map((ending) => path.join(folder, `${name}${ending}`))).find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
