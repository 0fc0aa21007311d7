// Gives a name another file while other programs may append at any moment: Claude Code opens a transcript, appends lines
// and closes it, and takes no lock. The old file stays under a second name, so that lines which still reach it after the swap
// can be carried into the new one.
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { chmod, chown, copyFile, link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes, systemErrorCode, UserError } from '../base/errors/index.ts';
import { diskError, makeFolder, privateFileMode, syncFile, syncPath } from './durable.ts';
import { writeAll } from './durable-files.ts';
import { type FileState, matchState } from './file-state.ts';

export interface Swap {
  readonly target: string;
  /** A complete file with the new content. It gets a second name if the disk allows it, and is copied otherwise. */
  readonly content: string;
  /** The second name of the old file, on the same disk. */
  readonly old: string;
  /** A free name next to the target. */
  readonly temp: string;
  /** What the target begins with. */
  readonly expected: FileState;
  /** Whether the new file gets mode and owner of the old one. */
  readonly keepsMode: boolean;
}

/** Replaces the target at once and durably; refuses if it no longer begins with the expected bytes. */
export async function swapFile({ target, content, old, temp, expected, keepsMode }: Swap): Promise<void> {
  try {
    await rm(temp, { force: true });
    await linkOrCopy(content, temp);
    if (keepsMode) await imitateFile(target, temp);
    if (!(await isSameFile(target, old))) {
      await rm(old, { force: true });
      await makeFolder(path.dirname(old));
      await linkOrCopy(target, old);
      await syncPath(path.dirname(old));
    }
    const match = await matchState(target, expected);
    if (match !== 'same' && match !== 'longer') throw changedMeanwhile(target);
    const lastBytes = readEnd(target, expected.sizeBytes);
    const late = openSync(target, 'r');
    try {
      // No await between this check and the rename.
      if (!readEnd(target, expected.sizeBytes).equals(lastBytes)) throw changedMeanwhile(target);
      renameSync(temp, target);
      await keepLateBytes(late, old);
    } finally {
      closeSync(late);
    }
    await syncPath(path.dirname(target));
  } catch (error) {
    throw diskError(error, 'write', target);
  }
}

/** Gives a complete file a name that must be free. */
export async function placeFile(content: string, target: string, temp: string): Promise<void> {
  try {
    await makeFolder(path.dirname(target));
    if (!(await tryLink(content, target))) {
      await rm(temp, { force: true });
      await copyDurably(content, temp);
      if (!(await tryLink(temp, target))) {
        await (await open(target, 'wx', privateFileMode)).close();
        await rename(temp, target);
      }
      await rm(temp, { force: true });
    }
    await syncPath(path.dirname(target));
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST')
      throw new UserError(`${target} is there already; nothing was written`, 'choose another name', exitCodes.refused, {
        cause: error,
      });
    throw diskError(error, 'write', target);
  }
}

/** Gives a file another name on the same disk, durably. Of a link, the new name gets a copy of its target. */
export async function takeFile(target: string, old: string): Promise<void> {
  try {
    await makeFolder(path.dirname(old));
    if ((await lstat(target)).isSymbolicLink()) {
      await rm(old, { force: true });
      await copyDurably(target, old);
      await rm(target);
    } else await rename(target, old);
    await syncPath(path.dirname(old));
    await syncPath(path.dirname(target));
  } catch (error) {
    throw diskError(error, 'write', target);
  }
}

/** Copies a file to another disk, and removes it only after the copy is durable. */
export async function parkFile(from: string, to: string): Promise<void> {
  try {
    await makeFolder(path.dirname(to));
    await rm(to, { force: true });
    await copyDurably(from, to);
    await syncPath(path.dirname(to));
    await rm(from);
  } catch (error) {
    throw diskError(error, 'write', to);
  }
}

export interface Tail {
  readonly file: string;
  /** Where the lines begin that may be new. */
  readonly start: number;
}

/**
 * Appends the lines of one file that another one does not have, and returns their number. A line that is there already is
 * not appended again, so that an interrupted call can be repeated.
 */
export async function carryLines(from: Tail, to: Tail): Promise<number> {
  let carried = 0;
  try {
    for (;;) {
      const lines = splitTail(await readWholeTail(from));
      const missing = without(lines, splitTail(readFrom(to)));
      if (missing.length === 0) return carried;
      await appendTail(to.file, missing);
      carried += missing.length;
      await delay(quietMs);
    }
  } catch (error) {
    throw diskError(error, 'write', to.file);
  }
}

/** Whether two names are the same file. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((file) => stat(file, { bigint: true }).catch(() => undefined)));
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** Whether `file` is on the disk of `folder` or of its nearest parent that exists. */
export function isOnSameDisk(folder: string, file: string): boolean {
  const dev = statSync(file).dev;
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false });
    if (stats !== undefined) return stats.dev === dev;
    if (at === path.dirname(at)) return false;
  }
}

const quietMs = 2;
/** A writer that is in the middle of a line has finished it after this many looks. */
const mostLooks = 25;

async function readWholeTail(tail: Tail): Promise<Buffer> {
  for (let look = 1; ; look++) {
    const bytes = readFrom(tail);
    if (bytes.length === 0 || bytes.at(-1) === newline || look === mostLooks) return bytes;
    await delay(quietMs);
  }
}

function readFrom({ file, start }: Tail): Buffer {
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - start));
    const read = bytes.length === 0 ? 0 : readSync(fd, bytes, 0, bytes.length, start);
    return bytes.subarray(0, read);
  } finally {
    closeSync(fd);
  }
}

const newline = 0x0a;

/** Without their newlines, which a last line may lack. */
function splitTail(bytes: Buffer): readonly string[] {
  const lines = bytes.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function without(lines: readonly string[], known: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of known) counts.set(line, (counts.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = counts.get(line) ?? 0;
    counts.set(line, count - 1);
    return count <= 0;
  });
}

async function appendTail(file: string, lines: readonly string[]): Promise<void> {
  const fd = openSync(file, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1, newline);
    if (size > 0) readSync(fd, last, 0, 1, size - 1);
    const text = `${last[0] === newline ? '' : '\n'}${lines.join('\n')}\n`;
    writeAll(fd, Buffer.from(text, 'latin1'));
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

/** If `old` is a copy, because this disk has no second names: what reached the old file since it was copied. */
async function keepLateBytes(late: number, old: string): Promise<void> {
  const now = fstatSync(late, { bigint: true });
  const kept = statSync(old, { bigint: true });
  if (kept.ino === now.ino || now.size <= kept.size) return;
  const bytes = Buffer.alloc(Number(now.size - kept.size));
  readSync(late, bytes, 0, bytes.length, Number(kept.size));
  const fd = openSync(old, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeAll(fd, bytes);
    await syncFile(fd);
  } finally {
    closeSync(fd);
  }
}

const endBytes = 4096;

/** The last bytes of the first `sizeBytes`: a file that was written again differs there, one that grew does not. */
function readEnd(file: string, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(Math.min(sizeBytes, endBytes));
  const fd = openSync(file, 'r');
  try {
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, sizeBytes - bytes.length));
  } finally {
    closeSync(fd);
  }
}

/** Under sudo the file must keep its owner; a process that may not change owners owns this file anyway. */
async function imitateFile(like: string, file: string): Promise<void> {
  const [wanted, now] = [await stat(like), await stat(file)];
  if (now.uid !== wanted.uid || now.gid !== wanted.gid)
    await chown(file, wanted.uid, wanted.gid).catch(() => undefined);
  if (now.mode !== wanted.mode) await chmod(file, wanted.mode & 0o7777);
}

/** A second name for the same file, or a durable copy. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  if (!(await tryLink(from, to))) await copyDurably(from, to);
}

/** `false` if the disk has no second names (FAT), or `to` is on another one. */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemErrorCode(error) ?? ''))
      return false;
    throw error;
  }
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  const { atime, mtime } = await stat(from);
  const handle = await open(to, 'r+').catch(() => undefined); // a copy of a read-only file is read-only too
  await handle?.utimes(atime, mtime).finally(() => handle.close());
  await syncPath(to);
}

function changedMeanwhile(file: string): UserError {
  return new UserError(`${file} has changed since it was read; nothing was written`, 'run it again', exitCodes.refused);
}
