// One writer at a time: a file names the process that holds the lock. A process that has ended holds nothing, even if
// another process has its number now.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { closeSync, linkSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes, systemErrorCode, UserError } from '../base/errors/index.ts';
import { readRegularText } from '../base/files/index.ts';
import { asObject, asString, parseJson } from '../base/json/index.ts';
import { diskError, makeFolder, privateFileMode } from './durable.ts';
import { writeAll } from './durable-files.ts';

export interface LockOptions {
  /** How long to wait for another process; 0 refuses at once. */
  readonly waitMs?: number;
  /** What the holder does, for the message to a process that has to wait. */
  readonly what?: string;
  /** Called once if another process holds the lock. */
  readonly onWait?: (holder: string) => void;
  /** The name of the lock file, for a folder with several locks. */
  readonly name?: string;
  /** What the process works on: if it ends without releasing the lock, another can continue (`abandonedNote`). */
  readonly note?: string;
  readonly pollMs?: number;
}

/** Runs `work` while no other process writes to the archive, or to whatever else is in `folder`. */
export async function withLock<T>(folder: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const lock = path.join(folder, options.name ?? 'lock');
  try {
    await makeFolder(folder);
  } catch (error) {
    throw diskError(error, 'write', folder);
  }
  const mine = await acquire(lock, options);
  try {
    return await work();
  } finally {
    release(lock, mine);
  }
}

/** Where bundles are unpacked. */
export function importsFolder(state: string): string {
  return path.join(state, 'imports');
}

/** Runs `work` with a new folder in `parent`; if the process is killed, `removeAbandonedWork` removes it. */
export async function withWorkFolder<T>(parent: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = path.join(parent, randomUUID());
  return withLock(parent, { name: `${path.basename(folder)}.lock` }, async () => {
    try {
      return await work(folder);
    } finally {
      removeAllQuietly(folder);
    }
  });
}

function removeAbandonedWork(parent: string): void {
  const folders = new Set(namesStarting(parent, '').map((name) => path.join(parent, name.replace(/\.lock$/, ''))));
  for (const folder of folders) {
    // A folder is made after its lock and removed before it.
    if (isHeld(`${folder}.lock`)) continue;
    removeAllQuietly(folder);
    removeQuietly(`${folder}.lock`);
  }
}

function removeAllQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The next operation removes it.
  }
}

/** Whether a process that is alive holds this lock. */
export function isHeld(lock: string): boolean {
  return holderOfLock(lock) !== undefined;
}

/** The process that holds this lock, in words; `undefined` if no living process does. */
export function holderOfLock(lock: string): string | undefined {
  try {
    const text = readLock(lock);
    return text === undefined || isAbandoned(text) ? undefined : holderOf(text);
  } catch (error) {
    return `a process that cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What a process that ended without releasing this lock was working on; `undefined` if the lock is free or held. */
export function abandonedNote(lock: string): string | undefined {
  const text = readText(lock);
  return text === undefined || !isAbandoned(text) ? undefined : asString(asObject(parseJson(text))?.note);
}

async function acquire(
  lock: string,
  { waitMs = 60_000, what = 'writing to the archive', onWait, note, pollMs = 100 }: LockOptions,
): Promise<string> {
  const mine = JSON.stringify({
    pid: process.pid,
    started: startOf(process.pid) ?? null,
    host: hostname(),
    token: randomBytes(8).toString('hex'),
    ...(note === undefined ? {} : { note }),
  });
  const end = Date.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    const holder = take(lock, mine);
    if (holder === undefined) {
      removeLockLeftovers(path.dirname(lock), `${path.basename(lock)}.`);
      return mine;
    }
    if (Date.now() >= end) {
      throw new UserError(
        `another clew (${holderOf(holder)}) is ${what}`,
        `wait for it, or remove ${lock} if it is gone`,
        exitCodes.refused,
      );
    }
    if (isFirst) onWait?.(holderOf(holder));
    await delay(pollMs);
  }
}

/** Returns what the living holder wrote; `undefined` if the lock is ours now. */
function take(lock: string, mine: string): string | undefined {
  const temp = `${lock}.${randomBytes(8).toString('hex')}`;
  try {
    for (;;) {
      writeNew(temp, mine);
      if (linkNew(temp, lock)) return undefined;
      const text = readLock(lock);
      if (text === undefined) continue;
      if (!isAbandoned(text)) return text;
      const breaker = takeOver(temp, lock, text, mine);
      if (breaker !== false) return breaker;
    }
  } catch (error) {
    throw diskError(error, 'write', lock);
  } finally {
    removeQuietly(temp);
  }
}

/**
 * Replaces an abandoned lock by ours. Only one process at a time may replace a lock of these bytes: whoever holds the lock that
 * is named after them. Returns `undefined` if that worked, the process that is doing it, or `false` if it is done.
 */
function takeOver(temp: string, lock: string, text: string, mine: string): string | undefined | false {
  const breaker = `${lock}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  const other = take(breaker, mine);
  if (other !== undefined) return other;
  try {
    if (readLock(lock) !== text) return false;
    renameSync(temp, lock);
    return undefined;
  } finally {
    release(breaker, mine);
  }
}

/** The file appears with its content under the name of the lock: an empty lock would say nothing about its holder. */
function writeNew(temp: string, content: string): void {
  removeQuietly(temp);
  const handle = openSync(temp, 'wx', privateFileMode);
  try {
    writeAll(handle, Buffer.from(content));
  } finally {
    closeSync(handle);
  }
}

function linkNew(temp: string, lock: string): boolean {
  try {
    linkSync(temp, lock);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    // A new holder took our file for one that a killed process left: written again, it is there.
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** What this process has done is done: a lock that cannot be removed names a process that ends now. */
function release(lock: string, mine: string): void {
  try {
    if (readLock(lock) === mine) rmSync(lock, { force: true });
  } catch {
    // See above.
  }
}

/** Below Clew's state folder, but for the locks of the trace, whose next holder is the next hook. */
const lockFolders: readonly string[] = ['', 'session-locks', 'setup', 'archive'];

/** What processes left that were killed while they took a lock: its next holder, who would remove it, may never come. */
export function removeAbandonedLocks(state: string): void {
  const pushes = namesStarting(path.join(state, 'push'), '').map((name) => path.join('push', name));
  for (const folder of [...lockFolders, ...pushes]) removeLockLeftovers(path.join(state, folder), '');
  removeAbandonedWork(importsFolder(state));
}

/** The files of killed processes around locks: only a living one still needs its file. */
function removeLockLeftovers(folder: string, start: string): void {
  for (const name of namesStarting(folder, start)) {
    if (!/(?:^|\.)lock(?:\.[0-9a-f]{16})+$/.test(name)) continue;
    const file = path.join(folder, name);
    try {
      const text = readLock(file);
      if (text !== undefined && isAbandoned(text)) rmSync(file, { force: true });
    } catch {
      // The next holder tries again.
    }
  }
}

function namesStarting(folder: string, start: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(start));
  } catch {
    return [];
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The next holder of the lock removes it.
  }
}

function isAbandoned(text: string): boolean {
  const holder = asObject(parseJson(text));
  const pid = Number(holder?.pid);
  if (holder === undefined || !Number.isInteger(pid) || pid <= 0) return true;
  // Processes of another machine cannot be checked.
  if (holder.host !== hostname()) return false;
  if (!isAlive(pid)) return true;
  const started = asString(holder.started);
  const now = startOf(pid);
  return started !== undefined && now !== undefined && started !== now;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A killed process keeps its number until its parent waits for it: forever in a container without an init.
    return !/^[ZX]/.test(statOf(pid)?.[0] ?? '');
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** When the process started, as the system reports it; `undefined` if it does not. */
function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** What the system knows of a process, from its state on. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may contain any character.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function holderOf(text: string): string {
  const holder = asObject(parseJson(text));
  return `process ${Number(holder?.pid)} on ${asString(holder?.host) ?? 'an unknown machine'}`;
}

/** `undefined` if there is no lock. One that cannot be read may be held. */
function readLock(lock: string): string | undefined {
  try {
    return readRegularText(lock);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' || systemErrorCode(error) === 'ENOTDIR') return undefined;
    throw diskError(error, 'read', lock);
  }
}

function readText(file: string): string | undefined {
  try {
    return readRegularText(file);
  } catch {
    return undefined;
  }
}
