// One writer at a time: a file that names the process that holds the archive. A process that is gone holds nothing, also
// if its number has been given to another since.
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
  /** How long to wait for another archiver; 0 to refuse at once. */
  readonly waitMs?: number;
  /** What its holder does, for the message to whoever has to wait. */
  readonly what?: string;
  /** Called once, where there is one to wait for. */
  readonly onWait?: (holder: string) => void;
  /** The name of the file in `folder`, where a folder has several. */
  readonly name?: string;
  /** What was being worked on: whoever finds the lock of a process that is gone can go on with it (`abandonedNote`). */
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

/** The process that holds this lock, in words; `undefined` where none that is alive does. */
export function holderOfLock(lock: string): string | undefined {
  const text = readText(lock);
  return text === undefined || isAbandoned(text) ? undefined : holderOf(text);
}

/** What the process that left this lock after was working on; `undefined` where the lock is free or held. */
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

/** Another process may have removed it and made its own since we looked: then that one is put back. */
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
  // Processes of another machine cannot be asked.
  if (holder.host !== hostname()) return false;
  if (!isAlive(pid)) return true;
  const started = asString(holder.started);
  return started !== undefined && started !== startOf(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that was killed and that nobody waits for keeps its number: for good where a container has no init.
    return !/^[ZX]/.test(statOf(pid)?.[0] ?? '');
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** When the process started, in the system's own words; `undefined` where it does not tell. */
function startOf(pid: number): string | undefined {
  return statOf(pid)?.[19];
}

/** What the system knows of a process, from its state on. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which may hold anything.
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
