// Creates a folder and its parents. Node's `recursive` option never returns in folders such as /proc, where nothing can
// be created.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { systemErrorCode } from '../errors/errors.ts';

/** Returns the first folder that was created; `undefined` if all existed. */
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
    // The parent exists, so this place accepts no folders, like a read-only disk.
    if (systemErrorCode(error) === 'ENOENT') throw systemError('EROFS', folder);
    // EEXIST: another process created it, or it is a broken link.
    if (systemErrorCode(error) !== 'EEXIST' || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw error;
  }
}

function systemError(code: string, file: string): Error {
  return Object.assign(new Error(`${code}: cannot make a folder at ${file}`), { code });
}
