// Reads files named by an argument, a setting, a variable or a hook: up to a limit, and only regular files, because
// reading a pipe or a device may never end.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { systemErrorCode, UserError } from '../errors/index.ts';
import { formatBytes } from '../text/index.ts';

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

export interface ReadLimit {
  /** Default: 64 MB. */
  readonly maxBytes?: number;
}

const usualMaxBytes = 64 * 1024 * 1024;

/** Returns a descriptor that the caller closes. */
export function openRegularFile(file: string): number {
  const descriptor = openWithoutWaiting(file);
  try {
    const stats = fstatSync(descriptor);
    if (stats.isDirectory()) throw Object.assign(new Error(`EISDIR: ${file} is a folder`), { code: 'EISDIR' });
    if (!stats.isFile()) throw notAFile(file, kindOf(stats));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

export function readRegularFile(file: string, { maxBytes = usualMaxBytes }: ReadLimit = {}): Buffer {
  const descriptor = openRegularFile(file);
  try {
    const { size } = fstatSync(descriptor);
    if (size > maxBytes) throw tooLarge(file, maxBytes);
    const pieces: Buffer[] = [];
    let total = 0;
    // Files of /proc have no size, and a file may grow.
    for (;;) {
      const piece = Buffer.allocUnsafe(Math.max(64 * 1024, size - total));
      const length = readSync(descriptor, piece, 0, piece.length, total);
      if (length === 0) return pieces.length === 1 ? (pieces[0] ?? piece) : Buffer.concat(pieces);
      pieces.push(piece.subarray(0, length));
      total += length;
      if (total > maxBytes) throw tooLarge(file, maxBytes);
    }
  } finally {
    closeSync(descriptor);
  }
}

export function readRegularText(file: string, limit: ReadLimit = {}): string {
  return readRegularFile(file, limit).toString('utf8');
}

function openWithoutWaiting(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (systemErrorCode(error) === 'ENXIO') throw notAFile(file, 'a socket or a device');
    throw error;
  }
}

function kindOf(stats: Stats): string {
  return stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device';
}

function notAFile(file: string, kind: string): UserError {
  return new UserError(`${file} is ${kind}, not a file`, 'name a regular file');
}

function tooLarge(file: string, maxBytes: number): UserError {
  return new UserError(`${file} is larger than ${formatBytes(maxBytes)}`, 'name a smaller file');
}
