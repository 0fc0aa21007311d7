// Paths as people write them → absolute ones, and whether they lie where the agent may look without asking.
import { realpath } from 'node:fs/promises';
import path from 'node:path';

export function resolvePath(written: string, folder: string, home: string): string {
  if (written === '~' || written.startsWith('~/')) return path.join(home, written.slice(1));
  return path.resolve(folder, written);
}

/** Where a path leads when every link is followed; the path itself where it leads nowhere. */
export async function realPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    return path.resolve(file);
  }
}

/** Links are followed on both sides: a link inside that leads out is outside. */
export async function isInside(file: string, folders: readonly string[]): Promise<boolean> {
  const real = await realPath(file);
  for (const folder of folders) {
    const way = path.relative(await realPath(folder), real);
    if (way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way))) return true;
  }
  return false;
}
