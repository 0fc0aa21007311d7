// One writer at a time: a file names the process that holds the lock. A process that has ended holds nothing, even if
// another process has its number now.
import { randomBytes } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes, systemErrorCode, UserError } from '../base/errors/index.ts';
import { readRegularText } from '../base/files/index.ts';
import { asObject, asString, parseJson } from '../base/json/index.ts';
import { diskError, makeFolder, privateFileMode } from './durable.ts';

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
    if (readText(lock) === mine) await rm(lock, { force: true }).catch(() => undefined);
  }
}

/** Whether a process that is alive holds this lock. */
export function isHeld(lock: string): boolean {
  return holderOfLock(lock) !== undefined;
}

/** The process that holds this lock, in words; `undefined` if no living process does. */
export function holderOfLock(lock: string): string | undefined {
  const text = readText(lock);
  return text === undefined || isAbandoned(text) ? undefined : holderOf(text);
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
    if (await tryCreate(lock, mine)) return mine;
    const text = readText(lock);
    if (text === undefined) continue;
    if (isAbandoned(text)) {
      await removeAbandoned(lock, text);
      continue;
    }
    if (Date.now() >= end) {
      throw new UserError(
        `another clew (${holderOf(text)}) is ${what}`,
        `wait for it, or remove ${lock} if it is gone`,
        exitCodes.refused,
      );
    }
    if (isFirst) onWait?.(holderOf(text));
    await delay(pollMs);
  }
}

/** The file appears with its content: an empty lock would say nothing about its holder. */
async function tryCreate(lock: string, content: string): Promise<boolean> {
  const temp = `${lock}.${randomBytes(8).toString('hex')}`;
  try {
    const handle = await open(temp, 'wx', privateFileMode);
    await handle.writeFile(content).finally(() => handle.close());
    await link(temp, lock);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw diskError(error, 'write', lock);
  } finally {
    await rm(temp, { force: true }).catch(() => undefined);
  }
}

/** Another process may have replaced the lock with its own since the check: then that lock is restored. */
async function removeAbandoned(lock: string, text: string): Promise<void> {
  const aside = `${lock}.${randomBytes(8).toString('hex')}`;
  try {
    await rename(lock, aside);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    throw diskError(error, 'write', lock);
  }
  if (readText(aside) !== text) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

function isAbandoned(text: string): boolean {
  const holder = asObject(parseJson(text));
  const pid = Number(holder?.pid);
  if (holder === undefined || !Number.isInteger(pid) || pid <= 0) return true;
  // Processes of another machine cannot be checked.
  if (holder.host !== hostname()) return false;
  if (!isAlive(pid)) return true;
  const started = asString(holder.started);
  return started !== undefined && started !== startOf(pid);
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

function readText(file: string): string | undefined {
  try {
    return readRegularText(file);
  } catch {
    return undefined;
  }
}
