// Reads a settings file of Claude Code, and writes it whole or not at all: only if nothing has changed since it was read.
import { existsSync } from 'node:fs';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes, systemErrorCode, UserError } from '../base/errors/index.ts';
import { readRegularFile } from '../base/files/index.ts';
import { diskError, type FileIdentity, identify, makeFolder, replaceFile, writeNewFile } from '../store/index.ts';

export interface SettingsFile {
  readonly file: string;
  /** `undefined` if there is no file. */
  readonly text: string | undefined;
  readonly identity: FileIdentity;
}

export function readSettingsFile(file: string): SettingsFile {
  try {
    if (!existsSync(file)) return { file, text: undefined, identity: identify(file) };
    // Before the bytes: a change while they are read counts as one.
    const identity = identify(file);
    const bytes = readRegularFile(file);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text).equals(bytes))
      throw new UserError(`${file} is not UTF-8`, 'correct it first; nothing was changed');
    return { file, text, identity };
  } catch (error) {
    throw diskError(error, 'read', file);
  }
}

/** Returns the backup of the old file, if there is one: by default a new file next to it. */
export async function writeSettingsFile(
  { file, text, identity }: SettingsFile,
  after: string,
  backup: string | boolean = true,
): Promise<string | undefined> {
  if (text === undefined) {
    if (identify(file) !== 'absent')
      throw new UserError(`${file} is there already; nothing was written`, 'run it again', exitCodes.refused);
    await writeNewFile(file, Buffer.from(after));
    return undefined;
  }
  const kept = backup === false ? {} : { backup };
  return (await replaceFile(file, Buffer.from(after), { ...kept, expected: identity })).backup;
}

// As the client does it (observed with 2.1.325): a folder next to the file, abandoned if it is older than this.
const staleMs = 10_000;
const waitMs = 15_000;

/** Runs `work` while no client writes `file`. */
export async function withClientLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
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
