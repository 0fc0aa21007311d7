// Every operation has a folder in Clew's state: `operation.json` with the changes, and `backup/` with the replaced and
// removed files. The record is written before the first change and marked as done after the last, so that the next
// operation can clean up after a killed one.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { copyFile, link, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { exitCodes, systemErrorCode, UserError } from '../../base/errors/index.ts';
import { readRegularText } from '../../base/files/index.ts';
import { asObject, parseJson } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import {
  type ArchivedCopy,
  type ArchivedPlace,
  findArchivedFile,
  forgetCopy,
  refuseOnlyCopy,
  restoreArchivedFile,
} from '../../library/archive/index.ts';
import { refuseInUse, whileHolding } from '../../library/session-files/index.ts';
import {
  diskError,
  isBelow,
  makeFolder,
  refuseLeaving,
  removeStaleTemps,
  replaceFile,
  stateFolder,
  syncPath,
  writeNewFile,
} from '../../store/index.ts';
import type { PlannedSource } from './plan.ts';

/** An operation in the history. */
export interface OperationRecord {
  readonly id: string;
  readonly operation: string;
  readonly words: readonly string[];
  /** ISO time. */
  readonly at: string;
  readonly state: 'begun' | 'done' | 'undone';
  readonly from: readonly PlannedSource[];
  readonly to: readonly PlannedSource[];
  /** In the order in which they are changed. */
  readonly files: readonly FileChange[];
  /** The backup is deleted, so that the operation cannot be undone. */
  readonly hasNoBackup?: boolean;
  /** Copies that the operation added to the archive; undo removes them. */
  readonly copies?: readonly ArchivedCopy[];
  /** One undo undoes all operations of a group: an action on several sessions. */
  readonly group?: string;
}

/** A file that an operation changed. */
export interface FileChange {
  readonly path: string;
  readonly kind: 'made' | 'replaced' | 'removed';
  /** Of a replaced or removed file, relative to the operation's folder. */
  readonly backup?: string;
  /** Of a removed file whose bytes are in the archive, instead of a backup. */
  readonly archived?: ArchivedPlace;
  /** Absent if the file did not exist. */
  readonly before?: FileState;
  readonly after?: FileState;
  /** An undo keeps what other programs appended since. */
  readonly isLog?: boolean;
}

/** The size and the hash of a file. */
export interface FileState {
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Returns the folder that holds the history of operations. */
export function operationsFolder(env: Environment = process.env): string {
  return path.join(stateFolder(env), 'operations');
}

/** Sorts by time. */
export function newOperationId(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`;
}

export async function writeRecord(operations: string, record: OperationRecord): Promise<void> {
  const folder = path.join(operations, record.id);
  await makeFolder(folder);
  const file = path.join(folder, recordName);
  const bytes = Buffer.from(`${JSON.stringify(record, undefined, 2)}\n`);
  if (record.state === 'begun') await writeNewFile(file, bytes);
  else await replaceFile(file, bytes);
}

/** Reads the history of operations, the newest first. Folders without a readable record are skipped. */
export async function readRecords(operations: string): Promise<readonly OperationRecord[]> {
  return listRecords(operations);
}

/** The same, without waiting. */
export function listRecords(operations: string): readonly OperationRecord[] {
  const names = listNames(operations);
  // Two operations within a second have the same time in their ids.
  return names
    .flatMap((name) => readRecord(path.join(operations, name)) ?? [])
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** Removes what killed operations left: folders without a record, staged files, unwanted backups. */
export async function removeUnrecorded(operations: string): Promise<void> {
  for (const name of await readdir(operations).catch(() => [])) {
    if (!isOperationName(name)) continue;
    const folder = path.join(operations, name);
    const record = readRecord(folder);
    await rm(record === undefined ? folder : path.join(folder, 'staged'), { recursive: true, force: true });
    if (record?.hasNoBackup === true && record.state === 'done') await removeBackup(operations, record);
  }
}

export async function removeBackup(operations: string, { id }: OperationRecord): Promise<void> {
  await rm(path.join(operations, id, 'backup'), { recursive: true, force: true });
}

/** A missing folder is empty; an unreadable one is an error. */
function listNames(operations: string): readonly string[] {
  try {
    return readdirSync(operations);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw diskError(error, 'read', operations);
  }
}

const recordName = 'operation.json';

function isOperationName(name: string): boolean {
  return /^\d{8}T\d{6}-[0-9a-f]{6}$/.test(name);
}

function readRecord(folder: string): OperationRecord | undefined {
  try {
    const value = asObject(parseJson(readRegularText(path.join(folder, recordName))));
    return value !== undefined && Array.isArray(value.files) && typeof value.id === 'string'
      ? (value as unknown as OperationRecord) // written by `writeRecord`
      : undefined;
  } catch {
    return undefined;
  }
}

// Undoes an operation. Files that changed since are never overwritten; lines that a client appended are kept.

/** Undoes an operation: removes the files it created and restores those it replaced, byte for byte. */
export async function undoOperation(
  operations: string,
  record: OperationRecord,
  env: Environment = process.env,
): Promise<void> {
  refuseFinal(record);
  refuseLinked(record);
  await whileHolding(sessionsTouched(record), env, async () => {
    for (const change of record.files) await refuseChanged(record, change);
    for (const copy of record.copies ?? []) await refuseOnlyCopy(copy);
    await restore(operations, record);
    await writeRecord(operations, { ...record, state: 'undone' });
  });
}

/** Throws if it cannot be undone: already undone, without a backup, changed since, or open in a client. */
export async function refuseUndo(record: OperationRecord, env: Environment = process.env): Promise<void> {
  refuseFinal(record);
  refuseLinked(record);
  for (const main of sessionsTouched(record)) refuseInUse(main, env);
  for (const change of record.files) await refuseChanged(record, change);
  for (const copy of record.copies ?? []) await refuseOnlyCopy(copy);
}

function refuseFinal(record: OperationRecord): void {
  if (record.state === 'undone') throw new UserError(`operation ${record.id} is already undone`, 'see `clew history`');
  if (record.hasNoBackup === true)
    throw new UserError(`operation ${record.id} has no backup and cannot be undone`, 'see `clew history`');
}

/** A folder that became a link since the operation would lead to other files. */
function refuseLinked({ files, from, to }: OperationRecord): void {
  refuseLinkedTargets(
    files.map((file) => file.path),
    [...to, ...from].map((session) => path.dirname(session.path)),
  );
}

/** Refuses files that a link leads out of their project folder, or out of its root. */
export function refuseLinkedTargets(files: readonly string[], folders: readonly string[]): void {
  const roots = folders.map((folder) => path.dirname(path.dirname(folder)));
  for (const file of files) {
    const home = folders.find((folder) => isBelow(file, folder)) ?? roots.find((root) => isBelow(file, root));
    if (home !== undefined) refuseLeaving(file, home);
  }
}

/** A client that has one of them open would continue writing to the old file. */
function sessionsTouched({ files, to }: OperationRecord): readonly string[] {
  const touched = new Set(files.map((file) => file.path));
  return to.flatMap(({ path: main }) => (touched.has(main) ? [main] : []));
}

/** Undoes killed and failed operations; called while no other operation runs. */
export async function undoInterrupted(operations: string): Promise<void> {
  for (const record of await readRecords(operations)) {
    if (record.state !== 'begun') continue;
    await restore(operations, record);
    for (const folder of new Set(record.files.map((file) => path.dirname(file.path))))
      await removeStaleTemps(folder, 0);
    await rm(path.join(operations, record.id), { recursive: true, force: true });
  }
}

/** Moves a file, or copies it to another disk. */
export async function moveToBackup(file: string, backup: string): Promise<void> {
  await makeFolder(path.dirname(backup));
  try {
    // Of a link, the backup keeps the target.
    if (lstatSync(file).isSymbolicLink()) await copyAndRemove(file, backup);
    else await rename(file, backup);
  } catch (error) {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    await copyAndRemove(file, backup);
  }
  await syncPath(path.dirname(file));
}

async function copyAndRemove(file: string, backup: string): Promise<void> {
  await copyFile(file, backup);
  await syncPath(backup);
  await rm(file);
}

export async function stateOf(file: string): Promise<FileState> {
  const { size } = statSync(file);
  return { sizeBytes: size, sha256: await hashStart(file, size) };
}

/** In reverse: a created session loses its main transcript first, a removed one gets it back last. */
async function restore(operations: string, record: OperationRecord): Promise<void> {
  const folder = path.join(operations, record.id);
  const tops = new Set(record.to.map((place) => path.dirname(path.dirname(place.path))));
  for (const change of [...record.files].reverse()) {
    if (change.kind === 'made') await removeCreated(change, tops);
    else await restoreChanged(folder, change);
  }
  for (const copy of record.copies ?? []) await forgetCopy(copy);
}

/** Only a file that the operation created, and that has not changed since. */
async function removeCreated({ path: file, after }: FileChange, tops: ReadonlySet<string>): Promise<void> {
  if (!existsSync(file) || after === undefined || !isSameState(await stateOf(file), after)) return;
  await rm(file);
  await removeEmptyFolders(path.dirname(file), tops);
}

/** Up to one of `tops`. */
export async function removeEmptyFolders(folder: string, tops: ReadonlySet<string>): Promise<void> {
  for (let at = folder; !tops.has(at) && at !== path.dirname(at); at = path.dirname(at)) {
    try {
      await rmdir(at);
    } catch {
      return;
    }
  }
}

async function restoreChanged(folder: string, change: FileChange): Promise<void> {
  const { path: file, backup, archived, before, after } = change;
  if (archived !== undefined) {
    if (!existsSync(file)) await restoreArchivedFile(archived, file);
    return;
  }
  const kept = backup === undefined ? undefined : path.join(folder, backup);
  if (kept === undefined || before === undefined || !existsSync(kept)) return;
  if (existsSync(file)) {
    // Not replaced yet, or changed by another program since the operation was killed.
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

/** A file that changed since the operation may hold later work. */
async function refuseChanged(record: OperationRecord, change: FileChange): Promise<void> {
  const { path: file, kind, archived } = change;
  const isThere = existsSync(file);
  if (archived !== undefined && !isThere) findArchivedFile(archived);
  if (kind === 'removed' ? !isThere : isThere && (await isAsLeft(change))) return;
  const what = kind === 'removed' ? 'exists again' : isThere ? 'has changed since' : 'no longer exists';
  throw new UserError(
    `${file} ${what}, so ${record.operation} (${record.id}) cannot be undone`,
    'the backup has the original files: see `clew history --json`',
    exitCodes.refused,
  );
}

/** Lines that were appended since are allowed if the operation only appended lines itself. */
async function isAsLeft({ path: file, kind, before, after, isLog }: FileChange): Promise<boolean> {
  if (after === undefined) return true;
  const { size } = statSync(file);
  if (size < after.sizeBytes || (await hashStart(file, after.sizeBytes)) !== after.sha256) return false;
  if (size === after.sizeBytes || isLog === true) return true;
  return (
    kind === 'replaced' &&
    before !== undefined &&
    before.sizeBytes <= after.sizeBytes &&
    (await hashStart(file, before.sizeBytes)) === before.sha256
  );
}

function isSameState(a: FileState, b: FileState): boolean {
  return a.sizeBytes === b.sizeBytes && a.sha256 === b.sha256;
}

async function hashStart(file: string, sizeBytes: number): Promise<string> {
  const hash = createHash('sha256');
  if (sizeBytes > 0) for await (const piece of createReadStream(file, { end: sizeBytes - 1 })) hash.update(piece);
  return hash.digest('hex');
}
