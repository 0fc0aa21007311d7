// A folder and what leads to it → made, or the system's error. Node's own `recursive` never returns where a parent exists
// in which nothing can be made, such as /proc.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from './errors.ts';

/** The first folder that had to be made; `undefined` where all were there. */
export function makeFolderSync(folder: string, mode = 0o700): string | undefined {
  const missing: string[] = [];
  let there = path.resolve(folder);
  while (!existsSync(there) && there !== path.dirname(there)) {
    missing.unshift(there);
    there = path.dirname(there);
  }
  if (!statSync(there).isDirectory()) throw systemError(missing.length === 0 ? 'EEXIST' : 'ENOTDIR', there);
  for (const each of missing) makeOne(each, mode);
  return missing[0];
}

function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // What leads to it is there: this place takes no folders, as a disk that is read-only.
    if (systemErrorCode(error) === 'ENOENT') throw systemError('EROFS', folder);
    // Another process was faster. A link that leads nowhere is there, and is no folder.
    if (systemErrorCode(error) !== 'EEXIST' || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw error;
  }
}

function systemError(code: string, file: string): Error {
  return Object.assign(new Error(`${code}: cannot make a folder at ${file}`), { code });
}
