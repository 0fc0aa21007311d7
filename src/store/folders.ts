// A folder comes in, its entries go out sorted; a folder that cannot be read becomes a problem in a list
// instead of an exception, because one locked folder must not hide all other sessions.
import { accessSync, constants, type Dirent, readdirSync, type Stats } from 'node:fs';
import { systemErrorCode } from '../base/errors/errors.ts';

/** A file or a folder that could not be read. */
export interface DiskProblem {
  readonly path: string;
  /** The system's error code, such as `EACCES`. */
  readonly code: string;
}

/** The entries of `folder`, by name. A missing folder is empty. */
export function listFolder(folder: string, problems: DiskProblem[]): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => compareNames(a.name, b.name));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push({ path: folder, code });
    return [];
  }
}

/**
 * Why this process cannot read a file, without opening it; `undefined` if it can. Most transcripts are readable by their
 * owner, and then the file's mode answers without another call to the system.
 */
export function readProblem(file: string, { mode, uid }: Stats): DiskProblem | undefined {
  const own = process.geteuid?.();
  if (own === undefined || (own === uid && (mode & 0o400) !== 0)) return undefined;
  try {
    accessSync(file, constants.R_OK);
    return undefined;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' ? undefined : { path: file, code };
  }
}

/** By UTF-16 unit: the same order on every machine, whatever its locale. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
