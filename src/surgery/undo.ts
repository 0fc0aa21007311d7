// An operation's record → everything as it was before it. Files that somebody has changed since are never overwritten;
// lines that a client appended behind ours are kept.

import { createHash } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, statSync } from 'node:fs';
import { copyFile, link, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../base/errors.ts';
import type { Environment } from '../base/node-types.ts';
import { refuseInUse, whileHolding } from '../library/session-use.ts';
import { makeFolder, syncPath } from '../store/disk.ts';
import { isBelow, refuseLeaving } from '../store/owned-files.ts';
import { removeStaleTemps, replaceFile } from '../store/replace.ts';
import { type FileChange, type FileState, type OperationRecord, readRecords, writeRecord } from './operation-log.ts';

/** Takes an operation back: removes what it made and restores what it replaced, byte for byte. */
export async function undoOperation(
  operations: string,
  record: OperationRecord,
  env: Environment = process.env,
): Promise<void> {
  refuseFinal(record);
  refuseLinked(record);
  await whileHolding(sessionsTouched(record), env, async () => {
    for (const change of record.files) await refuseChanged(record, change);
    await takeBack(operations, record);
    await writeRecord(operations, { ...record, state: 'undone' });
  });
}

/** Where it cannot be taken back: undone already, without a backup, worked on since, or open in a client. */
export async function refuseUndo(record: OperationRecord, env: Environment = process.env): Promise<void> {
  refuseFinal(record);
  refuseLinked(record);
  for (const main of sessionsTouched(record)) refuseInUse(main, env);
  for (const change of record.files) await refuseChanged(record, change);
}

function refuseFinal(record: OperationRecord): void {
  if (record.state === 'undone') throw new UserError(`operation ${record.id} is undone already`, 'see `clew history`');
  if (record.hasNoBackup === true)
    throw new UserError(`operation ${record.id} kept no backup and cannot be taken back`, 'see `clew history`');
}

/** A folder that became a link since the operation would lead what is taken back to another place. */
function refuseLinked({ files, from, to }: OperationRecord): void {
  const folders = [...to, ...from].map((place) => path.dirname(place.path));
  const roots = folders.map((folder) => path.dirname(path.dirname(folder)));
  for (const { path: file } of files) {
    const home = folders.find((folder) => isBelow(file, folder)) ?? roots.find((root) => isBelow(file, root));
    if (home !== undefined) refuseLeaving(file, home);
  }
}

/** Whoever has one of them open would go on writing to a file that is gone or another one. */
function sessionsTouched({ files, to }: OperationRecord): readonly string[] {
  const touched = new Set(files.map((file) => file.path));
  return to.flatMap(({ path: main }) => (touched.has(main) ? [main] : []));
}

/** Takes back what a killed or failed operation did; called while no other operation runs. */
export async function takeBackInterrupted(operations: string): Promise<void> {
  for (const record of await readRecords(operations)) {
    if (record.state !== 'begun') continue;
    await takeBack(operations, record);
    for (const folder of new Set(record.files.map((file) => path.dirname(file.path))))
      await removeStaleTemps(folder, 0);
    await rm(path.join(operations, record.id), { recursive: true, force: true });
  }
}

/** Moves a file to where it is kept; another disk takes a copy. */
export async function keepAside(file: string, backup: string): Promise<void> {
  await makeFolder(path.dirname(backup));
  try {
    // A link goes, but what is kept is what it led to.
    if (lstatSync(file).isSymbolicLink()) await copyLinked(file, backup);
    else await rename(file, backup);
  } catch (error) {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    await copyFile(file, backup);
    await syncPath(backup);
    await rm(file);
  }
  await syncPath(path.dirname(file));
}

async function copyLinked(link: string, backup: string): Promise<void> {
  await copyFile(link, backup);
  await syncPath(backup);
  await rm(link);
}

export async function stateOf(file: string): Promise<FileState> {
  const { size } = statSync(file);
  return { sizeBytes: size, sha256: await hashStart(file, size) };
}

/** In reverse: a session that was made loses its main transcript first, one that was taken away gets it back last. */
async function takeBack(operations: string, record: OperationRecord): Promise<void> {
  const folder = path.join(operations, record.id);
  const tops = new Set(record.to.map((place) => path.dirname(path.dirname(place.path))));
  for (const change of [...record.files].reverse()) {
    if (change.kind === 'made') await takeBackMade(change, tops);
    else await takeBackChanged(folder, change);
  }
}

/** Only what the operation itself made: a file of that name that was there before, or grew since, stays. */
async function takeBackMade({ path: file, after }: FileChange, tops: ReadonlySet<string>): Promise<void> {
  if (!existsSync(file) || after === undefined || !isSameState(await stateOf(file), after)) return;
  await rm(file);
  for (let folder = path.dirname(file); !tops.has(folder); folder = path.dirname(folder)) {
    try {
      await rmdir(folder);
    } catch {
      return;
    }
  }
}

async function takeBackChanged(folder: string, change: FileChange): Promise<void> {
  const { path: file, backup, before, after } = change;
  const kept = backup === undefined ? undefined : path.join(folder, backup);
  if (kept === undefined || before === undefined || !existsSync(kept)) return;
  if (existsSync(file)) {
    // Not yet replaced, or somebody else has been at it since the operation was killed.
    if (isSameState(await stateOf(file), before) || !(await isAsLeft(change))) return;
    const later = after === undefined ? undefined : createReadStream(file, { start: after.sizeBytes });
    await replaceFile(file, joined(createReadStream(kept), later));
  } else {
    await makeFolder(path.dirname(file));
    await link(kept, file).catch(() => copyFile(kept, file));
    await syncPath(path.dirname(file));
  }
}

async function* joined(...parts: (AsyncIterable<Buffer> | undefined)[]): AsyncGenerator<Buffer> {
  for (const part of parts) if (part !== undefined) yield* part;
}

/** A file that is not as the operation left it holds somebody's later work. */
async function refuseChanged(record: OperationRecord, change: FileChange): Promise<void> {
  const { path: file, kind } = change;
  const isThere = existsSync(file);
  if (kind === 'removed' ? !isThere : isThere && (await isAsLeft(change))) return;
  const what = kind === 'removed' ? 'is there again' : isThere ? 'has changed since' : 'is gone';
  throw new UserError(
    `${file} ${what}; ${record.operation} (${record.id}) cannot be taken back`,
    'the files as they were are kept with the operation: see `clew history --json`',
    exitCodes.refused,
  );
}

/** Also where lines came behind it since, if the operation had only appended some itself: these alone are taken out. */
async function isAsLeft({ path: file, kind, before, after, isLog }: FileChange): Promise<boolean> {
  if (after === undefined) return true;
  const { size } = statSync(file);
  if (size < after.sizeBytes || (await hashStart(file, after.sizeBytes)) !== after.sha256) return false;
  if (size === after.sizeBytes || isLog === true) return true;
  const isAppended =
    kind === 'replaced' &&
    before !== undefined &&
    before.sizeBytes <= after.sizeBytes &&
    (await hashStart(file, before.sizeBytes)) === before.sha256;
  return isAppended;
}

function isSameState(a: FileState, b: FileState): boolean {
  return a.sizeBytes === b.sizeBytes && a.sha256 === b.sha256;
}

/** The hash of a file's first bytes. */
async function hashStart(file: string, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  if (sizeBytes > 0) for await (const piece of createReadStream(file, { end: sizeBytes - 1 })) hash.update(piece);
  return hash.digest('hex');
}
