// The only writer to an existing transcript: takes whole lines and the file's expected identity, returns the new
// identity. Claude Code takes no lock, so a file that changed since it was read is refused.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../base/errors/index.ts';
import { type Inode, readInode } from '../base/files/index.ts';
import { diskError, makeFolder, privateFileMode, syncFile, syncPath } from './durable.ts';

/** Distinguishes two states of a file without reading all of it. */
export interface FileStamp {
  readonly dev: number;
  readonly ino: Inode;
  readonly size: number;
  readonly mtimeMs: number;
  /** A hash of the last 4096 bytes, or of all where there are fewer. */
  readonly tail: string;
}

export type FileIdentity = FileStamp | 'absent';

/**
 * Appends `lines`, given without their newlines, and makes them durable. Where the file ends in half a line, that
 * is closed with a newline first. `expected: 'absent'` makes a new file. Either all lines are written or none.
 */
export async function appendLines(
  file: string,
  lines: readonly (Buffer | string)[],
  expected: FileIdentity,
): Promise<FileIdentity> {
  const bytes = joinLines(lines);
  if (bytes.length === 0) return expected;
  try {
    return expected === 'absent' ? await createWith(file, bytes) : await appendBytes(file, bytes, expected);
  } catch (error) {
    throw diskError(error, 'write', file);
  }
}

/** The present identity of `file`; links are followed. Synchronous, so that nothing in this process comes between. */
export function identify(file: string): FileIdentity {
  try {
    refuseOddFile(file, statSync(file));
    const fd = openSync(file, constants.O_RDONLY);
    try {
      return stampOf(fd).stamp;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 'absent';
    throw diskError(error, 'read', file);
  }
}

/** Throws where `file` is not in the state that was read before. */
export function refuseIfChanged(file: string, expected: FileIdentity, now: FileIdentity): void {
  if (sameIdentity(expected, now)) return;
  const what =
    now === 'absent' ? 'is gone' : expected === 'absent' ? 'is there already' : 'has changed since it was read';
  throw new UserError(`${file} ${what}; nothing was written`, 'run it again', exitCodes.refused);
}

async function appendBytes(file: string, lines: Buffer, expected: FileStamp): Promise<FileIdentity> {
  const fd = openExisting(file, expected);
  try {
    // There is no await between the check and the write: two appends of one process cannot both pass the check.
    const { stamp, endsInLine } = stampOf(fd);
    refuseIfChanged(file, expected, stamp);
    const bytes = endsInLine ? lines : Buffer.concat([newline, lines]);
    writeAll(fd, bytes, stamp.size);
    await syncOrTakeBack(fd, bytes.length, stamp.size);
    return ownStamp(fd, stamp.size + bytes.length);
  } finally {
    closeSync(fd);
  }
}

async function createWith(file: string, lines: Buffer): Promise<FileIdentity> {
  const folder = path.dirname(path.resolve(file));
  await makeFolder(folder);
  const fd = openNew(file);
  try {
    writeAll(fd, lines, 0);
    await syncOrTakeBack(fd, lines.length, 0);
    await syncPath(folder);
    return ownStamp(fd, lines.length);
  } catch (error) {
    if (fstatSync(fd).size === 0) unlinkSync(file);
    throw error;
  } finally {
    closeSync(fd);
  }
}

const newline = Buffer.from('\n');

function joinLines(lines: readonly (Buffer | string)[]): Buffer {
  const parts: Buffer[] = [];
  for (const line of lines) {
    if (typeof line === 'string' && !line.isWellFormed())
      throw new TypeError('a line with half a surrogate has no UTF-8 bytes');
    const bytes = typeof line === 'string' ? Buffer.from(line) : line;
    if (bytes.includes(0x0a)) throw new TypeError('a line to append holds a newline');
    parts.push(bytes, newline);
  }
  return Buffer.concat(parts);
}

function openExisting(file: string, expected: FileStamp): number {
  try {
    refuseOddFile(file, statSync(file));
    return openSync(file, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') refuseIfChanged(file, expected, 'absent');
    throw error;
  }
}

function openNew(file: string): number {
  try {
    return openSync(
      file,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
      privateFileMode,
    );
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') refuseIfChanged(file, 'absent', identify(file));
    throw error;
  }
}

/** A pipe would block forever, and a device has no identity. */
function refuseOddFile(file: string, stats: Stats): void {
  if (!stats.isFile()) throw new UserError(`${file} is not a regular file`, 'name a transcript (.jsonl)');
}

/** One write call, unless the system takes less than all of it. */
function writeAll(fd: number, bytes: Buffer, oldSize: number): void {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    takeBack(fd, written, oldSize);
    throw error;
  }
}

/** Disks that allocate late (network, quota) refuse only here. */
async function syncOrTakeBack(fd: number, written: number, oldSize: number): Promise<void> {
  try {
    await syncFile(fd);
  } catch (error) {
    takeBack(fd, written, oldSize);
    throw error;
  }
}

/** Removes what was written, so that no half line stays; but never bytes that someone else added after it. */
function takeBack(fd: number, written: number, oldSize: number): void {
  if (written > 0 && fstatSync(fd).size === oldSize + written) ftruncateSync(fd, oldSize);
}

/**
 * The identity of the file with only our lines added. If another program appended in the same moment, the size
 * differs from the real one and the next append is refused, as it should be.
 */
function ownStamp(fd: number, size: number): FileStamp {
  return { ...stampOf(fd).stamp, size };
}

const tailBytes = 4096;

function stampOf(fd: number): { readonly stamp: FileStamp; readonly endsInLine: boolean } {
  const stats = fstatSync(fd);
  const { dev, size, mtimeMs } = stats;
  const ino = readInode(fd, stats);
  const tail = Buffer.alloc(Math.min(size, tailBytes));
  const read = tail.length === 0 ? 0 : readSync(fd, tail, 0, tail.length, size - tail.length);
  const hash = createHash('sha256').update(tail.subarray(0, read)).digest('base64url');
  return { stamp: { dev, ino, size, mtimeMs, tail: hash }, endsInLine: read === 0 || tail[read - 1] === 0x0a };
}

function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  if (a === 'absent' || b === 'absent') return a === b;
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.tail === b.tail;
}
