// Resolves paths as users write them, and checks whether they are in folders that the agent may read.
import { realpath } from 'node:fs/promises';
import path from 'node:path';

export function resolvePath(written: string, folder: string, home: string): string {
  if (written === '~' || written.startsWith('~/')) return path.join(home, written.slice(1));
  return path.resolve(folder, written);
}

/** The path with all links resolved, or the path if it does not exist. */
export async function realPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    return path.resolve(file);
  }
}

/** Resolves links on both sides: a link that leads out is outside. */
export async function isInside(file: string, folders: readonly string[]): Promise<boolean> {
  const real = await realPath(file);
  for (const folder of folders) {
    const way = path.relative(await realPath(folder), real);
    if (way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way))) return true;
  }
  return false;
}
