// Writes new content to a path so that it appears whole or not at all: first to a temporary file in the same folder,
// then to the disk, and only then to its name. The previous file is kept as a backup if wanted.

import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { copyFile, type FileHandle, link, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../base/errors/index.ts';
import { type FileIdentity, identify, refuseIfChanged } from './append.ts';
import { diskError, makeFolder, privateFileMode, syncPath } from './durable.ts';
import { isTempName, listFolder } from './owned-files.ts';

export type FileContent = Buffer | AsyncIterable<Buffer> | Iterable<Buffer>;

export interface ReplaceOptions {
  /** Where the old file stays: a path that does not exist yet, or `true` for a name next to the file. */
  readonly backup?: string | true;
  /** Refuse unless the file is still in this state. */
  readonly expected?: FileIdentity;
  /** The path is used as it is: a link at its end is refused. */
  readonly isExact?: boolean;
}

export interface Replaced {
  readonly backup?: string;
}

/** Replaces the content of an existing file, keeping its mode and owner; a link keeps leading to it. */
export async function replaceFile(file: string, content: FileContent, options: ReplaceOptions = {}): Promise<Replaced> {
  const target = options.isExact === true ? await exactTarget(file) : await existingTarget(file);
  const checkUnchanged = (): void => {
    if (options.expected !== undefined) refuseIfChanged(file, options.expected, identify(target));
  };
  checkUnchanged();
  const folder = path.dirname(target);
  let temp: string | undefined;
  let backup: string | undefined;
  try {
    temp = await writeTemp(folder, content, await stat(target));
    // Again, since producing the content may have taken minutes.
    checkUnchanged();
    if (options.backup !== undefined) backup = await keepBackup(target, options.backup);
    await rename(temp, target);
  } catch (error) {
    await removeQuietly(temp);
    await removeQuietly(backup);
    throw diskError(error, 'write', file);
  }
  await syncPath(folder);
  return backup === undefined ? {} : { backup };
}

/** Makes a file that must not exist yet; it appears whole, and never over another one. */
export async function writeNewFile(file: string, content: FileContent): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  let temp: string | undefined;
  try {
    await makeFolder(folder);
    temp = await writeTemp(folder, content, undefined);
    await giveNewName(temp, file);
    await syncPath(folder);
  } catch (error) {
    throw systemErrorCode(error) === 'EEXIST' ? alreadyThere(file) : diskError(error, 'write', file);
  } finally {
    await removeQuietly(temp);
  }
}

/** Removes what killed writers left in `folder`. Young ones stay: their writer may still be at work, on any machine. */
export async function removeStaleTemps(
  folder: string,
  olderThanMs: number = 3_600_000,
  isDryRun = false,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const { name } of await listFolder(folder, [])) {
    if (!isTempName(name)) continue;
    const temp = path.join(folder, name);
    const ageMs = Date.now() - (await modifiedMs(temp));
    if (ageMs < olderThanMs) continue;
    if (!isDryRun) await rm(temp, { force: true });
    removed.push(temp);
  }
  return removed;
}

async function existingTarget(file: string): Promise<string> {
  try {
    const target = await realpath(file);
    if ((await stat(target)).isFile()) return target;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT')
      throw new UserError(`there is no file ${file} to replace`, 'check the path');
    throw diskError(error, 'write', file);
  }
  throw new UserError(`${file} is not a regular file`, 'name a file');
}

async function exactTarget(file: string): Promise<string> {
  const stats = await lstat(file).catch((error: unknown) => {
    throw diskError(error, 'write', file);
  });
  if (!stats.isFile()) throw new UserError(`${file} is not a regular file`, 'name a file');
  return file;
}

async function writeTemp(folder: string, content: FileContent, like: Stats | undefined): Promise<string> {
  const temp = path.join(folder, `.clew-${randomBytes(8).toString('hex')}.tmp`);
  const handle = await open(temp, 'wx', privateFileMode);
  try {
    await writeContent(handle, content);
    if (like !== undefined) await imitate(handle, like);
    await handle.sync();
  } catch (error) {
    await handle.close();
    await removeQuietly(temp);
    throw error;
  }
  await handle.close();
  return temp;
}

const batchBytes = 1 << 20;

/** Small pieces are gathered: a write call for each line of a transcript costs more than the bytes. */
async function writeContent(handle: FileHandle, content: FileContent): Promise<void> {
  if (Buffer.isBuffer(content)) return handle.writeFile(content);
  let batch: Buffer[] = [];
  let size = 0;
  for await (const piece of content) {
    batch.push(piece);
    size += piece.length;
    if (size < batchBytes) continue;
    await handle.writeFile(Buffer.concat(batch));
    batch = [];
    size = 0;
  }
  await handle.writeFile(Buffer.concat(batch));
}

async function imitate(handle: FileHandle, like: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Under sudo the file must keep its owner; a process that may not change owners owns this file anyway.
  if (uid !== like.uid || gid !== like.gid) await handle.chown(like.uid, like.gid).catch(() => undefined);
  await handle.chmod(like.mode & 0o7777);
}

/**
 * A hard link keeps the same file, so that lines which another program still appends through an open handle land
 * in the backup instead of nowhere. If the disk has no hard links (another disk, FAT), the backup is a copy.
 */
async function keepBackup(target: string, wanted: string | true): Promise<string> {
  const backup =
    wanted === true ? `${target}.backup-${new Date().toISOString().replace(/[:.]/g, '-')}` : path.resolve(wanted);
  await makeFolder(path.dirname(backup));
  try {
    await link(target, backup).catch(async (error: unknown) => {
      if (!lacksLinks(error)) throw error;
      await copyDurably(target, backup);
    });
  } catch (error) {
    throw systemErrorCode(error) === 'EEXIST' ? alreadyThere(backup) : diskError(error, 'write', backup);
  }
  await syncPath(path.dirname(backup));
  return backup;
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  try {
    await syncPath(to);
  } catch (error) {
    await removeQuietly(to);
    throw error;
  }
}

async function giveNewName(temp: string, file: string): Promise<void> {
  try {
    await link(temp, file);
  } catch (error) {
    if (!lacksLinks(error)) throw error;
    await (await open(file, 'wx', privateFileMode)).close();
    await rename(temp, file);
  }
}

function lacksLinks(error: unknown): boolean {
  return ['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemErrorCode(error) ?? '');
}

function alreadyThere(file: string): UserError {
  return new UserError(`${file} is there already; nothing was written`, 'choose another name', exitCodes.refused);
}

async function removeQuietly(file: string | undefined): Promise<void> {
  if (file !== undefined) await rm(file, { force: true }).catch(() => undefined);
}

async function modifiedMs(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
