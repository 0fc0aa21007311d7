// Deletes a session's files, after checking that the archive holds every byte of them. Sessions that a running client
// may still write to are refused.
import { statSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../../base/errors/index.ts';
import { scanRecord } from '../../format/scan/index.ts';
import { refuseOtherFile, type SessionFileOptions } from '../../session/transcript/index.ts';
import { type DiskProblem, diskError, type LeftOut, readLineBatches } from '../../store/index.ts';
import { type SessionPath, sessionPaths, sessionPlace, whoUses } from '../session-files/index.ts';
import { type ArchiveOptions, archiveSessions } from './archive.ts';
import { archiveFolder } from './archive-folder.ts';
import { FileChecker } from './file-check.ts';
import { placeKey, readContents } from './pack/index.ts';
import { type ArchivedPlace, hashFile } from './restore.ts';

export interface RemoveOptions extends ArchiveOptions, SessionFileOptions {
  /** Delete without a copy in the archive. */
  readonly withoutArchive?: boolean;
  /** Where Clew's own locks are; by default this process's. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface RemovedSession {
  readonly sessionId: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly sizeBytes: number;
  readonly isArchived: boolean;
  /** What remains in its folder, such as a link that leads out of the root. */
  readonly leftOut: readonly LeftOut[];
}

/** Archives and deletes one session; `isDryRun` only lists what would be deleted. Refuses files that are not sessions. */
export async function removeSession(main: string, options: RemoveOptions = {}): Promise<RemovedSession> {
  refuseOtherFile(main, options);
  const { sessionId } = sessionPlace(main);
  const problems: DiskProblem[] = [];
  const { files, leftOut } = await sessionPaths(main, problems);
  const [problem] = problems;
  if (problem !== undefined)
    throw new UserError(`cannot read ${problem.path} (${problem.code}); nothing was deleted`, 'check the permissions');
  const reason = whyInUse(main, options.env);
  if (reason !== undefined)
    throw new UserError(
      `session ${sessionId} is in use: ${reason}`,
      'end it there and run it again',
      exitCodes.refused,
    );
  const isArchived = options.withoutArchive !== true;
  if (options.isDryRun !== true) {
    if (isArchived) await archiveAndCheck(main, files, options);
    await deleteFiles(files, sideFolderOf(main));
  }
  const sizeBytes = files.reduce((sum, file) => sum + file.stats.size, 0);
  const paths = files.map((file) => file.path);
  return { sessionId, path: path.resolve(main), files: paths, sizeBytes, isArchived, leftOut };
}

/** A session that is ready to be deleted: the archive has every byte of these files. */
export interface KeptSession {
  readonly removed: RemovedSession;
  /** In the order in which they are deleted: the main transcript last. */
  readonly files: readonly { readonly path: string; readonly sizeBytes: number; readonly archived: ArchivedPlace }[];
}

/** The first half of `removeSession`: archives, reads the copy back, and deletes nothing yet. */
export async function keepSession(main: string, options: RemoveOptions = {}): Promise<KeptSession> {
  const removed = await removeSession(main, { ...options, isDryRun: true, withoutArchive: false });
  const { files } = await sessionPaths(main, []);
  const folder = options.folder ?? archiveFolder();
  const hashes = await archiveAndCheck(main, files, { ...options, folder });
  const session = placeKey(sessionPlace(main));
  const kept = files.map(({ name, path: file, stats }) => {
    const archived = { folder, session, name, sha256: hashes.get(name) ?? '' };
    return { path: file, sizeBytes: stats.size, archived };
  });
  return { removed, files: kept.reverse() };
}

function sideFolderOf(main: string): string {
  return path.join(path.dirname(path.resolve(main)), sessionPlace(main).sessionId);
}

/** Why the session must be left alone for now; `undefined` where nobody uses it. */
export function whyInUse(main: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const user = whoUses(main, env);
  if (user !== undefined) return user;
  const ageMs = Date.now() - modifiedMs(main);
  return ageMs < quietMs ? `it was written to ${Math.max(0, Math.round(ageMs / 1000))} s ago` : undefined;
}

/** Whether a transcript holds no conversation: no bytes, or only bookkeeping, and no side files. */
export async function isEmptySession(main: string): Promise<boolean> {
  const problems: DiskProblem[] = [];
  const { files } = await sessionPaths(main, problems);
  // What cannot be read may belong to a conversation.
  if (files.length !== 1 || problems.length > 0) return false;
  for (const batch of readLineBatches(main, { chunkBytes: 64 * 1024 })) {
    for (const line of batch) {
      if (line.bytes.toString('latin1').trim() === '') continue;
      const type = scanRecord(line.bytes)?.type;
      // What cannot be read may be a conversation.
      if (type === undefined || type === 'user' || type === 'assistant') return false;
    }
  }
  return true;
}

const quietMs = 60_000;

/** Archives, reads the copy back, and compares it with the files once more. Returns the hashes by name. */
async function archiveAndCheck(
  main: string,
  files: readonly SessionPath[],
  options: RemoveOptions,
): Promise<ReadonlyMap<string, string>> {
  const folder = options.folder ?? archiveFolder();
  const { sessions } = await archiveSessions([{ path: main }], { ...options, folder });
  const problem = sessions.find((session) => session.problem !== undefined)?.problem;
  if (problem !== undefined) throw new UserError(`${problem}; nothing was deleted`, 'check the permissions');
  const contents = readContents(folder);
  const manifest = contents.sessions.get(placeKey(sessionPlace(main)))?.versions.at(-1);
  const checker = new FileChecker(contents);
  const hashes = new Map<string, string>();
  for (const { name, path: file } of files) {
    const archived = manifest?.files.find((each) => each.path === name);
    const isKept =
      manifest !== undefined && archived !== undefined && (await checker.findDamage(manifest, archived)) === undefined;
    if (!isKept) {
      throw new UserError(
        `the archived copy of ${file} cannot be read back; nothing was deleted`,
        'run `clew archive --verify`',
        exitCodes.failed,
      );
    }
    if ((await hashFile(file)) !== archived.sha256)
      throw new UserError(`${file} is still being written to; nothing was deleted`, 'run it again', exitCodes.refused);
    hashes.set(name, archived.sha256);
  }
  return hashes;
}

/** The main transcript is deleted last: until then the session is listed, and a second run finishes the work. */
async function deleteFiles(files: readonly SessionPath[], sideFolder: string): Promise<void> {
  for (const { path: file } of [...files].reverse()) {
    try {
      await rm(file, { force: true });
    } catch (error) {
      throw diskError(error, 'write', file);
    }
    for (let folder = path.dirname(file); folder.startsWith(sideFolder); folder = path.dirname(folder))
      if (!(await removeEmptyFolder(folder))) break;
  }
  await removeEmptyFolder(sideFolder);
}

async function removeEmptyFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}

function modifiedMs(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}
