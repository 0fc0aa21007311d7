// Reads a settings file of Claude Code, and replaces it whole or not at all: only if its bytes are still those that were
// read. Everything is synchronous, so that between the comparison and the new name there are two system calls and no more.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes, systemErrorCode, UserError } from '../base/errors/index.ts';
import { makeFolderSync, readRegularFile } from '../base/files/index.ts';
import { diskError, makeFolder, privateFileMode, syncFolder, withLock, writeAll } from '../store/index.ts';

/** `undefined` if there is no file. */
export function readSettingsFile(file: string): string | undefined {
  try {
    const bytes = readRegularFile(file);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text).equals(bytes))
      throw new UserError(`${file} is not UTF-8`, 'correct it first; nothing was changed');
    return text;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw diskError(error, 'read', file);
  }
}

/** The only writer of settings files in Clew's folder `state`; a writer that was killed holds up nobody. */
export function withSettingsLock<T>(state: string, work: () => Promise<T>): Promise<T> {
  const what = 'changing the settings of Claude Code';
  return withLock(path.join(state, 'setup'), { what, waitMs: 30_000 }, work);
}

export interface Swap {
  readonly file: string;
  /** What was read; `undefined` for no file. */
  readonly before: string | undefined;
  /** `undefined` deletes the file. */
  readonly after: string | undefined;
  /** Clew's own folder, whose settings lock the caller holds. */
  readonly state: string;
}

/** Returns `false`, and changes nothing, if the file is not what was read. Links keep leading to their file. */
export function swapSettingsFile({ file, before, after, state }: Swap): boolean {
  const target = targetOf(file);
  const temp = tempNames(target, state);
  try {
    removeLeftTemps(target, temp);
    if (after === undefined) return deleteIfSame(target, before, temp.removed);
    makeFolderSync(path.dirname(target));
    writeTemp(temp.added, after, before === undefined ? undefined : statSync(target, { throwIfNoEntry: false }));
    const isDone = giveName(temp.added, target, before);
    if (!isDone) rmSync(temp.added, { force: true });
    else syncFolder(path.dirname(target));
    return isDone;
  } catch (error) {
    removeQuietly(temp.added);
    throw diskError(error, 'write', file);
  }
}

/** Whether a killed `swapSettingsFile` has left something next to a file. */
export function hasLeftSwap(file: string, state: string): boolean {
  return Object.values(tempNames(targetOf(file), state)).some(exists);
}

/** Removes what a killed `swapSettingsFile` left next to a file. Returns whether there was something. */
export function clearSwap(file: string, state: string): boolean {
  try {
    const target = targetOf(file);
    return removeLeftTemps(target, tempNames(target, state));
  } catch (error) {
    throw diskError(error, 'write', file);
  }
}

const maxTries = 50;

/** Calls `attempt` until it returns something: another program changed the file between its read and its write. */
export async function retryChanged<T>(file: string, attempt: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < maxTries; tries++) {
    const result = attempt();
    if (result !== undefined) return result;
    await delay(20);
  }
  throw new UserError(
    `${file} changes all the time; nothing was written`,
    'close the programs that write it and run it again',
    exitCodes.refused,
  );
}

// As the client does it (observed with 2.1.325): a folder next to the file, abandoned if it is older than this.
const staleMs = 10_000;
const waitMs = 15_000;

/** Runs `work` while no client writes `file`. */
export async function withClientLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = clientLock(file);
  const startMs = Date.now();
  try {
    await makeFolder(path.dirname(file));
    for (;;) {
      if (await takeLock(lock)) break;
      if (Date.now() - startMs > waitMs)
        throw new UserError(`Claude Code is writing ${file}`, 'run it again in a minute', exitCodes.refused);
      await delay(50);
    }
  } catch (error) {
    throw diskError(error, 'write', file);
  }
  try {
    return await work();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

/** The folder that a client, or a killed Clew, holds while it writes `file`. */
export function clientLock(file: string): string {
  return `${file}.lock`;
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    const made = await stat(lock).catch(() => undefined);
    if (made !== undefined && Date.now() - made.mtimeMs > staleMs) await rmdir(lock).catch(() => undefined);
    return false;
  }
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '');
}

function targetOf(file: string): string {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return path.resolve(file);
  try {
    return realpathSync(file);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw new UserError(`${file} is a link to a missing file`, 'remove the link and run it again');
  }
}

interface TempNames {
  /** The new content, until it has its name. */
  readonly added: string;
  /** The old content, until it is known to be what was read. */
  readonly removed: string;
}

/** The same names each time: the next holder of the lock finds what a killed one left. */
function tempNames(target: string, state: string): TempNames {
  const name = (purpose: string): string => {
    const hash = createHash('sha256')
      .update(`${purpose}\0${path.resolve(state)}\0${target}`)
      .digest('hex');
    return path.join(path.dirname(target), `.clew-${hash.slice(0, 16)}.tmp`);
  };
  return { added: name('added'), removed: name('removed') };
}

function removeLeftTemps(target: string, { added, removed }: TempNames): boolean {
  const wasAdding = exists(added);
  if (wasAdding) rmSync(added);
  const wasRemoving = exists(removed);
  if (wasRemoving) {
    // Killed before the comparison: whatever it was, it comes back, unless there is a new file.
    if (linkIfFree(removed, target)) syncFolder(path.dirname(target));
    rmSync(removed);
  }
  return wasAdding || wasRemoving;
}

function deleteIfSame(target: string, before: string | undefined, aside: string): boolean {
  if (before === undefined || readSettingsFile(target) !== before) return before === undefined && !exists(target);
  renameSync(target, aside);
  const isSame = readSettingsFile(aside) === before;
  if (!isSame) linkIfFree(aside, target);
  rmSync(aside);
  syncFolder(path.dirname(target));
  return isSame;
}

function giveName(temp: string, target: string, before: string | undefined): boolean {
  if (before === undefined) {
    if (!linkIfFree(temp, target)) return false;
    removeQuietly(temp);
    return true;
  }
  if (readSettingsFile(target) !== before) return false;
  renameSync(temp, target);
  return true;
}

/** `false` if there is a file of this name. */
function linkIfFree(temp: string, target: string): boolean {
  try {
    linkSync(temp, target);
    return true;
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
  }
  // A disk without hard links, such as FAT.
  if (exists(target)) return false;
  renameSync(temp, target);
  return true;
}

function writeTemp(temp: string, text: string, like: Stats | undefined): void {
  const handle = openSync(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, privateFileMode);
  try {
    writeAll(handle, Buffer.from(text));
    if (like !== undefined) imitate(handle, like);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function imitate(handle: number, like: Stats): void {
  const { uid, gid } = fstatSync(handle);
  try {
    if (uid !== like.uid || gid !== like.gid) fchownSync(handle, like.uid, like.gid);
  } catch (error) {
    // Under sudo the file must keep its owner; a process that may not change owners owns this file anyway.
    if (systemErrorCode(error) !== 'EPERM') throw error;
  }
  fchmodSync(handle, like.mode & 0o7777);
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The next holder of the lock removes it.
  }
}
